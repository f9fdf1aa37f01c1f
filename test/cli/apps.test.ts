import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parseOrigin } from "../../src/cli/apps/app-options.ts"
import { createAppWithKey } from "../../src/cli/apps/run-apps-create.ts"
import { toDeployment } from "../../src/cli/deployment/deployment.ts"
import { createKeyId } from "../../src/ingest.ts"
import { encodeToken, type Token } from "../../src/protocol.ts"
import { askCommand, type CommandOptions, readPrintedToken, runCommand } from "./run-command.ts"
import { beginFile, type OpenData, openData, storeFile } from "./stored-files.ts"

const own: Token = {
  apiKey: "sk_own-secret",
  appId: "own",
  regions: ["eu"],
  ingestUrl: "https://{region}.files.example",
}

let folder: string
let data: OpenData
// It stays open all the while, as an ingest's would.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-apps-"))
  data = openData(join(folder, "data"))
  await writeFile(join(data.path, "token"), `${encodeToken(own)}\n`, { mode: 0o600 })
})
afterEach(async () => {
  await data.catalog.close()
  await rm(folder, { recursive: true })
})

const run = (args: ReadonlyArray<string>, options?: CommandOptions) =>
  runCommand([...args, "--data", data.path], { cwd: folder, ...options })

const ask = (...args: ReadonlyArray<string>) => askCommand([...args, "--data", data.path], { cwd: folder })

const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }

