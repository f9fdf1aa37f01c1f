import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { revokeKeyOf } from "../../src/cli/apps/run-keys-revoke.ts"
import { settleKeptToken } from "../../src/cli/apps/settle-kept-token.ts"
import { toDeployment } from "../../src/cli/deployment/deployment.ts"
import { type Catalog, createKeyId, createSqliteCatalog } from "../../src/ingest.ts"
import { createFileKey, createSigner, encodeAppId, encodeToken, signUploadUrl, type Token } from "../../src/protocol.ts"
import { eventually, putRaw, register } from "../ingest/circle.ts"
import { askCommand, type CommandOptions, readPrintedToken, runCommand, startCommand } from "./run-command.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-keys-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const run = (args: ReadonlyArray<string>, options?: CommandOptions) => runCommand([...args, "--data", data], options)

const ask = (...args: ReadonlyArray<string>) => askCommand([...args, "--data", data])

const readKept = async (): Promise<Token> => readPrintedToken(await readFile(join(data, "token"), "utf8"))

/** A catalog beside the commands, as an ingest has it open. */
const openCatalog = (): Catalog => {
  const catalog = createSqliteCatalog({ file: join(data, "catalog.sqlite") })
  onTestFinished(catalog.close)
  return catalog
}

const own: Token = { apiKey: "sk_own-secret", appId: "own", regions: ["local"], ingestUrl: "http://localhost:4790" }

const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }

/** A data folder an ingest has run on. */
const makeData = async (token: Token = own): Promise<Catalog> => {
  const catalog = openCatalog()
  await writeFile(join(data, "token"), `${encodeToken(token)}\n`, { mode: 0o600 })
  return catalog
}

/** The ingest's own app with a second key, and what other commands do meanwhile. */
const makeTwoKeys = async () => {
  const catalog = await makeData()
  await catalog.createApp({ ...settings, id: "own", createdAt: 1 })
  for (const [now, apiKey] of [own.apiKey, "sk_second"].entries()) await catalog.addKey({ appId: "own", apiKey, now })
  /** The catalog, in which something happens just after it was first read. */
  const meanwhile = (happen: () => Promise<void>): Catalog => {
    let isFirst = true
    const listApps = async () => {
      const apps = await catalog.listApps()
      if (isFirst) await happen()
      isFirst = false
      return apps
    }
    return { ...catalog, listApps }
  }
  const revoke = (apiKey: string) =>
    catalog.revokeKey({ appId: "own", id: createKeyId(apiKey), now: 9, keepsLast: true })
  return { catalog, meanwhile, revoke }
}

const activeKeys = async (catalog: Catalog, appId: string): Promise<ReadonlyArray<string>> =>
  (await catalog.listApps()).find(({ id }) => id === appId)!.keys.flatMap(({ apiKey }) => apiKey ?? [])

describe("sluice keys", () => {
  it("lists keys by their ids, never a secret, and where the tokens are that hold them", async () => {
    await makeData()
    const first = createKeyId(own.apiKey)
    expect(await ask("keys", "own")).toEqual({
      appId: "own",
      keys: [{ id: first, isActive: true, createdAt: null, revokedAt: null, heldBy: [join(data, "token")] }],
    })
    const { keyId, token } = await ask("keys", "create", "own")
    await ask("keys", "revoke", "own", keyId)
    const { stdout, stderr } = await run(["keys", "list", "own"])
    expect(stdout).toMatch(new RegExp(`^${keyId} .* revoked \\d{4}-`, "m"))
    expect(stdout).toMatch(new RegExp(`^${first} .* active +${join(data, "token")}$`, "m"))
    for (const secret of [own.apiKey, readPrintedToken(token).apiKey]) expect(stdout + stderr).not.toContain(secret)
  })

  it("of an app it does not know, and one without keys, says so", async () => {
    const catalog = await makeData()
    expect((await run(["keys", "no\u009bne"])).stderr).toContain(String.raw`There is no app "no\u{9b}ne" in`)
    await catalog.createApp({ ...settings, id: "bare", createdAt: 1 })
    expect((await run(["keys", "bare"])).stdout).toBe("The app has no keys. `sluice keys create` makes one.\n")
  })
})

