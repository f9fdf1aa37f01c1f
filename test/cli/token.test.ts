import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createKeyId } from "../../src/ingest.ts"
import { encodeAppId, encodeToken, parseToken } from "../../src/protocol.ts"
import { runCommand } from "./run-command.ts"

const secret = "sk_0123456789abcdef-very-secret"
const token = encodeToken({
  apiKey: secret,
  appId: "my-app",
  regions: ["eu", "us"],
  ingestUrl: "http://localhost:4790",
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-cli-"))
})
afterAll(() => rm(folder, { recursive: true }))

describe("sluice token", () => {
  it("prints a valid token and nothing else on standard output", async () => {
    const { code, stdout, stderr } = await runCommand(["token", "--app-id", "shop", "--region", "eu"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[A-Za-z0-9+/]+=*\n$/)
    const parsed = parseToken(stdout)
    expect(parsed).toMatchObject({
      ok: true,
      value: { appId: "shop", regions: ["eu"], ingestUrl: "http://localhost:4790" },
    })
    expect(stderr).toContain("SLUICE_TOKEN")
    expect(stderr).not.toContain(stdout.trim())
  })

  it("makes another app and another key each time", async () => {
    const [one, two] = await Promise.all([runCommand(["token", "--json"]), runCommand(["token", "--json"])])
    const first = JSON.parse(one.stdout)
    const second = JSON.parse(two.stdout)
    expect(first.appId).not.toBe(second.appId)
    expect(first.token).not.toBe(second.token)
    expect(parseToken(first.token)).toMatchObject({ ok: true, value: { appId: first.appId } })
  })

  it.each([
    [["--ingest-url", "ftp://x"], "--ingest-url"],
    [["--app-id", " "], "--app-id"],
    [["--nonsense"], "--nonsense"],
  ])("refuses %j with exit code 2 and names the option", async (args, named) => {
    const { code, stdout, stderr } = await runCommand(["token", ...args])
    expect(code).toBe(2)
    expect(stdout).toBe("")
    expect(stderr).toContain(named)
  })

  it("does not repeat a token that was meant for explain", async () => {
    const { code, stdout, stderr } = await runCommand(["token", token])
    expect(code).toBe(2)
    expect(stdout + stderr).not.toContain(token)
    expect(stderr).toContain("sluice token explain")
  })
})

describe("sluice token explain", () => {
  it("says what the argument holds and hides the key", async () => {
    const { code, stdout, stderr } = await runCommand(["token", "explain", token])
    expect(code).toBe(0)
    for (const part of [
      "my-app",
      "eu, us",
      "http://localhost:4790",
      encodeAppId("my-app"),
      createKeyId(secret),
      "hidden",
    ]) {
      expect(stdout).toContain(part)
    }
    expect(stdout + stderr).not.toContain("very-secret")
  })

  it("reads standard input for -", async () => {
    const { code, stdout } = await runCommand(["token", "explain", "-", "--json"], { input: `${token}\n` })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      source: "standard input",
      appId: "my-app",
      keyId: createKeyId(secret),
      regions: ["eu", "us"],
      ingestUrl: "http://localhost:4790",
      fileKeyPrefix: encodeAppId("my-app"),
    })
  })

  it("takes SLUICE_TOKEN when nothing is given, then the token of the data folder", async () => {
    await writeFile(join(folder, "token"), encodeToken({ apiKey: secret, appId: "kept", regions: ["local"] }))
    const args = ["token", "explain", "--json", "--data", folder]
    const [variable, kept] = await Promise.all([runCommand(args, { env: { SLUICE_TOKEN: token } }), runCommand(args)])
    expect(JSON.parse(variable.stdout)).toMatchObject({ source: "SLUICE_TOKEN", appId: "my-app" })
    expect(JSON.parse(kept.stdout)).toMatchObject({ source: join(folder, "token"), appId: "kept", ingestUrl: null })
  })

  it("fails with a sentence where there is nothing to explain", async () => {
    const { code, stderr } = await runCommand(["token", "explain", "--data", join(folder, "nowhere")])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: There is no token to explain.*\n$/)
  })

  it.each([
    ["regions", { apiKey: secret, appId: "my-app", regions: [] }],
    ["apiKey", { apiKey: "pk_very-secret", appId: "my-app", regions: ["eu"] }],
    ["appId", { apiKey: secret, regions: ["eu"] }],
  ])("names the wrong field %s and keeps the key to itself", async (field, content) => {
    const { code, stdout, stderr } = await runCommand(["token", "explain", btoa(JSON.stringify(content))])
    expect(code).toBe(1)
    expect(stderr).toContain(`\`${field}\``)
    expect(stdout + stderr).not.toContain("very-secret")
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })

  it("answers in JSON for scripts when the token is wrong", async () => {
    const { code, stdout } = await runCommand(["token", "explain", "--json", `SLUICE_TOKEN='${token}'`])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, code: "INVALID_TOKEN" })
    expect(stdout).not.toContain(token)
  })
})