describe("sluice apps", () => {
  it("lists the ingest's own app, which no command has touched, with a mark, and the others with what they store", async () => {
    await data.catalog.createApp({ ...settings, id: "acme", name: "Ac\u001b[31m\u202Eme", quota: 1024, createdAt: 1 })
    await storeFile(data, "one", { appId: "acme" })
    const { code, stdout } = await run(["apps"])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split("\n")
    expect(lines[1]).toMatch(/^own \* +1 +0 +0B +default +any$/)
    expect(lines[2]).toMatch(/^acme +Ac\\u\{1b\}\[31m\\u\{202e\}me +0 +1 +5B of 1KB +default +any$/)
    expect(lines.at(-1)).toBe(`* the ingest's own app, of ${join(data.path, "token")}`)
    expect(await data.catalog.listApps()).toHaveLength(1)
    expect(await ask("apps", "list")).toEqual({
      apps: [
        expect.objectContaining({ id: "own", tokenSource: join(data.path, "token"), createdAt: null, activeKeys: 1 }),
        {
          ...settings,
          id: "acme",
          name: "Ac\u001b[31m\u202Eme",
          quota: 1024,
          tokenSource: null,
          createdAt: 1,
          activeKeys: 0,
          files: 1,
          storedBytes: 5,
          announcedBytes: 0,
        },
      ],
    })
  })

  it("finds the ingest's own app in SLUICE_TOKEN where the data folder keeps no token", async () => {
    await rm(join(data.path, "token"))
    const { stdout } = await run(["apps"], { env: { SLUICE_TOKEN: encodeToken(own) } })
    expect(stdout).toMatch(/^own \* /m)
    expect(stdout).toContain("* the ingest's own app, of SLUICE_TOKEN")
    expect((await run(["apps"])).stdout).toBe("There are no apps. `sluice apps create` makes one.\n")
  })

  it("makes an app and prints its token, which says where the ingest is, and nothing else on standard output", async () => {
    const { code, stdout, stderr } = await run(["apps", "create", "acme", "--quota", "2KB", "--default-acl", "private"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[A-Za-z0-9+/]+=*\n$/)
    const token = readPrintedToken(stdout)
    expect(token).toMatchObject({ appId: "acme", regions: ["eu"], ingestUrl: own.ingestUrl })
    expect(stderr).toContain("SLUICE_TOKEN")
    expect(stderr).not.toContain(token.apiKey)
    const [app] = await data.catalog.listApps()
    expect(app).toMatchObject({ id: "acme", quota: 2048, defaultAcl: "private", keys: [{ apiKey: token.apiKey }] })
    const shown = await run(["apps", "show", "acme"])
    expect(shown.stdout).toMatch(/^Access +private$/m)
    expect(shown.stdout).toContain(createKeyId(token.apiKey))
    expect(shown.stdout).not.toContain(token.apiKey)
    if (process.platform !== "win32") {
      expect((await stat(join(data.path, "catalog.sqlite"))).mode & 0o777).toBe(0o600)
    }
  })

  it("makes up an id; the token says what --ingest-url says, else the configuration file where there is no own token", async () => {
    const { token, appId, keyId, ingestUrl } = await ask("apps", "create", "--ingest-url", "https://else.example/")
    expect(ingestUrl).toBe("https://else.example")
    expect(readPrintedToken(token)).toMatchObject({ appId, ingestUrl })
    expect(createKeyId(readPrintedToken(token).apiKey)).toBe(keyId)
    await rm(join(data.path, "token"))
    expect(await ask("apps", "create")).toMatchObject({ ingestUrl: "http://localhost:4790", regions: ["local"] })
    await writeFile(join(folder, "sluice.config.json"), JSON.stringify({ url: "https://config.example" }))
    expect((await ask("apps", "create")).ingestUrl).toBe("https://config.example")
  })

  it("tells an id that is taken from one whose file keys would begin as another's do", async () => {
    // Two ids of one hash: see the suite of catalogs.
    for (const [first, second] of [
      ["acme", "acme"],
      ["0008t", "000fj"],
    ] as const) {
      await ask("apps", "create", first)
      const { code, stdout, stderr } = await run(["apps", "create", second])
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(first === second ? "There is an app acme already." : "like those of the app 0008t")
    }
    expect((await run(["apps", "create", "own"])).stderr).toContain("There is an app own already.")
    expect((await data.catalog.listApps()).map(({ id }) => id)).toEqual(["acme", "0008t"])
  })

  it("one of several that make the same app at once makes it, with one key", async () => {
    const ended = await Promise.all([1, 2, 3].map(() => run(["apps", "create", "acme"])))
    expect(ended.filter(({ code }) => code === 1)).toHaveLength(2)
    const [app] = await data.catalog.listApps()
    expect(app!.keys).toHaveLength(1)
    expect(ended.find(({ code }) => code === 0)!.stdout.trim()).toBe(
      encodeToken({ ...own, appId: "acme", apiKey: app!.keys[0]!.apiKey! }),
    )
  })

  it("leaves no app without a key behind when the key cannot be kept", async () => {
    const catalog = { ...data.catalog, addKey: () => Promise.reject(new Error("the disk is full")) }
    const keyless = { token: own, text: encodeToken(own), keyId: createKeyId(own.apiKey) }
    await expect(
      createAppWithKey({ ...toDeployment({ data: data.path }), catalog }, "acme", {}, keyless),
    ).rejects.toThrow("the disk is full")
    expect(await data.catalog.listApps()).toEqual([])
  })

  it("changes what is given, and puts back to the ingest's what is `default`", async () => {
    await ask("apps", "create", "acme", "--name", "Acme", "--quota", "1GB", "--callback-origin", "http://a.example")
    const origins = ["https://A.example:443/", "http://b.example:8080", "https://a.example"]
    const given = origins.flatMap((origin) => ["--callback-origin", origin])
    expect(await ask("apps", "set", "acme", "--default-acl", "private", ...given)).toMatchObject({
      name: "Acme",
      defaultAcl: "private",
      quota: 1024 ** 3,
      callbackOrigins: ["https://a.example", "http://b.example:8080"],
    })
    expect(await ask("apps", "set", "acme", "--quota", "none", "--callback-origin", "any")).toMatchObject({
      quota: "unlimited",
      callbackOrigins: null,
    })
    expect(
      await ask("apps", "set", "acme", "--quota", "default", "--default-acl", "default", "--name", ""),
    ).toMatchObject({ ...settings, id: "acme" })
    expect((await data.catalog.listApps())[0]).toMatchObject(settings)
  })

  it("takes the ingest's own app into the catalog with its key when it is changed", async () => {
    await ask("apps", "set", "own", "--quota", "5MB")
    expect(await data.catalog.listApps()).toMatchObject([
      { ...settings, id: "own", quota: 5 * 1024 ** 2, keys: [{ apiKey: own.apiKey, revokedAt: null }] },
    ])
    expect((await ask("apps")).apps).toHaveLength(1)
  })

  it.each([
    [["create", "../x"], "letters, digits"],
    [["create", "a\u001b[31m"], "letters, digits"],
    [["create", "x".repeat(65)], "at most 64"],
    [["create", "acme", "--quota", "lots"], "a size like 10GB"],
    [["create", "acme", "--default-acl", "open"], "public-read, private, default"],
    [["create", "acme", "--callback-origin", "https://a.example/api"], "write https://a.example."],
    [["create", "acme", "--callback-origin", "a.example"], "like https://app.example.com"],
    [["create", "acme", "--callback-origin", "any", "--callback-origin", "https://a.example"], "`any` alone"],
    [["create", "acme", "--ingest-url", "ftp://x"], "--ingest-url"],
    [["set", "own"], "name a setting to change"],
  ])("refuses %j with exit code 2, and says what is expected", async (args, message) => {
    const { code, stdout, stderr } = await run(["apps", ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(message)
    expect(await data.catalog.listApps()).toEqual([])
  })

  it.each([["show"], ["set", "--quota", "1GB"], ["delete"]])(
    "says in one line that there is no such app: %s",
    async (...args) => {
      const [verb = "", ...options] = args
      const { code, stdout, stderr } = await run(["apps", verb, "no\u001b[2Jne", ...options])
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toBe(
        `sluice: There is no app "no\\u001b[2Jne" in ${data.path}. \`sluice apps\` lists the existing ones.\n`,
      )
    },
  )

  it("deletes an app without files, says how many files keep another, and keeps the ingest's own", async () => {
    await ask("apps", "create", "acme")
    await storeFile(data, "one", { appId: "acme" })
    await storeFile(data, "two", { appId: "acme" })
    await beginFile(data, "three", { appId: "acme" })
    const refused = await run(["apps", "delete", "acme"])
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain("The app acme has 2 files and uploads under way")
    expect(refused.stderr).toContain("sluice files list --app acme")
    await ask("apps", "create", "empty")
    expect(await ask("apps", "delete", "empty")).toEqual({ deleted: "empty" })
    expect((await data.catalog.listApps()).map(({ id }) => id)).toEqual(["acme"])
    await ask("apps", "set", "own", "--quota", "1GB")
    expect((await run(["apps", "delete", "own"])).stderr).toContain("own is the ingest's own app")
    expect((await data.catalog.listApps()).map(({ id }) => id)).toEqual(["acme", "own"])
  })

  it("makes no data folder where there is none", async () => {
    const missing = join(folder, "missing")
    const { code, stdout, stderr } = await runCommand(["apps", "create", "acme", "--data", missing])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: There is no catalog to read at .*--data.*\n$/)
    await expect(stat(missing)).rejects.toThrow()
  })
})

describe("a callback origin", () => {
  it("that is taken is what URLs of that origin have", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const { origin } = new URL(url)
        expect(parseOrigin(origin)).toEqual({ ok: true, value: origin })
        expect(parseOrigin(`${origin}/`)).toEqual({ ok: true, value: origin })
        expect(parseOrigin(`${origin}/api?x`)).toMatchObject({ ok: false })
      }),
    )
  })

  it.each([
    "https://user@a.example",
    "https://a.example?",
    "https://a.example#x",
    "https://*.a.example",
    "javascript:alert(1)",
    "file:///etc",
    "null",
    "",
  ])("is not %j", (text) => {
    expect(parseOrigin(text)).toMatchObject({ ok: false })
  })
})
