import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, readlink, realpath, rm, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { runInit } from "../../src/cli/init/run-init.ts"
import { makeFolder } from "../make-folder.ts"
import { skipLacking } from "../skip-lacking.ts"
import { type Files, writeFiles } from "../write-files.ts"
import { runCommand, startCommand } from "./run-command.ts"

/** Made of projects, so that there is something outside one. */
let folder: string
let project: string
beforeEach(async () => {
  folder = await realpath(await makeFolder())
  project = join(folder, "web")
})

const write = (files: Files): Promise<void> => writeFiles(folder, files)

/** Everything in the folder: what is in files, and where links lead. */
const read = async (): Promise<Record<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const contents = await Promise.all(
    entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return [
          path.slice(folder.length + 1),
          await (entry.isFile() ? readFile(path, "utf8") : readlink(path)),
        ] as const
      }),
  )
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const init = (...args: ReadonlyArray<string>) => runCommand(["init", ...args], { cwd: project })

const manifest = { scripts: { dev: "next dev" }, dependencies: { next: "16", react: "19" } }

const link = async (target: string, path: string): Promise<void> => {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await symlink(target, join(project, path))
}

describe("sluice init reads regular files alone", () => {
  const server = { type: "module", scripts: { dev: "node server.ts" }, dependencies: { express: "5" } }
  const page = { scripts: { dev: "vite" }, dependencies: { vite: "8", react: "19" } }
  const routes = { dependencies: { "@react-router/dev": "8" } }
  const places: ReadonlyArray<readonly [paths: ReadonlyArray<string>, manifest: object]> = [
    [["AGENTS.md", "app/globals.css", "app/page.tsx", "app/api/sluice/router.ts", "app/other.tsx"], manifest],
    [["index.html", "vite.config.ts", "src/App.tsx"], page],
    [["tsconfig.json", "server.ts", "../package.json"], server],
    [["app/routes.ts"], routes],
  ]

  /** Ends what would wait for ever. */
  const initInTime = async () => {
    const running = startCommand(["init", "--dry-run"], { cwd: project })
    const timer = setTimeout(() => running.child.kill("SIGKILL"), 20_000)
    const ended = await running.ended
    clearTimeout(timer)
    return ended
  }

  it.for(places)("and waits for no pipe: %s", async ([paths, its], test) => {
    if (process.platform === "win32") skipLacking(test, "Windows has no named pipes among its files.")
    await write({ "web/package.json": its })
    for (const path of paths) {
      await mkdir(dirname(join(project, path)), { recursive: true })
      expect(spawnSync("mkfifo", [join(project, path)]).status).toBe(0)
    }
    const { code, stderr } = await initInTime()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it.for(places)("and no device to its end: %s", async ([paths, its], test) => {
    if (!existsSync("/dev/zero")) skipLacking(test, "There is no /dev/zero.")
    await write({ "web/package.json": its })
    for (const path of paths) await link("/dev/zero", path)
    const { code, stderr } = await initInTime()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it.for(["pipe", "/dev/zero"])("and says of a package.json that is none what it is: %s", async (what, test) => {
    if (!existsSync("/dev/zero")) skipLacking(test, "There is no /dev/zero.")
    await mkdir(project)
    if (what === "pipe") spawnSync("mkfifo", [join(project, "package.json")])
    else await link(what, "package.json")
    const { code, stderr } = await initInTime()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `sluice: ${join(project, "package.json")} cannot be read: it is not a regular file but a link, a pipe, a device or the like.\n`,
    })
  })

  it("and not more of one than it takes, whatever size it says", async (test) => {
    // A regular file that says it has no bytes, and has more than one step of reading.
    const endless = "/proc/kallsyms"
    if (!existsSync(endless)) skipLacking(test, `There is no ${endless}.`)
    await mkdir(project)
    await link(endless, "package.json")
    const { code, stderr } = await initInTime()
    expect(code).toBe(1)
    expect(stderr).toContain("package.json is larger than 1 MiB. No package.json is")
  })
})

describe("sluice init and links", () => {
  const css = `@import "tailwindcss";\n`
  const outside: Files = {
    "outside/CLAUDE.md": "# Ours\n",
    "outside/globals.css": css,
    "outside/package.json": manifest,
    "outside/page.tsx": "",
  }
  const out: ReadonlyArray<readonly [path: string, target: string, named: string, to: string]> = [
    ["AGENTS.md", "../outside/CLAUDE.md", "AGENTS.md", "outside/CLAUDE.md"],
    ["app/globals.css", "../../outside/globals.css", "app/globals.css", "outside/globals.css"],
    ["package.json", "../outside/package.json", "package.json", "outside/package.json"],
    ["app", "../outside", "app/api/sluice/router.ts", "outside/api/sluice/router.ts"],
    ["lib", "../outside", "lib/upload-client.ts", "outside/upload-client.ts"],
  ]

  const makeProject = async (own: Files = {}) => {
    await write({ ...outside, "web/package.json": manifest, "web/tsconfig.json": "{}", ...own })
  }

  it.for(out)("writes nothing where one leads out of the project: %s", async ([path, target, named, to], test) => {
    if (process.platform === "win32") skipLacking(test, "Windows lets only administrators make links.")
    await makeProject()
    await rm(join(project, path), { force: true })
    await link(target, path)
    const before = await read()
    const sentence =
      `${named} is, or is in, a link that leads to ${join(folder, to)}, outside the project. Nothing was written. ` +
      "Put a file or folder of the project's own in the place of the link, and run `sluice init` again."
    const { code, stdout, stderr } = await init("--yes")
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `sluice: ${sentence}\n` })
    for (const options of [{ yes: true, json: true }, { dryRun: true }] as const) {
      await expect(runInit(project, options)).rejects.toThrow(sentence)
    }
    expect(await read()).toEqual(before)
  })

  it("writes nothing where one leads nowhere", async (test) => {
    if (process.platform === "win32") skipLacking(test, "Windows lets only administrators make links.")
    await makeProject()
    await link("../none", "lib")
    const before = await read()
    const { code, stderr } = await init("--yes")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "sluice: lib/upload-client.ts cannot be written: a link on its way leads nowhere. Nothing was written.\n",
    })
    expect(await read()).toEqual(before)
  })

  it("shows where those inside lead, and follows them", async (test) => {
    if (process.platform === "win32") skipLacking(test, "Windows lets only administrators make links.")
    await makeProject({ "web/docs/ASSISTANTS.md": "# Ours\n", "web/code/page.tsx": "" })
    await link("docs/ASSISTANTS.md", "AGENTS.md")
    await link("code", "app")
    const { code, stdout } = await init("--yes")
    expect(code).toBe(0)
    const titles = stdout.split("\n").filter((line) => line.includes("by a link"))
    expect(titles).toEqual([
      "app/api/sluice/router.ts (new, by a link, to code/api/sluice/router.ts)",
      "app/api/sluice/route.ts (new, by a link, to code/api/sluice/route.ts)",
      "AGENTS.md (by a link, to docs/ASSISTANTS.md)",
    ])
    expect(await read()).toMatchObject({
      "web/AGENTS.md": "docs/ASSISTANTS.md",
      "web/docs/ASSISTANTS.md": expect.stringContaining("File uploads go through Sluice"),
      "web/code/api/sluice/route.ts": expect.any(String),
    })
  })

  it.for<readonly [string, string, string | object]>([
    ["npm", "package.json", { workspaces: ["web"] }],
    ["pnpm", "pnpm-workspace.yaml", "packages:\n  - web\n"],
  ])("lets one lead to elsewhere in the workspace: of %s", async ([, path, content], test) => {
    if (process.platform === "win32") skipLacking(test, "Windows lets only administrators make links.")
    await makeProject({ [path]: content })
    await link("../outside/CLAUDE.md", "AGENTS.md")
    const { code, stdout } = await init("--yes")
    expect(code).toBe(0)
    expect(stdout).toContain("AGENTS.md (by a link, to ../outside/CLAUDE.md)\n")
    expect((await read())["outside/CLAUDE.md"]).toContain("File uploads go through Sluice")
  })

  it("takes settings of pnpm alone for no workspace", async (test) => {
    if (process.platform === "win32") skipLacking(test, "Windows lets only administrators make links.")
    await makeProject({ "pnpm-workspace.yaml": "onlyBuiltDependencies:\n  - esbuild\n" })
    await link("../outside/CLAUDE.md", "AGENTS.md")
    expect((await init("--yes")).code).toBe(1)
    expect((await read())["outside/CLAUDE.md"]).toBe("# Ours\n")
  })
})