describe("sluice keys create", () => {
  it("prints the new token and nothing else on standard output, and what comes next beside it", async () => {
    const catalog = await makeData()
    const { code, stdout, stderr } = await run(["keys", "create", "own"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[A-Za-z0-9+/]+=*\n$/)
    const token = readPrintedToken(stdout)
    expect(token).toEqual({ ...own, apiKey: token.apiKey })
    expect(stderr).toContain(`sluice keys revoke own ${createKeyId(own.apiKey)}`)
    expect(stderr).not.toContain(token.apiKey)
    // The one in use was taken into the catalog first, so that the two are all there may be.
    expect(await activeKeys(catalog, "own")).toEqual([token.apiKey, own.apiKey])
    expect(await readKept()).toEqual(own)
  })

  it("is refused when two are active, however many ask at once", async () => {
    const catalog = await makeData()
    const ended = await Promise.all([1, 2, 3].map(() => run(["keys", "create", "own"])))
    expect(ended.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(await activeKeys(catalog, "own")).toHaveLength(2)
    const refused = ended.find(({ code }) => code === 1)!
    expect(refused.stdout).toBe("")
    expect(refused.stderr).toMatch(
      /^sluice: The app own has 2 active keys, as many as it may: key_\w+ and key_\w+\. .*\n$/,
    )
  })

  it("refuses to guess where two tokens hold different keys of the ingest's own app", async () => {
    const catalog = await makeData()
    const env = { SLUICE_TOKEN: encodeToken({ ...own, apiKey: "sk_other" }) }
    const { code, stdout, stderr } = await run(["keys", "create", "own"], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`${join(data, "token")} and SLUICE_TOKEN hold different keys of the app own.`)
    expect(await catalog.listApps()).toEqual([])
  })
})

describe("sluice keys revoke", () => {
  it("leaves the last active key alone unless told otherwise, also when both go at once", async () => {
    const catalog = await makeData()
    const first = createKeyId(own.apiKey)
    const { code, stderr } = await run(["keys", "revoke", "own", first])
    expect(code).toBe(1)
    expect(stderr).toContain(`${first} is the only active key of the app own.`)
    expect(stderr).toContain("--last")
    expect(await catalog.listApps()).toEqual([])

    const { keyId } = await ask("keys", "create", "own")
    const both = await Promise.all([first, keyId].map((id) => run(["keys", "revoke", "own", id])))
    expect(both.filter((ended) => ended.code === 0)).toHaveLength(1)
    const [last] = await activeKeys(catalog, "own")
    expect(await readKept()).toEqual({ ...own, apiKey: last })
    expect(await ask("keys", "revoke", "own", createKeyId(last!), "--last")).toMatchObject({ activeKeys: [] })
    expect(await activeKeys(catalog, "own")).toEqual([])
  })

  it("leaves the key alone that became the last while it looked", async () => {
    const { catalog, meanwhile, revoke } = await makeTwoKeys()
    const watched = meanwhile(async () => expect(await revoke("sk_second")).toBe(true))
    const id = createKeyId(own.apiKey)
    await expect(
      revokeKeyOf({ ...toDeployment({ data }), catalog: watched }, { appId: "own", id, last: false }),
    ).rejects.toThrow(`${id} is the only active key of the app own.`)
    expect(await activeKeys(catalog, "own")).toEqual([own.apiKey])
  })

  it("puts the key that stays into the data folder's token, which nobody else can read", async () => {
    await makeData()
    const { token } = await ask("keys", "create", "own")
    const first = createKeyId(own.apiKey)
    expect(await ask("keys", "revoke", "own", first)).toEqual({
      appId: "own",
      revoked: first,
      activeKeys: [createKeyId(readPrintedToken(token).apiKey)],
      tokenFile: join(data, "token"),
    })
    expect(await readFile(join(data, "token"), "utf8")).toBe(`${token}\n`)
    if (process.platform !== "win32") expect((await stat(join(data, "token"))).mode & 0o777).toBe(0o600)
    const again = await run(["keys", "revoke", "own", first])
    expect(again).toMatchObject({ code: 0, stderr: "" })
    expect(again.stdout).toContain(`${first} was revoked already`)
  })

  it("does not touch the data folder's token when it is of another key or app", async () => {
    await makeData()
    const { keyId } = await ask("keys", "create", "own")
    expect(await ask("keys", "revoke", "own", keyId)).toMatchObject({ tokenFile: null })
    const acme = await ask("apps", "create", "acme")
    expect(await ask("keys", "revoke", "acme", acme.keyId, "--last")).toMatchObject({ tokenFile: null })
    expect(await readKept()).toEqual(own)
  })

  it("ends with a key that counts in the data folder's token when another command revokes what was just written", async () => {
    const { catalog, meanwhile, revoke } = await makeTwoKeys()
    expect(await revoke(own.apiKey)).toBe(true)
    const watched = meanwhile(async () => {
      await catalog.addKey({ appId: "own", apiKey: "sk_third", now: 5 })
      expect(await revoke("sk_second")).toBe(true)
    })
    await settleKeptToken({ ...toDeployment({ data }), catalog: watched })
    expect(await readKept()).toEqual({ ...own, apiKey: "sk_third" })
  })

  it("a key made after the last was revoked becomes that of the data folder's token", async () => {
    await makeData()
    await ask("keys", "revoke", "own", createKeyId(own.apiKey), "--last")
    expect(await readKept()).toEqual(own)
    const { token } = await ask("keys", "create", "own")
    expect(await readKept()).toEqual(readPrintedToken(token))
  })

  it("does not repeat a secret that was written in the place of its id", async () => {
    await makeData()
    for (const secret of [own.apiKey, encodeToken(own)]) {
      const { code, stdout, stderr } = await run(["keys", "revoke", "own", secret])
      expect(code).toBe(2)
      expect(stdout + stderr).not.toContain(secret)
      expect(stderr).toContain("sluice token explain")
    }
    const unknown = await run(["keys", "revoke", "own", "key_0123456789ab"])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("has no key key_0123456789ab.") })
  })
})

