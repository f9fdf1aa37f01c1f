import { rm } from "node:fs/promises"
import { expect, it, onTestFinished } from "vitest"
import { joinHostPort, toLocalUrl } from "../../src/cli/serve/local-url.ts"
import { parseBaseUrl, ingestSettings } from "../../src/cli/settings/settings.ts"
import { makeFolder } from "../make-folder.ts"
import { readPrintedToken, runCommand, startCommand } from "./run-command.ts"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

it.each([
  ["127.0.0.1", "http://localhost:4790"],
  ["0.0.0.0", "http://localhost:4790"],
  ["::", "http://localhost:4790"],
  ["127.0.0.2", "http://127.0.0.2:4790"],
  ["192.168.1.9", "http://192.168.1.9:4790"],
  ["::1", "http://[::1]:4790"],
  ["files.example", "http://files.example:4790"],
])("an ingest that listens on %s is at %s", (host, url) => {
  expect(toLocalUrl(host, 4790)).toBe(url)
})

it("writes an address of IPv6 in brackets before its port", () => {
  expect(joinHostPort("::1", 4790)).toBe("[::1]:4790")
})

it("puts the address that an ingest listens on into its token", async () => {
  const data = await makeFolder()
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  const { child, line, ended } = startCommand(["ingest", "--host", "127.0.0.2", "--port", "0", "--data", data])
  const [, url] = /(http:\S+)/.exec(await line((text) => text.includes("Public URL")))!
  await line((text) => text.includes("Ctrl-C"))
  expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/)
  expect((await fetch(`${url}/ready`)).status).toBe(200)
  expect(readPrintedToken((await readFile(join(data, "token"), "utf8")).trim()).ingestUrl).toBe(url)
  child.kill("SIGTERM")
  await ended
})

it.each(["6667", "4190", "5060", "5061"])("port %s, which fetch refuses, is refused", async (port) => {
  expect(ingestSettings.port.parse(port)).toMatchObject({ ok: false, detail: expect.stringContaining(port) })
  expect(parseBaseUrl(`https://files.example:${port}`)).toMatchObject({ ok: false })
})

it("any free port may be asked for, and a port that fetch refuses ends the command with a sentence", async () => {
  expect(ingestSettings.port.parse("0")).toEqual({ ok: true, value: 0 })
  const { code, stderr } = await runCommand(["ingest", "--port", "6667"])
  expect(code).toBe(2)
  expect(stderr).toContain("Expected another port: browsers and apps refuse to talk to port 6667")
})
