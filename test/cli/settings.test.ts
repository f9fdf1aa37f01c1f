import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, onTestFinished } from "vitest"
import { decodeConfig } from "../../src/cli/settings/decode-config.ts"
import type { Setting } from "../../src/cli/settings/setting-kinds.ts"
import { ingestSettings, type SettingName } from "../../src/cli/settings/settings.ts"
import type { IngestOptions } from "../../src/ingest.ts"
import { resolveSettings as resolveIngestSettings } from "../../src/ingest/settings.ts"
import { createFileKey, createSigner, encodeAppId, envName, parseToken, signUploadUrl } from "../../src/protocol.ts"
import { ingestDefaults } from "../../src/schema/ingest-defaults.ts"
import { SluiceApi } from "../../src/api.ts"
import { eventually } from "../ingest/circle.ts"
import { answerAlways, startFakeClamd } from "../ingest/scan/fake-clamd.ts"
import { scanSecret, startUrlScanner } from "../ingest/scan/fake-url-scanner.ts"
import { sendHeld } from "../ingest/scan/held.ts"
import { type CommandOptions, runCommand, startCommand } from "./run-command.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-settings-"))
})
afterEach(() => rm(folder, { recursive: true }))

const writeConfig = (config: unknown, name = "sluice.config.json") =>
  writeFile(join(folder, name), typeof config === "string" ? config : JSON.stringify(config))

const announce = async (args: ReadonlyArray<string>, env: CommandOptions["env"] = {}) => {
  const command = startCommand(["ingest", "--json", "--port", "0", ...args], { cwd: folder, env })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  return JSON.parse(await command.line((line) => line.includes('"listening"')))
}

