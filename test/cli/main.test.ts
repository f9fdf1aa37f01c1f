import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCommand } from "./run-command.ts"

const pretend = (version: string) => [
  "--import",
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`,
]

describe("sluice", () => {
  it("prints help that names the verbs and the exit codes", async () => {
    const { code, stdout } = await runCommand(["--help"])
    expect(code).toBe(0)
    expect(stdout).toContain("ingest")
    expect(stdout).toContain("token")
    expect(stdout).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage.")
  })

  it("prints the version of the package", async () => {
    const manifest = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"))
    expect((await runCommand(["--version"])).stdout).toBe(`${manifest.version}\n`)
  })

  it.each([[[]], [["nonsense"]], [["ingest", "--port", "seventy"]], [["ingest", "--port", "65536"]]])(
    "answers wrong usage %j with exit code 2 and no stack trace",
    async (args) => {
      const { code, stdout, stderr } = await runCommand(args)
      expect(code).toBe(2)
      expect(stdout).toBe("")
      expect(stderr).not.toMatch(/^\s+at /m)
    },
  )

  it.each(["18.20.0", "20.20.2", "22.18.9"])("says on Node %s which version it needs", async (version) => {
    const { code, stdout, stderr } = await runCommand(["token"], { execArgv: pretend(version) })
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toBe(`sluice needs Node.js 22.19 or newer; this is ${version}.\n`)
  })

  it.each(["22.19.0", "23.0.0", "24.1.0"])("runs on Node %s", async (version) => {
    expect((await runCommand(["token"], { execArgv: pretend(version) })).code).toBe(0)
  })

  it("imports nothing before it has checked the version", async () => {
    const source = await readFile(join(import.meta.dirname, "../../src/cli/main.ts"), "utf8")
    expect(source).not.toMatch(/^import /m)
  })
})
