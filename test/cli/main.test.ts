import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Command } from "commander"
import { describe, expect, it, onTestFinished } from "vitest"
import { createProgram } from "../../src/cli/program.ts"
import { arrangeHelp } from "../../src/cli/terminal/help.ts"
import { makeFolder } from "../make-folder.ts"
import { fetchNode22 } from "../runtimes/fetch-node.ts"
import { skipLacking } from "../skip-lacking.ts"
import { commandFile } from "./command-file.ts"
import { runCommand } from "./run-command.ts"
import { openData } from "./stored-files.ts"

const main = join(import.meta.dirname, "../../src/cli/main.ts")

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

  it.each([
    [["fils"], "files"],
    [["apps", "creat"], "create"],
    [["deliveries", "redelivr"], "redeliver"],
    [["token", "explian"], "explain"],
    [["dev", "--prot", "1"], "--port"],
  ])("names the nearest verb or option for %j: %s", async (args, nearest) => {
    const { code, stdout, stderr } = await runCommand(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`(Did you mean ${nearest}?)`)
    expect(stderr).toMatch(/Try "sluice[a-z ]* --help"\.\n$/)
  })

  it("says which verbs there are where none is near", async () => {
    expect((await runCommand(["files", "xyzzy"])).stderr).toContain(
      "Available: list, show, verify, reconcile, orphans, export.",
    )
  })

  it.each(["18.20.0", "20.20.2", "22.18.9"])("says on Node %s which version it needs", async (version) => {
    const { code, stdout, stderr } = await runCommand(["token"], { execArgv: pretend(version) })
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toBe(`sluice needs Node.js 22.19 or newer; this is ${version}.\n`)
  })

  it.each(["22.19.0", "23.0.0", "24.1.0"])("runs on Node %s", async (version) => {
    expect((await runCommand(["token"], { execArgv: pretend(version) })).code).toBe(0)
  })

  it.each([
    ["stdout", ["--help"], 0],
    ["stdout", ["ingest", "--help"], 0],
    ["stdout", ["token"], 0],
    ["stderr", ["nonsense"], 2],
  ] as const)("ends as ever, and says nothing of it, when nobody reads its %s: %j", async (name, args, expected) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    child[name].destroy()
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const [code] = await once(child, "close")
    expect(code).toBe(expected)
    expect(said).not.toMatch(/EPIPE|^\s+at /m)
  })

  it.each([
    ["stdout", "standard output", ["token"], 1],
    ["stderr", "standard error", ["nonsense"], 2],
  ] as const)("says in a sentence that its %s cannot be written", async (name, words, args, expected) => {
    const full = await open("/dev/full", "w")
    onTestFinished(() => full.close())
    const stdio = name === "stdout" ? (["ignore", full.fd, "pipe"] as const) : (["ignore", "pipe", full.fd] as const)
    const child = spawn(process.execPath, [main, ...args], { stdio: [...stdio] })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const [code] = await once(child, "close")
    const lines = said.split("\n").filter((line) => line.startsWith("sluice: ") || /^\s+at /.test(line))
    expect(lines).toEqual([`sluice: Something is not printed, because ${words} cannot be written: the disk is full.`])
    expect(code).toBe(expected)
  })

  it("says nothing of what Node 22 calls experimental, and passes other warnings on", async (context) => {
    const node = await fetchNode22()
    if (typeof node !== "string") return skipLacking(context, node.missing)
    const cwd = await makeFolder()
    const run = (...args: ReadonlyArray<string>) => promisify(execFile)(node, [...args, commandFile, "files"], { cwd })
    await openData(join(cwd, ".sluice")).catalog.close()
    const warning = `data:text/javascript,setTimeout(() => process.emitWarning("of somebody else"), 20)`
    expect(await run()).toEqual({ stdout: "There are no files.\n", stderr: "" })
    expect((await run("--import", warning)).stderr).toContain("Warning: of somebody else")
  })

  it("imports nothing before it has checked the version", async () => {
    const source = await readFile(main, "utf8")
    expect(source).not.toMatch(/^import /m)
  })
})