/** A running ingest on a free port. */
const startIngest = async (args: ReadonlyArray<string> = [], options?: CommandOptions) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--data", data, ...args], options)
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const { port } = JSON.parse(await command.line((line) => line.includes('"listening"')))
  const stop = () => (command.child.kill("SIGTERM"), command.ended)
  return { ...command, origin: `http://127.0.0.1:${port}`, stop }
}

describe("replacing a key while the ingest runs", () => {
  const url = "http://files.example"

  /** Whether an upload that an app signs with the token is taken. */
  const upload = async (origin: string, { apiKey, appId }: Token): Promise<number> => {
    const key = createFileKey(encodeAppId(appId))
    const grant = { key, appId, expires: Date.now() + 60_000, name: "a.txt", size: 5, type: "text/plain" }
    const signed = await signUploadUrl(url, grant, createSigner(apiKey))
    return (await putRaw(signed.replace(url, origin), "hello")).status
  }

  it.each([["the ingest's own app"], ["another app"]])("create, deploy, revoke: %s", async (which) => {
    const { origin, stop } = await startIngest(["--url", url])
    const isOwn = which !== "another app"
    const old = isOwn ? await readKept() : readPrintedToken((await ask("apps", "create", "acme")).token)
    expect(old.ingestUrl).toBe(url)
    await eventually(async () => (await upload(origin, old)) === 200)

    const created = readPrintedToken((await ask("keys", "create", old.appId)).token)
    await eventually(async () => (await upload(origin, created)) === 200)
    expect(await upload(origin, old)).toBe(200)

    await ask("keys", "revoke", old.appId, createKeyId(old.apiKey))
    await eventually(async () => (await upload(origin, old)) === 403)
    expect(await upload(origin, created)).toBe(200)
    const fileKeys = [createFileKey(encodeAppId(old.appId))]
    expect((await register(origin, { fileKeys }, old.apiKey)).status).toBe(401)

    expect((await stop()).stderr).toBe("")
    const again = await startIngest(["--url", url])
    if (isOwn) expect(await readKept()).toEqual(created)
    expect(await upload(again.origin, created)).toBe(200)
    expect(await upload(again.origin, old)).toBe(403)
    expect((await again.stop()).stdout).not.toContain("revoked")
  })
})

describe("an ingest that starts with a revoked key", () => {
  it("takes the newest key into the data folder's token, whatever put the old one there", async () => {
    await makeData()
    const { token } = await ask("keys", "create", "own")
    await ask("keys", "revoke", "own", createKeyId(own.apiKey))
    await writeFile(join(data, "token"), `${encodeToken(own)}\n`)
    const doctor = await run(["doctor", "--json", "--url", "http://127.0.0.1:4711"])
    expect(JSON.parse(doctor.stdout).checks).toContainEqual({
      check: "Key",
      status: "failed",
      message: expect.stringContaining(`${join(data, "token")} holds ${createKeyId(own.apiKey)} of the app own`),
      advice: expect.stringContaining(createKeyId(readPrintedToken(token).apiKey)),
      help: expect.stringContaining("troubleshooting.md#"),
    })
    const { stop } = await startIngest(["--url", own.ingestUrl!])
    expect(await readFile(join(data, "token"), "utf8")).toBe(`${token}\n`)
    expect((await stop()).stdout).not.toContain("revoked")
  })

  it("says so when SLUICE_TOKEN holds it, for people and for scripts, and the doctor finds it", async () => {
    await makeData()
    await ask("keys", "create", "own")
    await ask("keys", "revoke", "own", createKeyId(own.apiKey))
    const env = { SLUICE_TOKEN: encodeToken(own) }
    const text = `SLUICE_TOKEN holds ${createKeyId(own.apiKey)} of the app own, a revoked key`
    const json = await startIngest([], { env })
    const line = await json.line((one) => one.includes('"event":"warning"'))
    expect(JSON.parse(line)).toMatchObject({ event: "warning", message: expect.stringContaining(text) })
    await json.stop()
    const people = startCommand(["ingest", "--port", "0", "--data", data], { env })
    await people.line((one) => one.includes("Ctrl-C"))
    people.child.kill("SIGTERM")
    expect((await people.ended).stderr).toContain(text)
    const dev = await runCommand(["dev", "--port", "0", "--data", data, "--", process.execPath, "-e", "0"], { env })
    expect(dev).toMatchObject({ code: 0, stderr: expect.stringContaining(text) })
    const { stdout } = await run(["doctor", "--url", "http://127.0.0.1:4711"], { env })
    expect(stdout).toContain(text)
  })
})
