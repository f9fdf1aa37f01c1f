import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { encodeToken, parseToken } from "../../src/protocol.ts"
import { skipLacking } from "../skip-lacking.ts"
import { type CommandOptions, runCommand, startCommand } from "./run-command.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-dev-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const app = [process.execPath, join(import.meta.dirname, "apps/dev-app.ts")]

const startDev = (command: ReadonlyArray<string>, options?: CommandOptions, port = 0) => {
  const started = startCommand(["dev", "--port", String(port), "--data", data, "--", ...command], options)
  onTestFinished(async () => {
    started.child.kill("SIGKILL")
    await started.ended
  })
  return started
}

/** Prints what it was given, then ends with exit code 3. */
const tellEnvironment = [
  process.execPath,
  "-e",
  "const { SLUICE_TOKEN, SLUICE_INGEST_URL, SLUICE_ALLOWED_HOSTS } = process.env;" +
    "console.log(JSON.stringify({ SLUICE_TOKEN, SLUICE_INGEST_URL, SLUICE_ALLOWED_HOSTS })); process.exitCode = 3",
]

const toldEnvironment = (
  stdout: string,
): { SLUICE_TOKEN?: string; SLUICE_INGEST_URL?: string; SLUICE_ALLOWED_HOSTS?: string } =>
  JSON.parse(stdout.split("\n").find((line) => line.startsWith("{"))!)

const uploadTo = async (url: string): Promise<unknown> => {
  const [file] = await (
    await fetch(`${url}/?actionType=upload&slug=avatar`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ files: [{ name: "a.txt", size: 5, type: "text/plain" }] }),
    })
  ).json()
  const stored = await fetch(file.url, { method: "PUT", body: "hello", headers: { "content-type": "text/plain" } })
  return stored.json()
}

