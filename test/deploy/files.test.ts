import { execFileSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { runCommand } from "../cli/run-command.ts"
import { skipLacking } from "../skip-lacking.ts"
import { hasCommand } from "./proxies.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string): Promise<string> => readFile(join(root, file), "utf8")
const files = ["nginx.conf", "nginx-base-path.conf", "Caddyfile", "sluice.service", "Dockerfile", "compose.yaml"]

describe("docs/deploying.md", () => {
  it.each(files)("shows deploy/%s as it is in the package", async (file) => {
    expect(packageJson.files).toContain("deploy")
    expect(await read("docs/deploying.md")).toContain(`\n${(await read(`deploy/${file}`)).trimEnd()}\n\`\`\``)
  })
})

describe("deploy/sluice.service", () => {
  it("is a unit that systemd takes, and calls well closed in", async (context) => {
    if (!hasCommand("systemd-analyze", "--version")) skipLacking(context, "there is no systemd-analyze.")
    const folder = await mkdtemp(join(tmpdir(), "sluice-unit-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const unit = join(folder, "sluice.service")
    await writeFile(unit, (await read("deploy/sluice.service")).replace("/usr/bin/node", "/bin/true"))
    expect(execFileSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8", stdio: "pipe" })).toBe("")
    // 10 is wide open.
    execFileSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", unit], { stdio: "pipe" })
  })

  it.each(["sluice.service", "Dockerfile"])("starts the ingest with options there are: %s", async (file) => {
    const text = await read(`deploy/${file}`)
    const command = /main\.js (ingest .*)$/m.exec(text)?.[1] ?? JSON.parse(/^CMD (\[.*\])$/m.exec(text)![1]!).join(" ")
    const { code, stdout } = await runCommand(["ingest", "--help-all"])
    expect(code).toBe(0)
    for (const [flag] of (command as string).matchAll(/--[a-z-]+/g)) expect(stdout).toContain(flag)
  })
})

describe("deploy/Dockerfile and deploy/compose.yaml", () => {
  it("run as somebody who is not root, with a check, a volume and a reader of SIGTERM", async () => {
    const stages = (await read("deploy/Dockerfile")).split(/^(?=FROM )/m).filter((stage) => stage.startsWith("FROM"))
    expect(stages).toHaveLength(2)
    const last = stages[1]!
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^VOLUME \/data$/m)
    expect(last).toMatch(/^HEALTHCHECK /m)
    // The JSON form: the process itself gets SIGTERM, not a shell.
    for (const name of ["ENTRYPOINT", "CMD"])
      expect(() => JSON.parse(new RegExp(`^${name} (.*)$`, "m").exec(last)![1]!)).not.toThrow()
    expect(last.indexOf("install -d -o node")).toBeLessThan(last.indexOf("USER node"))
  })

  it("install with no registry: npm asks one for every framework that the package could go with, unless told not to", async () => {
    expect(await read("deploy/Dockerfile")).toMatch(/^RUN npm install .*--legacy-peer-deps .*\.\/sluice\.tgz/m)
    expect(packageJson).not.toHaveProperty("dependencies")
  })

  it("have a check of the container's health that tells an ingest from none", async () => {
    const [, line] = /^ {2}CMD (\[.*\])$/m.exec(await read("deploy/Dockerfile"))!
    const [, ...args] = JSON.parse(line!) as ReadonlyArray<string>
    const check = args.map((arg) => arg.replace("127.0.0.1:4790", "127.0.0.1:9"))
    expect(() => execFileSync(process.execPath, check, { stdio: "pipe" })).toThrow()
  })

  it("name no service sluice, and give a stop longer than the ingest's own", async () => {
    const text = await read("deploy/compose.yaml")
    expect([...text.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name)).toEqual(["ingest", "uploads"])
    expect(text).toMatch(/^ {4}volumes: \["uploads:\/data"\]$/m)
    expect(text).toMatch(/^ {4}ports: \["127\.0\.0\.1:4790:4790"\]$/m)
    expect(Number(/stop_grace_period: (\d+)s/.exec(text)![1])).toBeGreaterThan(10)
  })
})
