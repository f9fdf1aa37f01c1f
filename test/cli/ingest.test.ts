import { once } from "node:events"
import { access, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { encodeToken, parseToken, type Token } from "../../src/protocol.ts"
import { startCollector } from "../ingest/observe/collector.ts"
import { type CommandOptions, runCommand, startCommand } from "./run-command.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-cli-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

interface Listening {
  readonly url: string
  readonly port: number
  readonly data: string
  readonly tokenFile: string | null
  readonly appId: string
}

/** A running ingest on a free port, for scripts. */
const startIngest = async (args: ReadonlyArray<string> = [], options?: CommandOptions) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--data", data, ...args], options)
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const facts: Listening = JSON.parse(await command.line((line) => line.includes('"listening"')))
  return { ...command, ...facts }
}

const readToken = async (file = join(data, "token")): Promise<Token> => {
  const parsed = parseToken(await readFile(file, "utf8"))
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.value
}

describe("sluice ingest", () => {
  it("answers on the address it prints, with a problem document for what is not there", async () => {
    const { url } = await startIngest()
    const response = await fetch(`${url}/f/nothing`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND" })
  })

  it("makes a token on the first start, readable by nobody else, in a folder git ignores", async () => {
    const { url, tokenFile, appId } = await startIngest()
    expect(tokenFile).toBe(join(data, "token"))
    expect(await readToken()).toMatchObject({ appId, ingestUrl: url, regions: ["local"] })
    expect(await readFile(join(data, ".gitignore"), "utf8")).toBe("*\n")
    if (process.platform !== "win32") {
      expect((await stat(join(data, "token"))).mode & 0o777).toBe(0o600)
      expect((await stat(data)).mode & 0o777).toBe(0o700)
    }
  })

  it("keeps the token, and lets it follow to another URL with the same app and key", async () => {
    const first = await startIngest(["--url", "https://files.example.com/base/"])
    const before = await readFile(join(data, "token"), "utf8")
    first.child.kill("SIGTERM")
    await first.ended
    const again = await startIngest(["--url", "https://files.example.com/base"])
    expect(await readFile(join(data, "token"), "utf8")).toBe(before)
    again.child.kill("SIGTERM")
    await again.ended
    const { apiKey, appId } = await readToken()
    await startIngest(["--url", "https://elsewhere.example.com"])
    expect(await readToken()).toMatchObject({ apiKey, appId, ingestUrl: "https://elsewhere.example.com" })
  })

  it("tells people where the token is and how to hand it over, and prints neither token nor key", async () => {
    const command = startCommand(["ingest", "--port", "0", "--data", "data"], { cwd: folder })
    await command.line((line) => line.includes("Ctrl-C"))
    command.child.kill("SIGINT")
    const { code, stdout, stderr } = await command.ended
    expect(code).toBe(0)
    expect(stdout).toContain(`export SLUICE_TOKEN="$(cat data/token)"`)
    expect(stdout).toMatch(/Stopped\. Peak memory: \d/)
    const text = (await readFile(join(data, "token"), "utf8")).trim()
    const { apiKey } = await readToken()
    expect(stdout + stderr).not.toContain(text)
    expect(stdout + stderr).not.toContain(apiKey)
  })

  it("takes SLUICE_TOKEN, and then keeps none", async () => {
    const token = encodeToken({ apiKey: "sk_very-secret", appId: "given", regions: ["local"] })
    const { appId, tokenFile, child, ended } = await startIngest([], { env: { SLUICE_TOKEN: token } })
    expect({ appId, tokenFile }).toEqual({ appId: "given", tokenFile: null })
    await expect(access(join(data, "token"))).rejects.toThrow()
    child.kill("SIGTERM")
    expect(JSON.stringify(await ended)).not.toContain("very-secret")
  })

  it("refuses a SLUICE_TOKEN that is none: one line, exit code 1, no key", async () => {
    const token = btoa(JSON.stringify({ apiKey: "sk_very-secret", appId: "", regions: ["local"] }))
    const { code, stderr } = await runCommand(["ingest", "--port", "0", "--data", data], {
      env: { SLUICE_TOKEN: token },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: SLUICE_TOKEN is not valid\. .*`appId`.*\n$/)
    expect(stderr).not.toContain("very-secret")
  })

  it("takes its options from the environment", async () => {
    const other = join(folder, "other")
    const command = startCommand(["ingest", "--json"], {
      env: { SLUICE_PORT: "0", SLUICE_DATA: other, SLUICE_URL: "https://files.example.com" },
    })
    const facts: Listening = JSON.parse(await command.line((line) => line.includes('"listening"')))
    command.child.kill("SIGTERM")
    await command.ended
    expect(facts).toMatchObject({ url: "https://files.example.com", data: other })
  })

  it("says in one line that the port is in use, with exit code 1", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const { code, stdout, stderr } = await runCommand(["ingest", "--data", data, "--port", String(port)])
    server.close()
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toBe(
      `sluice: Port ${port} on 127.0.0.1 is in use. Stop what uses it or choose another with --port.\n`,
    )
  })

  it.each([
    ["a file in the place of the data folder", "data", "x"],
    ["a token file without a token", "data/token", "x"],
    ["a catalog that is no database", "data/catalog.sqlite", "not a database".repeat(100)],
  ])("says in one line what is wrong: %s", async (_what, path, content) => {
    if (path.includes("/")) await startIngest().then(({ child, ended }) => (child.kill("SIGTERM"), ended))
    await writeFile(join(folder, path), content)
    const { code, stderr } = await runCommand(["ingest", "--port", "0", "--data", data])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: .*\n$/)
    expect(stderr).toContain(join(folder, path))
  })

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("stops cleanly on %s and frees the port", async (signal) => {
    const { child, ended, port } = await startIngest()
    await fetch(`http://127.0.0.1:${port}/f/nothing`).then((response) => response.arrayBuffer())
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(stderr).toBe("")
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({ event: "stopped" })
    const server = createServer().listen(port, "127.0.0.1")
    await once(server, "listening")
    server.close()
  })

  it("sends its traces where OpenTelemetry's variables say, the last ones when it stops", async () => {
    const collector = await startCollector()
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "files",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=staging",
    }
    const { child, ended, port } = await startIngest([], { env })
    await fetch(`http://127.0.0.1:${port}/f/nothing`).then((response) => response.arrayBuffer())
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
    expect(collector.spans).toContainEqual(expect.objectContaining({ service: "files", name: "GET /f/{key}" }))
    expect(collector.requests[0]?.body).toContain(
      '{"key":"deployment.environment.name","value":{"stringValue":"staging"}}',
    )
  })

  it("refuses variables of OpenTelemetry that make no sense, in a sentence", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }
    const { code, stderr } = await runCommand(["ingest", "--port", "0", "--data", data], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: .*http:\/\/localhost:4318\.\n$/)
  })

  it("stops on SIGTERM under a parent that holds an IPC channel, and when that channel closes", async () => {
    const one = await startIngest([], { hasChannel: true })
    one.child.kill("SIGTERM")
    expect((await one.ended).code).toBe(0)
    const two = await startIngest([], { hasChannel: true })
    const exited = once(two.child, "exit")
    two.child.disconnect()
    expect((await exited)[0]).toBe(0)
  })

  it("ends at once on a second signal while a request is still running", async () => {
    const { child, ended, port } = await startIngest(["--log-level", "None"])
    // Headers without an end hold the connection open.
    const stalled = request({ port, host: "127.0.0.1", method: "PUT", path: "/x", headers: { "content-length": 10 } })
    stalled.on("error", () => {})
    stalled.write("half")
    const [socket] = await once(stalled, "socket")
    if (socket.connecting) await once(socket, "connect")
    child.kill("SIGINT")
    // The port is closed once the first signal has been heard. A connection a try, or a kept one would answer on.
    const probe = () => {
      const attempt = connect(port, "127.0.0.1")
      return once(attempt, "connect").then(
        () => (attempt.destroy(), "open"),
        () => "closed",
      )
    }
    await expect.poll(probe, { timeout: 10_000 }).toBe("closed")
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
    stalled.destroy()
  })
})
