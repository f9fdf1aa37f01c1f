import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { expect, inject, it, onTestFinished } from "vitest"
import { findFreePort } from "../adapters/apps/listen.ts"
import { hasCommand } from "../deploy/proxies.ts"
import { skipLacking } from "../skip-lacking.ts"

const root = join(import.meta.dirname, "../..")

const tell = (program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

/** As much of `node:24-slim` as the Dockerfile uses, made of this machine: no registry has to be reached for it. */
const layBaseImage = (folder: string): void => {
  const node = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node")
  const npm = dirname(dirname(realpathSync(tell("which", "npm"))))
  const programs = ["sh", "env", "rm", "install"].map((name) => realpathSync(tell("which", name)))
  const target = (path: string): string => join(folder, path)
  for (const path of ["bin", "lib", "lib64", "tmp", "root", "etc", "opt", "proc", "dev", "usr/local/bin"])
    mkdirSync(target(path), { recursive: true })
  for (const [place, name] of ["sh", "env", "rm", "install"].entries()) cpSync(programs[place]!, target(`bin/${name}`))
  mkdirSync(target("usr/bin"))
  symlinkSync("/bin/env", target("usr/bin/env"))
  cpSync(node, target("usr/local/bin/node"), { dereference: true })
  const libraries = [node, ...programs].flatMap((path) => tell("ldd", path).match(/\/lib\S+/g) ?? [])
  for (const library of new Set(libraries)) cpSync(library, target(library), { dereference: true, recursive: true })
  cpSync(npm, target("usr/local/lib/node_modules/npm"), { recursive: true, dereference: true })
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", target("usr/local/bin/npm"))
  writeFileSync(target("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n")
  writeFileSync(target("etc/group"), "root:x:0:\nnode:x:1000:\n")
}

interface Image {
  readonly Docker: {
    readonly config: {
      readonly User: string
      readonly Entrypoint: ReadonlyArray<string>
      readonly Cmd: ReadonlyArray<string>
      readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
    }
  }
}

it("deploy/Dockerfile builds, and what it starts runs as node and passes its check of health", async (context) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !hasCommand("buildah"))
    skipLacking(context, "no image can be built here without buildah, and root.")
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const own = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"]
  const buildah = (...args: ReadonlyArray<string>): string => tell("buildah", ...own, ...args)
  layBaseImage(join(folder, "base"))
  const empty = buildah("from", "scratch")
  buildah("copy", empty, join(folder, "base"), "/")
  buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", empty)
  buildah("commit", empty, "docker.io/library/node:24-slim")

  const place = join(folder, "context")
  mkdirSync(place)
  cpSync(join(root, "deploy/Dockerfile"), join(place, "Dockerfile"))
  cpSync(inject("tarball"), join(place, basename(inject("tarball"))))
  const isolation = ["--isolation", "chroot", "--network", "host"]
  buildah("bud", ...isolation, "--pull=never", "--format", "docker", "-t", "sluice-ingest", place)

  const { Docker } = JSON.parse(buildah("inspect", "--type", "image", "sluice-ingest")) as Image
  const { User, Entrypoint, Cmd, Healthcheck } = Docker.config
  expect(User).toBe("node")
  const port = String(await findFreePort())
  const atPort = (args: ReadonlyArray<string>) => args.map((arg) => arg.replace("4790", port))
  const container = buildah("from", "--pull=never", "sluice-ingest")
  const run = (...args: ReadonlyArray<string>) => [...own, "run", ...isolation.slice(0, 2), container, "--", ...args]
  const check = () => tell("buildah", ...run(...atPort(Healthcheck.Test.slice(1))))
  expect(check).toThrow()

  const running = spawn("buildah", run(...atPort([...Entrypoint, ...Cmd])), { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void running.kill("SIGKILL"))
  let printed = ""
  await new Promise<void>((resolve, reject) => {
    running.once("exit", (code) => reject(new Error(`The container ended with ${code}: ${printed}`)))
    running.stdout.on("data", (data) => {
      printed += data
      if (printed.includes('"listening"')) resolve()
    })
  })
  check()
  expect(tell("buildah", ...run("node", "-p", "process.getuid()"))).toBe("1000")
  const { pid, data } = printed
    .split("\n")
    .flatMap((line) => (line.includes('"listening"') ? [JSON.parse(line) as { pid: number; data: string }] : []))[0]!
  expect(data).toBe("/data")
  const ended = new Promise((resolve) => running.once("exit", resolve))
  process.kill(pid, "SIGTERM")
  expect(await ended).toBe(0)
})