describe("sluice dev", () => {
  it.each([
    ["over a development stream", "development"],
    ["by callbacks", "production"],
  ])("is all an app needs: a file is uploaded and the app told %s", async (_how, mode) => {
    const dev = startDev(app, { env: { NODE_ENV: mode } })
    const { app: url }: { app: string } = JSON.parse(await dev.line((line) => line.startsWith("{")))
    expect(await uploadTo(url)).toMatchObject({ name: "a.txt", size: 5, serverData: { user: 7, name: "a.txt" } })
    dev.child.kill("SIGTERM")
    expect((await dev.ended).code).toBe(7)
    await expect(fetch(url)).rejects.toThrow()
  })

  it("gives the server the token it keeps, and takes the server's exit code for its own", async () => {
    const { code, stdout } = await startDev(tellEnvironment).ended
    expect(code).toBe(3)
    const { SLUICE_TOKEN, SLUICE_INGEST_URL } = toldEnvironment(stdout)
    expect(SLUICE_TOKEN).toBe((await readFile(join(data, "token"), "utf8")).trim())
    expect(SLUICE_INGEST_URL).toBeUndefined()
    expect(parseToken(SLUICE_TOKEN)).toMatchObject({
      value: { ingestUrl: expect.stringMatching(/^http:\/\/localhost:\d+$/) },
    })
  })

  it("passes a token of the environment on, and says where the ingest is when the token does not", async () => {
    const token = encodeToken({
      apiKey: "sk_secret",
      appId: "given",
      regions: ["local"],
      ingestUrl: "https://files.example.com",
    })
    const { stdout } = await startDev(tellEnvironment, { env: { SLUICE_TOKEN: token } }).ended
    expect(toldEnvironment(stdout)).toEqual({
      SLUICE_TOKEN: token,
      SLUICE_INGEST_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      SLUICE_ALLOWED_HOSTS: "localhost:*,127.0.0.1:*,[::1]:*",
    })
    await expect(access(join(data, "token"))).rejects.toThrow()
  })

  it("leaves it to the environment where the app is called, if that says so", async () => {
    const listed = await startDev(tellEnvironment, { env: { SLUICE_ALLOWED_HOSTS: "app.example" } }).ended
    expect(toldEnvironment(listed.stdout).SLUICE_ALLOWED_HOSTS).toBe("app.example")
    const configured = await startDev(tellEnvironment, { env: { SLUICE_CALLBACK_URL: "https://app.example/" } }).ended
    expect(toldEnvironment(configured.stdout).SLUICE_ALLOWED_HOSTS).toBeUndefined()
  })

  it.each([
    ["a server of one's own", "env-of.js", undefined, "development"],
    ["a server that has been told", "env-of.js", "production", "production"],
    ["a tool that knows its own", "next", undefined, undefined],
  ])("tells %s that this is development", async (_whose, file, given, expected) => {
    await writeFile(join(folder, file), "console.log(JSON.stringify({ is: process.env.NODE_ENV }))")
    const options = { cwd: folder, env: { NODE_ENV: given ?? "" } }
    const { stdout } = await startDev([process.execPath, file], options).ended
    expect(JSON.parse(stdout.split("\n").find((line) => line.startsWith("{"))!).is || undefined).toBe(expected)
  })

  it("looks into the script that it is to start", async () => {
    const scripts = { tool: "node ./next start", own: "node own.cjs" }
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, scripts }))
    const print = "console.log(JSON.stringify({ is: process.env.NODE_ENV || null }))"
    for (const file of ["next", "own.cjs"]) await writeFile(join(folder, file), print)
    const told = async (...command: ReadonlyArray<string>) =>
      (await startDev(command, { cwd: folder, env: { NODE_ENV: "" } }).ended).stdout
    expect(await told("npm", "run", "tool")).toContain('{"is":null}')
    expect(await told("npm", "run", "own")).toContain('{"is":"development"}')
  })

  it("finds the commands of the packages of a folder and those above", async (test) => {
    if (process.platform === "win32")
      return skipLacking(test, "the command it finds is a shell script, which Windows does not run.")
    const bin = join(folder, "node_modules/.bin")
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, "greet"), '#!/bin/sh\necho "hello $1"\nexit 4\n')
    await chmod(join(bin, "greet"), 0o755)
    await mkdir(join(folder, "packages/app"), { recursive: true })
    const { code, stdout } = await startDev(["greet", "two words"], { cwd: join(folder, "packages/app") }).ended
    expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining("hello two words\n") })
  })

  it("does not start the server when the ingest cannot start", async () => {
    await writeFile(data, "in the way")
    const { code, stdout, stderr } = await startDev(tellEnvironment).ended
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^sluice: The data folder .* cannot be used: .*\n$/)
  })

  it("says which command there is not", async () => {
    const { code, stderr } = await startDev(["no-such-server"]).ended
    expect(code).toBe(1)
    expect(stderr).toBe(
      'sluice: "no-such-server" cannot be started: there is no such command. Is it installed in this project?\n',
    )
  })

  it("ends as a shell would tell it when a signal ended the server", async () => {
    const { code } = await startDev([process.execPath, "-e", "process.kill(process.pid, 'SIGKILL')"]).ended
    expect(code).toBe(137)
  })

  it("runs the ingest alone without a command, and tells how to hand the token over", async () => {
    const dev = startCommand(["dev", "--port", "0", "--data", "data"], { cwd: folder })
    await dev.line((line) => line.includes("Ctrl-C"))
    dev.child.kill("SIGINT")
    const { code, stdout } = await dev.ended
    expect(code).toBe(0)
    expect(stdout).toContain(`export SLUICE_TOKEN="$(cat data/token)"`)
  })

  it("leaves the options behind the server's command to the server", async () => {
    const { code, stdout } = await runCommand(
      ["dev", "--port", "0", "--data", data, process.execPath, "-p", "process.argv.slice(1).join()", "--", "--port"],
      {},
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("--port\n") })
  })
})
