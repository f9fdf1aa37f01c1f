import { describe, expect, it } from "vitest"
import { createMemoryCatalog, type IngestOptions } from "../../src/ingest.ts"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  type SealedRegistration,
  signUploadUrl,
  type UploadGrant,
} from "../../src/protocol.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import {
  answerWith,
  apiKey,
  appId,
  catalogs,
  createApp,
  createGrant,
  eventually,
  offsetOf,
  putRaw,
  randomContent,
  register,
  sign,
  startApp,
  startIngest,
} from "./circle.ts"
import { captureConsole } from "./capture-console.ts"

const sealer = createSealer(apiKey)

/** A grant whose URL says what its app wants. */
const sealed = async (
  callbackUrl: string,
  given: Partial<UploadGrant> = {},
  wish: Partial<SealedRegistration> = {},
): Promise<UploadGrant> => {
  const slug = given.slug ?? "avatar"
  const text = JSON.stringify({ callbackUrl, metadata: { by: "seal" }, ...wish })
  const seal = await sealer.seal(text, { appId, slug })
  return createGrant({ slug, seal, registrationId: "action-1", issuedAt: Date.now(), ...given })
}

/** PUTs to a URL of the app `acme`, which was sealed and signed with these keys. */
const putSealed = async (ingestUrl: string, wish: Partial<SealedRegistration>, sealing: string, signing: string) => {
  const [id, slug] = ["acme", "a"]
  const seal = await createSealer(sealing).seal(JSON.stringify({ metadata: 1, ...wish }), { appId: id, slug })
  const grant = createGrant({ appId: id, key: createFileKey(encodeAppId(id)), slug, seal, issuedAt: Date.now() })
  return putRaw(await signUploadUrl(ingestUrl, grant, createSigner(signing)), "hello")
}

const problemOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

const start = async (options: Partial<IngestOptions> = {}) => {
  const ingest = await startIngest({ callbackRetries: [1, 1, 1], ...options })
  const app = await startApp(answerWith("done"))
  return { ingest, app }
}

