import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import * as fc from "fast-check"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { createIngest, createMemoryBlobStore } from "../../src/ingest.ts"
import { encodeToken, type UploadGrant } from "../../src/protocol.ts"
import type { FileLabels } from "../../src/protocol/files/file-labels.ts"
import { sealPrefixUrl } from "../../src/protocol/signing/prefix-grant.ts"
import { createSealer, type SealContext } from "../../src/protocol/signing/seal.ts"
import {
  apiKey,
  appId,
  catalogs,
  createApp,
  createGrant,
  putRaw,
  register,
  sign,
  startIngest,
  token,
} from "./circle.ts"
import { captureConsole } from "./capture-console.ts"
import { labelled } from "./labelled.ts"

const hour = 3_600_000

/** A request whose target goes over the wire as it is: `fetch` would tidy it up. */
const ask = (url: string, path: string, headers: Record<string, string> = {}): Promise<number> => {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sending = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!))
    })
    sending.once("error", reject).end()
  })
}

/** The status of a request line that `node:http` would not write. */
const askRaw = (url: string, path: string): Promise<number> => {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`, "utf8"),
      ),
    )
    let text = ""
    socket.on("data", (bytes) => (text += bytes)).once("error", reject)
    socket.once("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])))
  })
}

const problemOf = async (url: string) => {
  const response = await fetch(url)
  const { code } = await response.json()
  return [response.status, code]
}

/** Paths below `v/1/` that are none. */
const tricks = [
  "../secret",
  "../../secret",
  "../10/a",
  "../1/a",
  "%2e%2e/secret",
  "%2E%2E/%2e%2e/secret",
  ".%2e/10/a",
  "..%2f10%2fa",
  "%2e%2e%2fa",
  "./a",
  "%2e/a",
  ".",
  "..",
  "/a",
  "//a",
  "%2fa",
  "%2Fa",
  "%5ca",
  "..%5c10%5ca",
  "a%00",
  "a%0a",
  "a%7f",
  "a%C2%85",
  "a/",
  "a/.",
  "a%",
  "a%zz",
  "%c0%ae%c0%ae/secret",
  "%ff",
  "%ed%a0%80",
  "a%2f..%2fa",
  "a;x",
  "a".repeat(1025),
  "a/".repeat(64) + "a",
]

const playlist = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=2000000
720p/index.m3u8
`
const rendition = `#EXTM3U
#EXTINF:4,
seg1.ts
#EXTINF:4,
seg 2 #ü?.ts
`

describe.each(catalogs)("a signed prefix (%s)", (_, create) => {
  const start = async (options: Partial<Parameters<typeof startIngest>[0]> = {}) => {
    const ingest = await startIngest({ catalog: create(), defaultAcl: "private", sweepInterval: 1_000_000, ...options })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const store = async (path: string, content: string, labels: FileLabels = {}, given: Partial<UploadGrant> = {}) => {
      const grant = await labelled({ path, ...labels }, { size: Buffer.byteLength(content), ...given })
      expect((await putRaw(await sign(ingest.url, grant), content)).status).toBe(200)
      return grant.key
    }
    const read = async (url: string) => {
      const response = await fetch(url)
      const text = await response.text()
      return response.ok ? text : response.status
    }
    return { ingest, api, store, read }
  }

  it("plays a stream: what a playlist names is found relative to its URL, as players do it", async () => {
    const { api, store, read } = await start()
    const type = "application/vnd.apple.mpegurl"
    await store("videos/42/master.m3u8", playlist, {}, { type, name: "master.m3u8" })
    await store("videos/42/720p/index.m3u8", rendition, {}, { type, name: "index.m3u8" })
    await store("videos/42/720p/seg1.ts", "one", {}, { type: "video/mp2t", name: "seg1.ts" })
    await store("videos/42/720p/seg 2 #ü?.ts", "two", {}, { type: "video/mp2t", name: "seg2.ts" })
    const base = await api.generateSignedPrefixURL("videos/42/", { expiresIn: "1 hour" })
    const master = new URL("master.m3u8", base)
    const linesOf = async (url: URL) => {
      const response = await fetch(url)
      expect(response.headers.get("content-type")).toBe(type)
      return (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    }
    const [index] = (await linesOf(master)).map((line) => new URL(line, master))
    const segments = (await linesOf(index!)).map(
      (line) => new URL(line.split("/").map(encodeURIComponent).join("/"), index),
    )
    expect(await Promise.all(segments.map(({ href }) => read(href)))).toEqual(["one", "two"])
    // A query of the player's own plays no part.
    expect(await read(`${segments[0]!.href}?_=1`)).toBe("one")
    const { headers } = await fetch(segments[0]!, { headers: { range: "bytes=1-" } })
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "video/mp2t",
      "content-range": "bytes 1-2/3",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "content-disposition": "inline; filename=seg1.ts",
      "cross-origin-resource-policy": "cross-origin",
      "content-security-policy": expect.stringContaining("sandbox"),
      "cache-control": "private, no-cache",
      "referrer-policy": "no-referrer",
    })
  })

  it("says nothing of prefix and owner, and is another each time", async () => {
    const { ingest, api } = await start()
    const make = () => api.generateSignedPrefixURL("users/7/gallery/", { owner: "user-7" })
    const url = await make()
    expect(url).toMatch(new RegExp(`^${ingest.url}/p/${appId}/[\\w-]+/$`))
    const grant = url.split("/").at(-2)!
    expect(url + Buffer.from(grant, "base64url").toString("latin1")).not.toMatch(/users|gallery|user-7|prefix|expires/)
    expect(await make()).not.toBe(url)
  })

  it("reads what is below it and nothing else, whatever the ACL of the file", async () => {
    const { ingest, api, store, read } = await start()
    await store("users/7/a", "mine")
    await store("users/7/b", "public", {}, { acl: "public-read" })
    await store("users/7/deep/er/c", "deep")
    await store("users/77/a", "of 77")
    await store("users/7", "the folder's own name")
    await store("a", "root")
    const pathless = createGrant({ size: 1 })
    await putRaw(await sign(ingest.url, pathless), "x")
    const base = await api.generateSignedPrefixURL("users/7/")
    for (const [path, found] of [
      ["a", "mine"],
      ["b", "public"],
      ["deep/er/c", "deep"],
      ["A", 404],
      ["deep/er", 404],
      ["deep/er/", 404],
      ["deep//er/c", 404],
      ["/a", 404],
      ["", 404],
      ["7/a", 404],
      ["users/7/a", 404],
      [pathless.key, 404],
      ["%61", "mine"],
      ["%2561", 404],
    ] as const)
      expect([path, await read(base + path)]).toEqual([path, found])
    expect(await read(base.slice(0, -1))).toBe(404)
    // Its grant opens nothing elsewhere.
    const grant = base.split("/").at(-2)!
    expect(await read(`${ingest.url}/f/${grant}`)).toBe(404)
    expect(await read(`${ingest.url}/a/${appId}/${grant}`)).toBe(404)
    expect((await putRaw(base, "x")).status).toBe(405)
    expect((await fetch(`${base}a`, { method: "DELETE" })).status).toBe(405)
  })

  it("has no way out, however the path is written", async () => {
    const { ingest, api, store } = await start()
    for (const path of ["secret", "v/1/a", "v/10/a", "v/%2e%2e/b", "v/1/..a", "v/1/%2e%2e%2fa"]) await store(path, "x")
    const base = (await api.generateSignedPrefixURL("v/1/")).slice(ingest.url.length)
    const statusOf = (path: string) => ask(ingest.url, base + path)
    expect(await statusOf("a")).toBe(200)
    expect(await statusOf("..a")).toBe(200)
    // Decoded once: a name that is an escape is a name.
    expect(await statusOf("%252e%252e%252fa")).toBe(200)
    for (const path of tricks) {
      // The bridge to Node refuses steps of a path before anything reads it.
      const expected = /^(?:[^%]*\/)?(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? 400 : 404
      expect([path, await statusOf(path)]).toEqual([path, expected])
    }
    for (const path of ["..\\10\\a", "\\a", "a\\..\\a", "é", "a\u0000"]) {
      const status = await askRaw(ingest.url, base + path)
      expect([path, status === 404 || status === 400]).toEqual([path, true])
    }
  })

  it("has no way out where a server hands on the path as it came", async () => {
    const url = "https://files.example"
    const ingest = createIngest({
      token,
      url,
      store: createMemoryBlobStore(),
      catalog: create(),
      logLevel: "None",
      defaultAcl: "private",
    })
    onTestFinished(ingest.close)
    for (const path of ["secret", "v/1/a", "v/10/a", "v/a"]) {
      const signed = await sign(url, await labelled({ path }))
      expect((await ingest.fetch(new Request(signed, { method: "PUT", body: "hello" }))).status).toBe(200)
    }
    const base = await new SluiceApi({ token, ingestUrl: url }).generateSignedPrefixURL("v/1/")
    const request = { method: "GET", headers: new Headers(), body: null, bodyUsed: false }
    const statusOf = async (path: string) => (await ingest.fetch.respond({ ...request, url: base + path })).status
    expect(await statusOf("a")).toBe(200)
    for (const path of [...tricks, "..\\10\\a", "\\a", "a\\..\\a", "\ud800", "a\u0000"])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  it("finds any path that a file can have, and no text that is none", async () => {
    const { ingest, api, store } = await start()
    const base = await api.generateSignedPrefixURL("v/1/")
    await store("v/a", "outside")
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "%2e", "\\", "a b", "é", "e\u0301", "a?b#c", "c:", "~", "'", "\u0000", "+"),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 4 }), async (segments) => {
        fc.pre(segments.every((text) => text.isWellFormed()))
        const target = (base + segments.map(encodeURIComponent).join("/")).slice(ingest.url.length)
        const content = crypto.randomUUID()
        const path = `v/1/${segments.join("/")}`
        const grant = await labelled({ path }, { size: content.length })
        const stored = (await putRaw(await sign(ingest.url, grant), content)).status
        // A path that cannot be a label cannot be asked for either. A slash within a segment is none of its own.
        const isAsked = segments.every((text) => !text.includes("/"))
        const status = await ask(ingest.url, target)
        if (stored === 200 && isAsked) expect(status).toBe(200)
        else expect([400, 404]).toContain(status)
      }),
      { numRuns: 80 },
    )
  })

  it("reads the files of its owner alone where it names one", async () => {
    const { api, store, read } = await start()
    await store("albums/summer/a", "of 7", { owner: "user-7" })
    await store("albums/summer/a", "of 8", { owner: "user-8" })
    await store("albums/summer/b", "of 8", { owner: "user-8" })
    await store("albums/summer/c", "of nobody")
    const of = (owner?: string) =>
      api.generateSignedPrefixURL("albums/summer/", owner === undefined ? undefined : { owner })
    const seven = await of("user-7")
    expect([await read(`${seven}a`), await read(`${seven}b`), await read(`${seven}c`)]).toEqual(["of 7", 404, 404])
    expect(await read(`${await of("user-8")}a`)).toBe("of 8")
    expect(await read(`${await of()}c`)).toBe("of nobody")
  })

  it("reads the newer of two files with one path, and the older one once that is gone", async () => {
    const { api, store, read } = await start()
    await store("v/1/a", "old")
    const newer = await store("v/1/a", "new")
    const base = await api.generateSignedPrefixURL("v/1/")
    expect(await read(`${base}a`)).toBe("new")
    await api.deleteFiles(newer)
    expect(await read(`${base}a`)).toBe("old")
    await api.deleteFiles({ prefix: "v/1/" })
    expect(await read(`${base}a`)).toBe(404)
  })

  it("shows a file that is moved where it is now, at once", async () => {
    const { api, store, read } = await start()
    const key = await store("v/1/a", "a")
    const base = await api.generateSignedPrefixURL("v/1/")
    await api.moveFiles({ key, path: "v/1/b" })
    expect([await read(`${base}a`), await read(`${base}b`)]).toEqual([404, "a"])
    await api.moveFiles({ key, path: "elsewhere/b" })
    expect(await read(`${base}b`)).toBe(404)
    await api.moveFiles({ key, path: null })
    expect(await read(`${base}b`)).toBe(404)
  })

  it("reads nothing that is held, not claimed, unregistered, failed, deleted or past its time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = Date.now()
    const { ingest, api, store, read } = await start()
    const base = await api.generateSignedPrefixURL("v/1/", { expiresIn: "1 day" })
    const held = await labelled({ path: "v/1/held", hold: true })
    await putRaw(await sign(ingest.url, held), "hello")
    const pending = await store("v/1/pending", "pending", { claimWithin: hour })
    const deleted = await store("v/1/deleted", "deleted")
    await api.deleteFiles(deleted)
    await store("v/1/brief", "brief", { keepFor: 60_000 })
    const strange = await labelled({ path: "v/1/strange" }, { slug: "avatar", expires: now + hour })
    const waiting = putRaw(await sign(ingest.url, strange), "hello")
    const failed = await labelled({ path: "v/1/failed" }, { type: "image/png", size: 9 })
    await putRaw(await sign(ingest.url, failed), "MZ\u0090\u0000\u0003\u0000\u0000")
    const begun = await labelled({ path: "v/1/begun" }, { size: 9 })
    await putRaw(await sign(ingest.url, begun), "hello")
    for (const name of ["held", "pending", "deleted", "strange", "failed", "begun"])
      expect([name, await read(base + name)]).toEqual([name, 404])
    expect(await read(`${base}brief`)).toBe("brief")
    vi.setSystemTime(now + 60_000)
    expect(await read(`${base}brief`)).toBe(404)
    await api.claimFiles(pending)
    await api.releaseFiles(held.key)
    await register(ingest.url, { fileKeys: [strange.key], callbackUrl: "http://127.0.0.1:4/" })
    expect([await read(`${base}pending`), await read(`${base}held`)]).toEqual(["pending", "hello"])
    await vi.waitFor(async () => expect(await read(`${base}strange`)).toBe("hello"))
    await (await waiting).body?.cancel()
  })

  it("ends with its time, which is at most 7 days ahead by the clock of the ingest", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = Date.now()
    const { ingest, api, store, read } = await start()
    await store("v/1/a", "a")
    const url = `${await api.generateSignedPrefixURL("v/1/", { expiresIn: "1 minute" })}a`
    const week = `${await api.generateSignedPrefixURL("v/1/", { expiresIn: "7 days" })}a`
    vi.setSystemTime(now + 59_999)
    expect([await read(url), await read(week)]).toEqual(["a", "a"])
    vi.setSystemTime(now + 60_000)
    expect(await problemOf(url)).toEqual([403, "EXPIRED_URL"])
    // No file is looked for: what is there and what is not look the same.
    expect(await problemOf(`${url}x`)).toEqual([403, "EXPIRED_URL"])
    const long = await sealPrefixUrl(
      ingest.url,
      appId,
      { prefix: "v/1/", expires: Date.now() + 8 * 24 * hour },
      createSealer(apiKey),
    )
    expect(await problemOf(`${long}a`)).toEqual([403, "FORBIDDEN"])
  })

  it("counts with any active key of its app, and no more once that key is revoked", async () => {
    const catalog = create()
    await createApp(catalog, { id: "acme", keys: ["sk_old", "sk_new"] })
    const { ingest, read } = await start({ catalog })
    const apiOf = (key: string) =>
      new SluiceApi({ token: encodeToken({ apiKey: key, appId: "acme", regions: ["l"] }), ingestUrl: ingest.url })
    const { error } = await apiOf("sk_new").uploadFiles(new File(["hi"], "a"), { labels: { path: "v/1/a" } })
    expect(error).toBeNull()
    const [old, recent] = await Promise.all(
      ["sk_old", "sk_new"].map((key) => apiOf(key).generateSignedPrefixURL("v/1/")),
    )
    expect([await read(`${old}a`), await read(`${recent}a`)]).toEqual(["hi", "hi"])
    const app = (await catalog.listApps()).find(({ id }) => id === "acme")
    await catalog.revokeKey({ appId: "acme", id: app!.keys.find((key) => key.apiKey === "sk_old")!.id, now: 2 })
    await vi.waitFor(async () => expect(await read(`${old}a`)).toBe(403), { timeout: 5000 })
    expect(await read(`${recent}a`)).toBe("hi")
  })

  it("cannot be made up, changed, cut, moved, or made of another seal", async () => {
    const catalog = create()
    await createApp(catalog, { id: "acme", keys: ["sk_acme"] })
    const { ingest, store } = await start({ catalog })
    await store("v/1/a", "a")
    const grant = { prefix: "v/1/", expires: Date.now() + hour }
    const sealer = createSealer(apiKey)
    const urlOf = (sealed: string, app = appId) => `${ingest.url}/p/${app}/${sealed}/a`
    const seal = (content: unknown, context: SealContext = { appId, ingestUrl: ingest.url }, by = sealer) =>
      by.seal(JSON.stringify(content), context)
    const sealed = await seal(grant)
    expect((await fetch(urlOf(sealed))).status).toBe(200)
    const bytes = Buffer.from(sealed, "base64url")
    const refused = [
      urlOf(sealed, "acme"),
      urlOf(sealed, "nobody"),
      urlOf(await seal(grant, { appId: "acme", ingestUrl: ingest.url })),
      urlOf(await seal(grant, { appId: "acme", ingestUrl: ingest.url }), "acme"),
      urlOf(await seal(grant, { appId, ingestUrl: "https://other.example" })),
      urlOf(await seal(grant, { appId, ingestUrl: `${ingest.url}/` })),
      urlOf(await seal(grant, { appId, ingestUrl: ingest.url }, createSealer("sk_other"))),
      urlOf(await seal(grant, { appId: "acme", ingestUrl: ingest.url }, createSealer("sk_acme"))),
      // Seals of upload URLs, whatever they hold.
      urlOf(await seal(grant, { appId, slug: ingest.url })),
      urlOf(await seal(grant, { appId, fileKey: ingest.url })),
      urlOf(await seal({ owner: "user-7", path: "v/1/a" }, { appId, fileKey: "key" })),
      // What no app of ours seals.
      urlOf(await seal({ ...grant, prefix: "v/1" })),
      urlOf(await seal({ ...grant, prefix: "" })),
      urlOf(await seal({ ...grant, prefix: "/" })),
      urlOf(await seal({ ...grant, prefix: "v/../" })),
      urlOf(await seal({ ...grant, owner: "" })),
      urlOf(await seal({ ...grant, owner: null })),
      urlOf(await seal({ ...grant, expires: "soon" })),
      urlOf(await seal({ ...grant, expires: undefined })),
      urlOf(await seal({ expires: grant.expires })),
      urlOf(await seal([])),
      urlOf(await sealer.seal("no JSON", { appId, ingestUrl: ingest.url })),
      urlOf(""),
      urlOf("a"),
      urlOf("_".repeat(4000)),
      urlOf(`${sealed}%00`),
      urlOf(sealed.replace(/^./, "%41")),
      urlOf(`${sealed}.`),
      ...[0, 1, 5, 13, 20, bytes.length - 1].map((at) => {
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1
        return urlOf(changed.toString("base64url"))
      }),
      urlOf(Buffer.concat([Buffer.of(2), bytes.subarray(1)]).toString("base64url")),
      ...[1, 12, 28, 30, bytes.length - 1].map((end) => urlOf(bytes.subarray(0, end).toString("base64url"))),
    ]
    for (const url of refused) expect([url, ...(await problemOf(url))]).toEqual([url, 403, "INVALID_SIGNATURE"])
    // The reverse: a grant is no seal of an upload URL.
    const upload = createGrant({ issuedAt: Date.now() })
    for (const wrong of [
      { labels: sealed, slug: undefined },
      { seal: sealed, slug: "avatar" },
    ]) {
      const response = await putRaw(await sign(ingest.url, { ...upload, ...wrong }), "hello")
      expect([response.status, (await response.json()).code]).toEqual([403, "INVALID_SIGNATURE"])
    }
  })

  it("is what the protocol says, byte by byte: one that was made without this code is read", async () => {
    const { ingest, store, read } = await start()
    await store("v/1/a", "hello")
    const key = hkdfSync("sha256", apiKey, new Uint8Array(), "sluice-prefix-1", 32)
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", new Uint8Array(key), nonce)
    cipher.setAAD(Buffer.from(`sluice-prefix-1\n${appId}\n${ingest.url}`))
    const text = cipher.update(JSON.stringify({ expires: Date.now() + hour, prefix: "v/1/", more: 1 }))
    const grant = Buffer.concat([Buffer.of(1), nonce, text, cipher.final(), cipher.getAuthTag()])
    expect(await read(`${ingest.url}/p/${appId}/${grant.toString("base64url")}/a`)).toBe("hello")
  })

  it("is read by pages and players of any origin, which see what they need", async () => {
    const { api, store } = await start()
    await store("v/1/a", "hello")
    const base = await api.generateSignedPrefixURL("v/1/")
    const origin = "https://player.example"
    const preflight = await fetch(`${base}a`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "range" },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
    expect(preflight.headers.get("access-control-allow-methods")).toContain("GET, HEAD")
    expect(preflight.headers.get("access-control-allow-headers")).toContain("range")
    for (const url of [`${base}a`, `${base}missing`, `${base.slice(0, -2)}/a`]) {
      const { headers } = await fetch(url, { headers: { origin } })
      expect(headers.get("access-control-allow-origin")).toBe("*")
      const exposed = headers.get("access-control-expose-headers")!.split(", ")
      for (const name of ["content-length", "content-range", "accept-ranges", "etag"]) expect(exposed).toContain(name)
      expect(headers.has("set-cookie")).toBe(false)
    }
  })

  it("has conditions, ranges and HEAD as any other address of a file, and no program comes out of it", async () => {
    const { api, store } = await start()
    await store("v/1/a", "hello")
    await store("v/1/page", "<p>", {}, { type: "text/html", name: "page.html" })
    const url = `${await api.generateSignedPrefixURL("v/1/")}a`
    const etag = (await fetch(url)).headers.get("etag")!
    const statusOf = async (headers: Record<string, string>, method = "GET") => {
      const response = await fetch(url, { method, headers })
      return [response.status, await response.text()]
    }
    expect(await statusOf({ "if-none-match": etag })).toEqual([304, ""])
    expect((await statusOf({ "if-match": '"other"' }))[0]).toBe(412)
    expect(await statusOf({ range: "bytes=1-2" })).toEqual([206, "el"])
    expect(await statusOf({ range: "bytes=1-2", "if-range": '"other"' })).toEqual([200, "hello"])
    expect((await statusOf({ range: "bytes=9-" }))[0]).toBe(416)
    expect(await statusOf({}, "HEAD")).toEqual([200, ""])
    expect((await statusOf({ "service-worker": "script" }))[0]).toBe(403)
    expect((await statusOf({ "sec-fetch-dest": "script" }))[0]).toBe(403)
    const page = await fetch(url.replace(/a$/, "page"))
    expect(page.headers.get("content-disposition")).toMatch(/^attachment/)
    expect(page.headers.get("content-security-policy")).toContain("sandbox")
  })

  it("lets a browser keep what the app calls immutable, at most to the end of the URL or of the file", async () => {
    const { api, store } = await start({ defaultCache: "immutable" })
    await store("v/1/usual", "x")
    await store("v/1/asked", "x", {}, { cache: "revalidate" })
    await store("v/1/kept", "x", {}, { cache: "immutable" })
    await store("v/1/public", "x", {}, { cache: "immutable", acl: "public-read" })
    await store("v/1/brief", "x", { keepFor: 600_000 }, { cache: "immutable" })
    await store("v/1/script", "x", {}, { cache: "immutable", type: "text/javascript" })
    const base = await api.generateSignedPrefixURL("v/1/", { expiresIn: "2 hours" })
    const ruleOf = async (name: string) => (await fetch(base + name)).headers.get("cache-control")!
    for (const name of ["usual", "asked", "script"])
      expect([name, await ruleOf(name)]).toEqual([name, "private, no-cache"])
    for (const [name, most] of [
      ["kept", 7200],
      ["public", 7200],
      ["brief", 600],
    ] as const) {
      const [, seconds] = /^private, max-age=(\d+)$/.exec(await ruleOf(name)) ?? []
      expect(Number(seconds)).toBeLessThanOrEqual(most)
      expect(Number(seconds)).toBeGreaterThan(most - 60)
    }
    expect((await fetch(`${base}missing`)).headers.get("cache-control")).toBe("no-store")
  })

  it("stands in no log, at whatever level and however the request ends", async () => {
    const printed = captureConsole()
    const { api, store } = await start({ logLevel: "Debug", logFormat: "json" })
    await store("v/1/a", "hello")
    const base = await api.generateSignedPrefixURL("v/1/")
    await (await fetch(`${base}a`)).text()
    await fetch(`${base}missing`)
    await fetch(`${base.slice(0, -3)}/cut`)
    await fetch(`${base}a`, { method: "PUT" })
    const log = printed.join("\n")
    expect(log).toContain("/p/{appId}/{grant}/{path}")
    expect(log).not.toContain(base.split("/").at(-2)!.slice(0, 20))
    expect(log).not.toMatch(/missing|v\/1/)
  })

  it("works below a path, whether or not a proxy takes that away", async () => {
    const at = "https://example.net/files"
    const { ingest, store } = await start()
    await store("v/1/a", "hello")
    const own = createSealer(apiKey)
    const foreign = await sealPrefixUrl(at, appId, { prefix: "v/1/", expires: Date.now() + hour }, own)
    expect(await ask(ingest.url, `${foreign.slice("https://example.net".length)}a`)).toBe(404)
    const below = await start({ url: at })
    const grant = await labelled({ path: "v/1/a" })
    const { pathname, search } = new URL(await sign(at, grant))
    expect((await putRaw(`${below.ingest.url}${pathname}${search}`, "hello")).status).toBe(200)
    const path = `${new URL(foreign).pathname}a`
    expect(await ask(below.ingest.url, path)).toBe(200)
    expect(await ask(below.ingest.url, path.slice("/files".length))).toBe(200)
    expect(await ask(below.ingest.url, path, { host: "evil.example" })).toBe(200)
  })
})
