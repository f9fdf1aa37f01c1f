import { openSync, closeSync, fstatSync, readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type CommandOptions, runCommand, startCommand } from "./run-command.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-lines-"))
})
afterEach(() => rm(folder, { recursive: true }))

const toLines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

/** Runs it until it listens, then stops it. */
const runOnce = async (args: ReadonlyArray<string>, options: CommandOptions = {}) => {
  const command = startCommand([...args, "--port", "0", "--data", "data"], { cwd: folder, ...options })
  await command.line((line) => line.includes("Ctrl-C") || line.includes(`"listening"`))
  command.child.kill("SIGTERM")
  return command.ended
}

describe("a log in JSON", () => {
  it.each([
    ["ingest", ["ingest", "--log-format", "json"], {}],
    ["ingest --json", ["ingest", "--json"], {}],
    ["ingest, by its variable", ["ingest"], { SLUICE_LOG_FORMAT: "json" }],
    ["dev", ["dev", "--log-format", "json"], {}],
  ])("is all that %s prints, from the first line to the last", async (_what, args, variables) => {
    const { code, stdout, stderr } = await runOnce(args, { env: { ...variables, SLUICE_FLAVOUR: "plain" } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = toLines(stdout).map((line) => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ event: "listening", host: "127.0.0.1" }))
    const message = "Nothing of Sluice reads the variable SLUICE_FLAVOUR."
    expect(lines).toContainEqual(expect.objectContaining({ event: "warning", level: "warning", message }))
    for (const line of lines) {
      const { time } = line
      expect(line).toMatchObject({
        time: expect.any(String),
        level: expect.stringMatching(/^(info|warning)$/),
        service: "sluice",
        message: expect.any(String),
      })
      expect(new Date(time).toISOString()).toBe(time)
    }
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", message: "The ingest has started." }))
  })

  it("is all that is printed where the configuration file asks for it", async () => {
    await writeFile(join(folder, "sluice.config.json"), JSON.stringify({ logFormat: "json" }))
    const { stdout } = await runOnce(["ingest"])
    expect(toLines(stdout).map((line) => JSON.parse(line))).not.toEqual([])
  })

  it("leaves the rest to the server of sluice dev", async () => {
    const server = [process.execPath, "-e", "console.log('the server')"]
    const args = ["dev", "--log-format", "json", "--port", "0", "--data", "data", "--", ...server]
    const { stdout, stderr } = await runCommand(args, { cwd: folder })
    expect(stderr).toBe("")
    expect(toLines(stdout).filter((line) => !line.startsWith("{"))).toEqual(["the server"])
  })

  it.each([["ingest"], ["dev"]])("holds why %s cannot start", async (verb) => {
    await writeFile(join(folder, "data"), "in the way")
    const args = [verb, "--log-format", "json", "--port", "0", "--data", "data"]
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(JSON.parse(stderr)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: "error",
      service: "sluice",
      message: expect.stringContaining(`The data folder ${join(folder, "data")} cannot be used`),
    })
  })
})

describe("a log in text", () => {
  const timed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \[sluice\] info: The ingest has started\./m
  const bare = /^\[sluice\] info: The ingest has started\./m

  it("begins its lines with the time, unless it is told not to", async () => {
    expect((await runOnce(["ingest"])).stdout).toMatch(timed)
    expect((await runOnce(["ingest", "--log-time", "false"])).stdout).toMatch(bare)
    expect((await runOnce(["ingest"], { env: { JOURNAL_STREAM: "1:2" } })).stdout).toMatch(timed)
  })

  it("begins its lines with the time of day where somebody sits before it: sluice dev", async () => {
    const { stdout } = await runOnce(["dev"])
    const lines = toLines(stdout).filter((line) => line.includes("[sluice]"))
    expect(lines).toContainEqual(expect.stringContaining("[sluice] info: The ingest has started."))
    for (const line of lines) expect(line).toMatch(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d \[sluice\] /)
    expect((await runOnce(["dev", "--log-time", "true"])).stdout).toMatch(timed)
    expect((await runOnce(["dev", "--log-time", "false"])).stdout).toMatch(bare)
  })

  it("leaves the time to a journal it goes to", async () => {
    const file = join(folder, "journal")
    const stream = openSync(file, "w")
    const { dev, ino } = fstatSync(stream)
    const main = join(import.meta.dirname, "../../src/cli/main.ts")
    const args = [main, "ingest", "--port", "0", "--data", join(folder, "data")]
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", stream, stream, "ipc"],
      env: { ...process.env, JOURNAL_STREAM: `${dev}:${ino}` },
    })
    closeSync(stream)
    const ended = once(child, "exit")
    await expect.poll(() => readFileSync(file, "utf8"), { timeout: 20_000 }).toContain("Ctrl-C")
    child.disconnect()
    await ended
    expect(readFileSync(file, "utf8")).toMatch(bare)
  })
})