describe("the settings of an ingest", () => {
  it("come from flags, else the environment, else the file, and it says from where", async () => {
    await writeConfig({
      data: "from-file",
      defaultAcl: "private",
      url: "https://file.example",
      unfinishedTtl: "2 days",
    })
    const facts = await announce(["--url", "https://flag.example/"], {
      SLUICE_URL: "https://env.example",
      SLUICE_DEFAULT_ACL: "public-read",
      SLUICE_LOG_LEVEL: "",
    })
    expect(facts).toMatchObject({ url: "https://flag.example", data: join(folder, "from-file") })
    const file = join(folder, "sluice.config.json")
    expect(facts.settings).toEqual([
      { name: "port", text: "0", source: "--port" },
      { name: "data", text: "from-file", source: file },
      { name: "url", text: "https://flag.example/", source: "--url" },
      { name: "defaultAcl", text: "public-read", source: "SLUICE_DEFAULT_ACL" },
      { name: "unfinishedTtl", text: "2 days", source: file },
    ])
  })

  it("warn of variables that nothing reads, and name the nearest", async () => {
    const mine = {
      SLUICE_DEFAULTACL: "private",
      SLUICE_CALLBACKURL: "https://app.example/api/sluice",
      SLUICE_CALLBACK_URL: "https://app.example/api/sluice",
      SLUICE_FLAVOUR_OF_THE_MONTH: "plain",
      SLUICE_EMPTY: "",
      OTHER_TOKEN: "x",
    }
    const command = startCommand(["ingest", "--port", "0"], { cwd: folder, env: mine })
    await command.line((line) => line.includes("Ctrl-C"))
    command.child.kill("SIGTERM")
    const { stderr } = await command.ended
    expect(stderr.split("\n").filter((line) => line !== "")).toEqual([
      "Nothing of Sluice reads the variable SLUICE_DEFAULTACL. The nearest is SLUICE_DEFAULT_ACL.",
      "Nothing of Sluice reads the variable SLUICE_CALLBACKURL. The nearest is SLUICE_CALLBACK_URL.",
      "Nothing of Sluice reads the variable SLUICE_FLAVOUR_OF_THE_MONTH.",
    ])
    const json = startCommand(["ingest", "--json", "--port", "0"], { cwd: folder, env: mine })
    const line = await json.line((one) => one.includes('"event":"warning"'))
    json.child.kill("SIGTERM")
    await json.ended
    expect(JSON.parse(line)).toMatchObject({ event: "warning", message: stderr.trim().split("\n")[0] })
  })

  it("are not confused by what Kubernetes says of a Service named sluice", async () => {
    const env = { SLUICE_PORT: "tcp://10.0.0.7:4790", SLUICE_PORT_4790_TCP: "tcp://10.0.0.7:4790" }
    const given = startCommand(["ingest", "--port", "0"], { cwd: folder, env })
    await given.line((line) => line.includes("Ctrl-C"))
    given.child.kill("SIGTERM")
    expect(await given.ended).toMatchObject({ code: 0, stderr: "" })
    // A port of its own, so that nobody else has it: the file of a project in development.
    const unsaid = startCommand(["dev", "--data", "other"], { cwd: folder, env: { ...env, XDG_STATE_HOME: folder } })
    await unsaid.line((line) => line.includes("Ctrl-C"))
    unsaid.child.kill("SIGTERM")
    const { code, stderr } = await unsaid.ended
    expect(code).toBe(0)
    expect(stderr.trim()).toBe(
      "SLUICE_PORT=tcp://10.0.0.7:4790 comes from Kubernetes, for a Service named sluice, and is not a port: it is ignored. " +
        "Set the port with --port, or let the pod have no such variables: enableServiceLinks: false.",
    )
  })

  it("are shown to people where they are not the default", async () => {
    await writeConfig({ callbackRetries: ["1s", "2s"] }, "other.json")
    const command = startCommand(["ingest", "--port", "0", "--config", "other.json"], { cwd: folder })
    await command.line((line) => line.includes("Ctrl-C"))
    command.child.kill("SIGTERM")
    const { stdout } = await command.ended
    expect(stdout).toMatch(/^ +Set +port = 0 +\(--port\)\n +callbackRetries = 1s, 2s +\(other\.json\)$/m)
  })

  it("reach the ingest and its catalog: who may read, where bytes are kept", async () => {
    await writeConfig({ defaultAcl: "private", largestContent: 4 })
    const { url, tokenFile, data } = await announce([])
    const parsed = parseToken(await readFile(tokenFile, "utf8"))
    if (!parsed.ok) throw new Error(parsed.detail)
    const { appId, apiKey } = parsed.value
    const key = createFileKey(encodeAppId(appId))
    const grant = { key, appId, expires: Date.now() + 60_000, name: "a.txt", size: 5, type: "text/plain" }
    const signed = await signUploadUrl(url, grant, createSigner(apiKey))
    const put = await fetch(signed, { method: "PUT", body: "hello", headers: { "content-type": "text/plain" } })
    expect(put.status).toBe(200)
    expect((await fetch((await put.json()).url)).status).toBe(403)
    // Five bytes are too many for the catalog, so they are a file.
    expect(await readdir(join(data, "files"))).toHaveLength(1)
  })

  it.each([
    ["a port that is none", { port: 70_000 }, "port: expected a whole number from 0 to 65535."],
    ["a duration that is none", { unfinishedTtl: "soon" }, 'unfinishedTtl: "soon" is not a duration.'],
    ["a setting there is not", { prot: 1 }, "prot: there is no such setting."],
    ["text that is no JSON", "{ port: 1 }", "is not JSON"],
    ["no object", [], "Expected object."],
  ])("are refused in a file with %s, which names file and field", async (_what, config, message) => {
    await writeConfig(config)
    const { code, stderr } = await runCommand(["ingest"], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: .*\n$/)
    expect(stderr).toContain(join(folder, "sluice.config.json"))
    expect(stderr).toContain(message)
  })

  it("are refused when the file that was named is not there", async () => {
    const { code, stderr } = await runCommand(["ingest", "--config", "no.json"], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `sluice: The configuration file ${join(folder, "no.json")} cannot be read: it does not exist.\n`,
    )
  })

  it("are wrong usage when a flag or a variable is wrong", async () => {
    expect(await runCommand(["ingest", "--callback-wait", "soon"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a duration"),
    })
    expect(await runCommand(["ingest"], { env: { SLUICE_DEFAULT_ACL: "open" } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/SLUICE_DEFAULT_ACL.*Expected one of public-read, private\./),
    })
  })

  it("are all in the help with their variable, and with the default that createIngest uses", async () => {
    const { stdout } = await runCommand(["ingest", "--help-all"])
    const help = stdout.replace(/\s+/g, " ")
    const used: Readonly<Record<string, unknown>> = { ...resolveIngestSettings({}) }
    const compared: Array<string> = []
    for (const [name, setting] of Object.entries<Setting<unknown>>(ingestSettings)) {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <`
      const [, entry = ""] = help.split(flag)
      const [, initial] = /^[^>]*>(?:(?! --[a-z]).)*?\(default: ([^)]+?)(?:, env: \w+)?\)/.exec(entry) ?? []
      expect(help).toContain(`env: ${envName(name)}`)
      if (setting.initial === undefined) continue
      expect(initial, name).toBe(setting.initial)
      expect(decodeConfig({ [name]: initial })).toMatchObject({ ok: true })
      if (!(name in used)) continue
      compared.push(name)
      expect(setting.parse(initial!), name).toEqual({ ok: true, value: used[name] })
    }
    expect(compared.toSorted()).toEqual(Object.keys(ingestDefaults).toSorted())
  })

  it("let in who sends the token for the metrics, which has to be long", async () => {
    const { url } = await announce([], { SLUICE_METRICS_TOKEN: "0123456789abcdef" })
    const ask = async (token: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
    expect([await ask("0123456789abcdef"), await ask("else")]).toEqual([200, 401])
    const other = ["ingest", "--port", "0", "--data", join(folder, "other")]
    const short = await runCommand(other, { cwd: folder, env: { SLUICE_METRICS_TOKEN: "short" } })
    expect(short).toMatchObject({ code: 1, stderr: expect.stringMatching(/^sluice: .*at least 16 characters.*\n$/) })
  })

  it("name the scanner of held files", async () => {
    const clamd = await startFakeClamd(answerAlways("stream: Test.Signature FOUND"))
    const { url } = await announce(["--scan-clamd", clamd.text])
    const token = (await readFile(join(folder, ".sluice/token"), "utf8")).trim()
    const parsed = parseToken(token)
    if (!parsed.ok) throw new Error(parsed.detail)
    const { apiKey, appId } = parsed.value
    const { key } = await sendHeld({ url }, "hello", { appId, key: createFileKey(encodeAppId(appId)) }, apiKey)
    const api = new SluiceApi({ token, ingestUrl: url })
    await eventually(async () =>
      (await api.listFiles()).files.some((file) => file.key === key && file.status === "Failed"),
    )
    expect(clamd.scans).toHaveLength(1)
    expect(await runCommand(["ingest"], { env: { SLUICE_SCAN_CLAMD: "localhost:3310" } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/SLUICE_SCAN_CLAMD.*Expected unix:.* or tcp:/),
    })
  })

  it("name a scanner that has a URL, whose secret is a variable and is shown nowhere", async () => {
    const scanner = await startUrlScanner((asked) =>
      asked.answer(200, { verdict: "reject", reason: "It is not wanted." }),
    )
    const command = startCommand(
      ["ingest", "--json", "--port", "0", "--scan-url", `${scanner.url}?code=of-the-service`],
      {
        cwd: folder,
        env: { SLUICE_SCAN_SECRET: scanSecret, SLUICE_LOG_LEVEL: "All" },
      },
    )
    const { url } = JSON.parse(await command.line((line) => line.includes("listening")))
    const token = (await readFile(join(folder, ".sluice/token"), "utf8")).trim()
    const parsed = parseToken(token)
    if (!parsed.ok) throw new Error(parsed.detail)
    const { apiKey, appId } = parsed.value
    const { key } = await sendHeld({ url }, "hello", { appId, key: createFileKey(encodeAppId(appId)) }, apiKey)
    const api = new SluiceApi({ token, ingestUrl: url })
    await eventually(async () =>
      (await api.listFiles()).files.some((file) => file.key === key && file.status === "Failed"),
    )
    expect(scanner.asked[0]!.message.readUrl.startsWith(`${url}/scan/${key}/`)).toBe(true)
    command.child.kill("SIGTERM")
    const { stdout, stderr } = await command.ended
    expect(stdout).toContain("It is not wanted.")
    expect(stdout).toContain(`${scanner.url}?…`)
    // What other commands know of it, without being told.
    const doctor = await runCommand(["doctor", "--json"], { cwd: folder })
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ check: "Scanner", status: "ok", message: expect.stringContaining(scanner.url) }),
    )
    expect(scanner.asked).toHaveLength(1)
    const note = await readFile(join(folder, ".sluice/started-with.json"), "utf8")
    const said = stdout + stderr + doctor.stdout + note
    for (const secret of [scanSecret.slice(6), "of-the-service"]) expect(said).not.toContain(secret)
  })

  it.each([
    [["--scan-url", "https://x/", "--scan-clamd", "tcp://127.0.0.1:3310"], scanSecret, "both set"],
    [["--scan-url", "https://x/"], "", "SLUICE_SCAN_SECRET"],
    [["--scan-url", "https://x/"], "whsec_c2hvcnQ=", "SLUICE_SCAN_SECRET cannot be used"],
    [["--scan-ingest-url", "https://x/"], scanSecret, "set scanUrl too"],
  ])("refuse a scanner that is none: %j", async (args, secret, message) => {
    const { code, stderr } = await runCommand(["ingest", "--port", "0", ...args], {
      cwd: folder,
      env: { SLUICE_SCAN_SECRET: secret },
    })
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^sluice: .*${message}.*\\n$`))])
    if (secret !== "") expect(stderr).not.toContain(secret.slice(6))
  })

  // Traces are set up by the variables of OpenTelemetry; `scan` is made of `scanClamd` and `scanUrl`; a command is a process.
  it("are all that an operator can decide of an ingest", () => {
    type Decided = Exclude<
      keyof IngestOptions,
      "token" | "store" | "catalog" | "fetch" | "resolveHost" | "tracing" | "scan" | "background"
    >
    expectTypeOf<Decided>().toExtend<SettingName>()
  })
})