describe.each(catalogs)("an upload whose URL carries its registration (%s)", (_, create) => {
  it.each([
    ["small", 5],
    ["large", 300_000],
  ])("is called back and answered without any other word of its app: %s", async (_size, size) => {
    const { ingest, app } = await start({ catalog: create() })
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }
    const grant = await sealed(app.url, { size }, { metadata: { ü: [1] }, ...trace })
    const response = await putRaw(await sign(ingest.url, grant), randomContent(size))
    expect([response.status, (await response.json()).serverData]).toEqual([200, "done"])
    expect(app.received[0]!.event).toMatchObject({
      slug: "avatar",
      metadata: { ü: [1] },
      file: { key: grant.key, size },
    })
    expect(app.received[0]!.headers.get("traceparent")).toBe(trace.traceparent)
    await eventually(async () => (await ingest.catalog.get(grant.key))?.delivery?.status === "delivered")
    expect(await ingest.catalog.get(grant.key)).toMatchObject({
      registration: { callbackUrl: app.url, callbackSlug: "avatar", awaitServerData: true, isDev: false },
    })
    expect((await ingest.catalog.usage(appId)).expectedFiles).toBe(0)
  })

  it("is not waited for where the app does not want that, and goes to another slug where it says so", async () => {
    const { ingest, app } = await start({ catalog: create() })
    const grant = await sealed(app.url, {}, { awaitServerData: false, callbackSlug: "other" })
    expect((await (await putRaw(await sign(ingest.url, grant), "hello")).json()).serverData).toBeNull()
    await app.until(1)
    expect(app.received[0]!.event.slug).toBe("other")
  })

  it("goes on where its connection broke, by a URL that was renewed, and is called back once", async () => {
    const { ingest, app } = await start({ catalog: create() })
    const content = randomContent(200_000)
    const grant = await sealed(app.url, { size: content.length })
    const cut = await putRaw(await sign(ingest.url, grant), content.subarray(0, 70_000))
    expect(cut.status).toBe(409)
    expect((await ingest.catalog.usage(appId)).expectedFiles).toBe(1)
    const renewed = await sign(ingest.url, { ...grant, expires: grant.expires + 60_000 })
    const offset = await offsetOf(renewed)
    expect(offset).toBe(70_000)
    expect((await putRaw(renewed, content.subarray(offset), offset)).status).toBe(200)
    expect(app.received).toHaveLength(1)
    expect(await ingest.catalog.usage(appId)).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
  })

  it("belongs to what the app has registered by a request, if that came first; a later request changes nothing", async () => {
    const { ingest, app } = await start({ catalog: create() })
    const other = await startApp(answerWith("other"))
    const ours = { id: "action-1", callbackUrl: other.url, metadata: { by: "request" }, awaitServerData: true }
    const first = await sealed(app.url)
    await register(ingest.url, { ...ours, fileKeys: [first.key] })
    expect((await (await putRaw(await sign(ingest.url, first), "hello")).json()).serverData).toBe("other")
    const second = await sealed(app.url)
    expect((await (await putRaw(await sign(ingest.url, second), "hello")).json()).serverData).toBe("done")
    await register(ingest.url, { ...ours, fileKeys: [second.key] })
    expect((await (await putRaw(await sign(ingest.url, second), null, 5)).json()).serverData).toBe("done")
    expect([app.received.length, other.received.length]).toEqual([1, 1])
  })

  it("that is never finished ends with an error event", async () => {
    const { ingest, app } = await start({ catalog: create(), sweepInterval: 20, unfinishedTtl: 50 })
    const grant = await sealed(app.url, { size: 100_000, expires: Date.now() + 400 })
    expect((await putRaw(await sign(ingest.url, grant), randomContent(70_000))).status).toBe(409)
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ status: "failed", fileKey: grant.key, metadata: { by: "seal" } })
  })

  it("whose content is refused ends with an error event", async () => {
    const { ingest, app } = await start({ catalog: create() })
    const grant = await sealed(app.url, { type: "image/png" })
    expect(await problemOf(await putRaw(await sign(ingest.url, grant), "%PDF-"))).toBe("415 CONTENT_MISMATCH")
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ status: "failed", error: { code: "CONTENT_MISMATCH" } })
  })

  it("does not come back after its file was deleted, whatever the clock of its app says", async () => {
    const { ingest, app } = await start({ catalog: create() })
    const grant = await sealed(app.url)
    const url = await sign(ingest.url, grant)
    await putRaw(url, "hello")
    await ingest.catalog.deleteFiles({ appId, files: [{ fileKey: grant.key }], now: Date.now() })
    expect(await problemOf(await putRaw(url, "hello"))).toBe("404 NOT_FOUND")
    const ahead = await sign(ingest.url, { ...grant, issuedAt: Date.now() + 60_000 })
    expect(await problemOf(await putRaw(ahead, "hello"))).toBe("404 NOT_FOUND")
    expect((await fetch(ahead, { method: "HEAD" })).status).toBe(404)
    expect(app.received).toHaveLength(1)
  })

  it("is an orphan at no age: nobody has to register it", async () => {
    const { ingest, app } = await start({ catalog: create(), unregisteredTtl: 1000 })
    const grant = await sealed(app.url, { issuedAt: Date.now() - 60_000 })
    expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
  })
})