/** A command and those below it, each with its words: `apps create`. */
const listVerbs = (command: Command, words = "sluice"): ReadonlyArray<readonly [words: string, command: Command]> => [
  [words, command],
  ...command.commands.flatMap((each) => listVerbs(each, `${words} ${each.name()}`)),
]

const readHelp = (command: Command): ReadonlyArray<string> => {
  let text = ""
  arrangeHelp(command)
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 }).outputHelp()
  return text.trimEnd().split("\n")
}

describe("the help", { timeout: 60_000 }, () => {
  it.each(listVerbs(createProgram()))("of %s fits on a screen, examples first", (words, command) => {
    const lines = readHelp(command)
    // All commands, the most important settings, and what is said of files are more than the 24 lines of an old screen.
    const most = { sluice: 27, "sluice ingest": 41, "sluice put": 25 }[words] ?? 24
    expect(lines.length).toBeLessThanOrEqual(most)
    expect(lines[0]).toMatch(/^(?:Examples?\b|To replace a key)/)
    // An example may be longer: it is one line to copy.
    expect(lines.filter((line) => line.length > 80 && !line.startsWith("  $"))).toEqual([])
  })

  it("says of every command that has one which verb is meant without any, and where its options are", async () => {
    const commands = listVerbs(createProgram()).flatMap(([words, command]) => {
      const verb: unknown = Reflect.get(command, "_defaultCommandName") // commander has no other way to ask
      return typeof verb === "string" ? [{ words, command, verb }] : []
    })
    expect(commands.map(({ words }) => words)).toContain("sluice backup")
    for (const { words, command, verb } of commands)
      expect(readHelp(command).at(-1)).toBe(`Without a command: ${verb}. Options: ${words} ${verb} --help`)
    const { stdout } = await runCommand(["files", "--help"])
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("Without a command: list. Options: sluice files list --help")
  })

  it("is printed so", async () => {
    const { stdout } = await runCommand(["ingest", "--help"])
    const [, ingest] = listVerbs(createProgram()).find(([words]) => words === "sluice ingest")!
    expect(stdout.trimEnd().split("\n")).toEqual(readHelp(ingest))
  })

  it.each(["ingest", "dev"])("of %s has what is asked for first, and all of it on demand", async (verb) => {
    const short = (await runCommand([verb, "--help"])).stdout
    expect(short).toContain("--port")
    expect(short).not.toContain("--sweep-interval")
    const { code, stdout } = await runCommand([verb, "--help-all"])
    expect(code).toBe(0)
    expect(stdout).toContain("--sweep-interval")
    expect(stdout).toContain("env: SLUICE_SWEEP_INTERVAL")
  })
})

describe("wrong usage where machines read", () => {
  it.each([
    [["ingest", "--log-format", "json", "--prot", "1"], {}, "unknown option '--prot' (Did you mean --port?)"],
    [["ingest", "--prot", "1", "--log-format=json"], {}, "unknown option '--prot'"],
    [["--log-format", "json", "ingest"], {}, "unknown option '--log-format'"],
    [["ingest", "--json", "--port", "seventy"], {}, "argument 'seventy' is invalid"],
    [["dev", "--port", "seventy"], { SLUICE_LOG_FORMAT: "json" }, "argument 'seventy' is invalid"],
    [["ingset"], { SLUICE_LOG_FORMAT: "json" }, "unknown command 'ingset'"],
  ])("%j is told as one line of JSON", async (args, env, message) => {
    const { code, stdout, stderr } = await runCommand(args, { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(stderr)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: "error",
      service: "sluice",
      message: expect.stringContaining(message),
    })
  })

  it("is told in words where the server's own options are in JSON", async () => {
    const { stderr } = await runCommand(["dev", "--prot", "1", "--", "server", "--log-format", "json"])
    expect(stderr).toMatch(/^error: unknown option/)
  })
})