describe("a URL whose seal", () => {
  const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1)
  const cases: ReadonlyArray<readonly [string, (grant: UploadGrant, callbackUrl: string) => Promise<UploadGrant>]> = [
    ["was cut", async (grant) => ({ ...grant, seal: grant.seal!.slice(0, -4) })],
    ["was changed", async (grant) => ({ ...grant, seal: flip(grant.seal!, 30) })],
    ["is of another version", async (grant) => ({ ...grant, seal: `Ag${grant.seal!.slice(2)}` })],
    ["is empty but for its frame", async (grant) => ({ ...grant, seal: grant.seal!.slice(0, 40) })],
    ["was made for another route", async (grant) => ({ ...grant, slug: "other" })],
    [
      "was made for another app",
      async (grant, url) => ({
        ...grant,
        seal: await sealer.seal(JSON.stringify({ callbackUrl: url, metadata: 1 }), { appId: "app-2", slug: "avatar" }),
      }),
    ],
    [
      "was made with another key",
      async (grant, url) => ({
        ...grant,
        seal: await createSealer("sk_other").seal(JSON.stringify({ callbackUrl: url, metadata: 1 }), {
          appId,
          slug: "avatar",
        }),
      }),
    ],
    ["holds no JSON", async (grant) => ({ ...grant, seal: await sealer.seal("{", { appId, slug: "avatar" }) })],
    [
      "holds no registration",
      async (grant) => ({ ...grant, seal: await sealer.seal("{}", { appId, slug: "avatar" }) }),
    ],
    [
      "names no address that can be called",
      async (grant) => ({
        ...grant,
        seal: await sealer.seal('{"metadata":1,"callbackUrl":"ftp://x"}', { appId, slug: "avatar" }),
      }),
    ],
  ]
  it.each(cases)("%s is refused before a byte is stored, though it is signed", async (_, change) => {
    const { ingest, app } = await start()
    const url = await sign(ingest.url, await change(await sealed(app.url), app.url))
    const response = await putRaw(url, "hello")
    expect(response.status).toBe(403)
    expect(JSON.stringify(await response.json())).not.toContain(new URL(app.url).host)
    expect((await fetch(url, { method: "HEAD" })).status).toBe(response.status)
    expect(await ingest.catalog.usage(appId)).toMatchObject({ files: 0, announcedBytes: 0, catalogBytes: 0 })
    expect(app.received).toEqual([])
  })

  it("is changed after it was signed is no URL of ours, nor is one without its seal", async () => {
    const { ingest, app } = await start()
    const grant = await sealed(app.url)
    const url = await sign(ingest.url, grant)
    const other = (await sealed(app.url)).seal!
    expect(await problemOf(await putRaw(url.replace(grant.seal!, other), "hello"))).toBe("403 INVALID_SIGNATURE")
    expect(await problemOf(await putRaw(url.replace(`&x-sluice-seal=${grant.seal!}`, ""), "hello"))).toBe(
      "403 INVALID_SIGNATURE",
    )
  })

  it("stands beside no route is malformed", async () => {
    const { ingest, app } = await start()
    const { slug: _, ...grant } = await sealed(app.url)
    expect(await problemOf(await putRaw(await sign(ingest.url, grant), "hello"))).toBe("400 BAD_REQUEST")
  })

  it("sends callbacks where the operator forbids it is refused, by origin and by network", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { callbackOrigins: ["https://acme.test", "http://127.0.0.1:8080"] })
    const ingest = await startIngest({ catalog })
    const put = (callbackUrl: string) => putSealed(ingest.url, { callbackUrl }, "sk_acme", "sk_acme")
    const refused = await put("https://elsewhere.test/api")
    const { code, detail } = await refused.json()
    expect([refused.status, code]).toEqual([403, "FORBIDDEN"])
    // Whoever has the URL need not know what the operator has configured.
    expect(detail).not.toMatch(/elsewhere|acme/)
    expect(await problemOf(await put("http://127.0.0.1:8080/api"))).toBe("403 FORBIDDEN")
  })

  it("sends callbacks where they may not go is logged once an hour, in a line that its app cannot make long", async () => {
    const printed = captureConsole()
    const catalog = createMemoryCatalog()
    await createApp(catalog, { callbackOrigins: ["https://acme.test"] })
    const ingest = await startIngest({ catalog, logLevel: "Info" })
    const put = (callbackUrl: string) => putSealed(ingest.url, { callbackUrl }, "sk_acme", "sk_acme")
    const long = `https://${"a.".repeat(500)}test/api`
    for (let count = 0; count < 20; count++) expect((await put(long)).status).toBe(403)
    // Whatever it says: it cannot use up what the log remembers for all apps.
    for (let count = 0; count < 20; count++) await put(`https://${count}.test/api`)
    const lines = printed.filter((line) => line.includes("An upload was refused for its callback URL."))
    expect(lines).toHaveLength(1)
    expect(lines[0]!.length).toBeLessThan(800)
  })

  it("and signature are of two keys of one app is refused: a key that is revoked takes its seals along", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { keys: ["sk_old", "sk_new"] })
    const { ingest, app } = await start({ catalog, callbackNetworks: "any" })
    const wish = { callbackUrl: app.url, awaitServerData: false }
    const put = (sealing: string, signing: string) => putSealed(ingest.url, wish, sealing, signing)
    expect((await put("sk_old", "sk_old")).status).toBe(200)
    expect((await put("sk_new", "sk_new")).status).toBe(200)
    expect(await problemOf(await put("sk_old", "sk_new"))).toBe("403 INVALID_SIGNATURE")
    await eventually(() => app.received.length === 2)
  })
})
