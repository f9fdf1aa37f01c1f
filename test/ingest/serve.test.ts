import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSigner, names, signUrl, type UploadGrant } from "../../src/protocol.ts"
import { signReadUrl } from "../../src/protocol/signing/read-grant.ts"
import {
  appId,
  createGrant,
  type IngestUnderTest,
  put,
  randomContent,
  sign,
  signer,
  startIngest,
  toForm,
} from "./circle.ts"

/** A file that is stored; gives its address. */
const store = async ({ url }: IngestUnderTest, content: BlobPart, grant: Partial<UploadGrant> = {}) => {
  const full = createGrant({ size: new Blob([content]).size, ...grant })
  const response = await put(await sign(url, full), toForm(content))
  expect(response.status).toBe(200)
  return { key: full.key, url: `${url}/f/${full.key}` }
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe("what caches may keep of a file", () => {
  const kept = "public, max-age=31536000, immutable"
  const ruleOf = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    await response.body?.cancel()
    return [response.status, response.headers.get("cache-control")]
  }

  it("is nothing without asking, unless its URL says immutable; then a year, by GET, HEAD, Range and 304", async () => {
    const ingest = await startIngest()
    expect(await ruleOf((await store(ingest, "hello")).url)).toEqual([200, "public, no-cache"])
    expect(await ruleOf((await store(ingest, "hello", { cache: "revalidate" })).url)).toEqual([200, "public, no-cache"])
    const { url } = await store(ingest, "hello", { cache: "immutable" })
    expect(await ruleOf(url)).toEqual([200, kept])
    expect(await ruleOf(url, { method: "HEAD" })).toEqual([200, kept])
    expect(await ruleOf(url, { headers: { range: "bytes=1-2" } })).toEqual([206, kept])
    const etag = (await fetch(url)).headers.get("etag")!
    expect(await ruleOf(url, { headers: { "if-none-match": etag } })).toEqual([304, kept])
  })

  it("is never a private file, by its own ACL or the ingest's", async () => {
    const isPrivate = { cache: "immutable", acl: "private" } as const
    const [own, byDefault] = [await startIngest(), await startIngest({ defaultAcl: "private" })]
    for (const [ingest, grant] of [
      [own, isPrivate],
      [byDefault, { cache: "immutable" }],
    ] as const) {
      const { url } = await store(ingest, "hello", grant)
      const signed = await signUrl(`${url}?${names.query.expires}=${Date.now() + 60_000}`, signer)
      expect(await ruleOf(signed)).toEqual([200, "private, no-cache"])
      expect(await ruleOf(url)).toEqual([403, "no-store"])
    }
  })

  it("is as the operator says where the URL does not, and as the URL says where it does", async () => {
    const ingest = await startIngest({ defaultCache: "immutable" })
    expect(await ruleOf((await store(ingest, "hello")).url)).toEqual([200, kept])
    expect(await ruleOf((await store(ingest, "hello", { cache: "revalidate" })).url)).toEqual([200, "public, no-cache"])
    await expect(startIngest({ defaultCache: "forever" as "immutable" })).rejects.toThrow('defaultCache is "forever"')
  })

  it("is not what a browser could run: a cache that ignores vary would hand it to a worker", async () => {
    const ingest = await startIngest()
    for (const type of [
      "text/javascript",
      "application/x-javascript",
      "text/ecmascript",
      "text/html",
      "image/svg+xml",
      "application/xml",
      "text/xsl",
    ]) {
      const { url } = await store(ingest, "hello", { cache: "immutable", type })
      expect([type, ...(await ruleOf(url))]).toEqual([type, 200, "public, no-cache"])
    }
    for (const type of ["text/css", "font/woff2", "application/vnd.apple.mpegurl", "application/zip"]) {
      const { url } = await store(ingest, "hello", { cache: "immutable", type })
      expect([type, ...(await ruleOf(url))]).toEqual([type, 200, kept])
    }
  })

  it("is asked for again at an address that may come to mean another file", async () => {
    const ingest = await startIngest()
    const { key } = await store(ingest, "hello", { cache: "immutable", customId: "mine" })
    for (const id of [key, "mine"]) {
      expect(await ruleOf(`${ingest.url}/a/${appId}/${id}`)).toEqual([200, "public, no-cache"])
    }
  })
})

describe("GET of a file", () => {
  it("sends it with all a browser and a cache need, and HEAD the same without the bytes", async () => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "hello", { name: "ünï cödé (1).txt" })
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(url, { method })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(method === "GET" ? "hello" : "")
      const headers = Object.fromEntries(response.headers)
      expect(headers).toMatchObject({
        "content-type": "text/plain",
        "content-length": "5",
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
        etag: expect.stringMatching(/^"[0-9a-f]{64}-[0-9a-f]{16}"$/),
        "last-modified": expect.stringMatching(/GMT$/),
      })
      expect(headers["content-disposition"]).toMatch(/^inline; filename=".*"; filename\*=UTF-8''%C3%BCn%C3%AF%20c/)
    }
  })

  it("tells the SHA-256 of the whole file whoever asks for it, also with a range of it", async () => {
    const ingest = await startIngest()
    const content = randomContent(20_000)
    const { url } = await store(ingest, content)
    const digest = `sha-256=:${createHash("sha256").update(content).digest("base64")}:`
    const ask = async (wanted?: string, init: RequestInit = {}) => {
      const headers = { ...(init.headers as object), ...(wanted !== undefined && { "want-repr-digest": wanted }) }
      const response = await fetch(url, { ...init, headers })
      await response.arrayBuffer()
      return [response.status, response.headers.get("repr-digest")]
    }
    expect(await ask("sha-256=10")).toEqual([200, digest])
    expect(await ask("sha-512=3, sha-256=1")).toEqual([200, digest])
    expect(await ask("sha-256=5", { method: "HEAD" })).toEqual([200, digest])
    expect(await ask("sha-256=10", { headers: { range: "bytes=5-9" } })).toEqual([206, digest])
    for (const other of [undefined, "sha-256=0", "sha-256=11", "sha-512=10", "unixsha-256=10", "sha-256=100"])
      expect(await ask(other), other).toEqual([200, null])
  })

  it("tells no SHA-256 where the ingest keeps none", async () => {
    const ingest = await startIngest({ hash: false })
    const { url } = await store(ingest, "hello")
    const response = await fetch(url, { headers: { "want-repr-digest": "sha-256=10" } })
    expect([await response.text(), response.headers.get("repr-digest")]).toEqual(["hello", null])
  })

  it("sends any single range of it", async () => {
    const ingest = await startIngest()
    const content = randomContent(200_000)
    const { url } = await store(ingest, content)
    await fc.assert(
      fc.asyncProperty(fc.nat(content.length - 1), fc.nat(content.length + 10), async (start, length) => {
        const response = await fetch(url, { headers: { range: `bytes=${start}-${start + length}` } })
        const end = Math.min(start + length, content.length - 1)
        expect(response.status).toBe(206)
        expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end}/${content.length}`)
        expect(Buffer.compare(await bytesOf(response), content.subarray(start, end + 1))).toBe(0)
      }),
      { numRuns: 30 },
    )
    const suffix = await fetch(url, { headers: { range: "bytes=-7" } })
    expect(await bytesOf(suffix)).toEqual(content.subarray(-7))
    const several = await fetch(url, { headers: { range: "bytes=0-1,5-6" } })
    expect([several.status, (await bytesOf(several)).length]).toEqual([200, content.length])
    const beyond = await fetch(url, { headers: { range: `bytes=${content.length}-` } })
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${content.length}`])
  })

  it("answers conditional requests", async () => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "hello")
    const { headers } = await fetch(url)
    const etag = headers.get("etag")!
    const modified = headers.get("last-modified")!
    const status = async (conditions: Record<string, string>) => (await fetch(url, { headers: conditions })).status
    expect(await status({ "if-none-match": etag })).toBe(304)
    expect(await status({ "if-none-match": `"other", W/${etag}` })).toBe(304)
    expect(await status({ "if-none-match": "*" })).toBe(304)
    expect(await status({ "if-none-match": '"other"' })).toBe(200)
    expect(await status({ "if-none-match": '"other"', "if-modified-since": modified })).toBe(200)
    expect(await status({ "if-modified-since": modified })).toBe(304)
    expect(await status({ "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).toBe(200)
    expect(await status({ "if-modified-since": "nonsense" })).toBe(200)
    const range = "bytes=1-2"
    expect(await status({ range, "if-range": etag })).toBe(206)
    expect(await status({ range, "if-range": '"other"' })).toBe(200)
    expect(await status({ range, "if-range": `W/${etag}` })).toBe(200)
    expect(await status({ range, "if-range": modified })).toBe(206)
    expect(await status({ range, "if-range": "Thu, 01 Jan 1970 00:00:00 GMT" })).toBe(200)
  })

  it("is not found before it is finished, and never by a trick in its key", async () => {
    const ingest = await startIngest()
    const grant = createGrant({ size: 10 })
    await put(await sign(ingest.url, grant), toForm("hello"))
    for (const key of [grant.key, "unknown", "..", "%2e%2e%2fcatalog.sqlite", "a%00b", "..%5c..%5c", "__proto__"]) {
      const response = await fetch(`${ingest.url}/f/${key}`)
      expect([404, 405, 400]).toContain(response.status)
      expect(response.headers.get("content-type")).toBe("application/problem+json")
    }
  })

  it.each([
    "text/html",
    "TEXT/HTML; charset=utf-8",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
  ])("of type %s cannot run script in the ingest's origin", async (type) => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "<svg/>", { type })
    const { headers } = await fetch(url)
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
    expect(headers.get("content-security-policy")).toMatch(/^sandbox;/)
    const inline = await store(ingest, "<svg/>", { type, contentDisposition: "inline" })
    expect((await fetch(inline.url)).headers.get("content-security-policy")).toMatch(/^sandbox;/)
  })

  it("takes any name without breaking its headers", async () => {
    const ingest = await startIngest()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (name) => {
        const { url } = await store(ingest, "x", { name, contentDisposition: "attachment" })
        const response = await fetch(url)
        expect(response.status).toBe(200)
        expect(response.headers.get("content-disposition")).toMatch(/^attachment/)
      }),
      { numRuns: 60 },
    )
  })
})

describe("a private file", () => {
  const signRead = (url: string, expires: number) => signUrl(`${url}?${names.query.expires}=${expires}`, signer)

  it("is sent to holders of a signed URL only, until it expires", async () => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "hello", { acl: "private" })
    const { url: other } = await store(ingest, "other", { acl: "private" })
    const signed = await signRead(url, Date.now() + 60_000)
    const response = await fetch(signed)
    expect([response.status, await response.text()]).toEqual([200, "hello"])
    expect(response.headers.get("cache-control")).toContain("private")
    const refused = async (address: string) => {
      const answer = await fetch(address)
      return `${answer.status} ${(await answer.json()).code}`
    }
    expect(await refused(url)).toBe("403 FORBIDDEN")
    expect(await refused(signed.replace(url, other))).toBe("403 FORBIDDEN")
    expect(await refused(signed.replace("expires=", "expires=9"))).toBe("403 FORBIDDEN")
    expect(await refused(await signRead(url, Date.now() - 1))).toBe("403 EXPIRED_URL")
    expect(await refused(await signUrl(`${url}?x=1`, signer))).toBe("403 FORBIDDEN")
  })

  it("is what the operator's default makes it, unless the grant says otherwise", async () => {
    const ingest = await startIngest({ defaultAcl: "private" })
    expect((await fetch((await store(ingest, "hello")).url)).status).toBe(403)
    expect((await fetch((await store(ingest, "hello", { acl: "public-read" })).url)).status).toBe(200)
  })
})

describe("a URL by which a file is saved", () => {
  const offeredAt = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    await response.body?.cancel()
    return [response.status, response.headers.get("content-disposition")]
  }
  const pdf = { name: "scan.pdf", type: "application/pdf" }

  it.each(["private", "public-read"] as const)("offers a %s file that is shown elsewhere", async (acl) => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "%PDF-1.7", { ...pdf, acl, contentDisposition: "inline" })
    const grant = { expires: Date.now() + 60_000 }
    const shown = await signReadUrl(url, grant, signer)
    const saved = await signReadUrl(url, { ...grant, download: true }, signer)
    const named = await signReadUrl(url, { ...grant, download: "Rechnung Nº 7.pdf" }, signer)
    expect(await offeredAt(shown)).toEqual([200, "inline; filename=scan.pdf"])
    for (const init of [{}, { method: "HEAD" }]) {
      expect(await offeredAt(saved, init)).toEqual([200, "attachment; filename=scan.pdf"])
    }
    expect(await offeredAt(saved, { headers: { range: "bytes=0-1" } })).toEqual([206, expect.stringMatching(/^attach/)])
    expect((await offeredAt(named))[1]).toContain("filename*=UTF-8''Rechnung%20N%C2%BA%207.pdf")
    const tags = await Promise.all([shown, saved, named].map(async (each) => (await fetch(each)).headers.get("etag")))
    expect(new Set(tags).size).toBe(3)
  })

  it("is kept by no cache for longer than it counts, though the file never changes", async () => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "hello", { cache: "immutable" })
    const ruleOf = async (address: string) => (await fetch(address)).headers.get("cache-control")
    expect(await ruleOf(url)).toContain("immutable")
    const saved = await signReadUrl(url, { expires: Date.now() + 60_000, download: "a.txt" }, signer)
    expect(await ruleOf(saved)).toBe("public, no-cache")
  })

  it.each(["private", "public-read"] as const)("is the app's alone, of a %s file too", async (acl) => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "hello", { acl })
    const { url: other } = await store(ingest, "other", { acl })
    const grant = { expires: Date.now() + 60_000, download: "a.txt" }
    const named = await signReadUrl(url, grant, signer)
    const refused = async (address: string) => {
      const answer = await fetch(address)
      return `${answer.status} ${(await answer.json()).code}`
    }
    const wrong = [
      named.replace("a.txt", "setup.exe"),
      named.replace(url, other),
      named.replace(/&signature=.*/, ""),
      named.replace(/(&x[^&]*)(&x[^&]*)/, "$2$1"),
      await signReadUrl(url, { ...grant, download: "" }, signer),
      await signReadUrl(url, { ...grant, download: "x".repeat(1025) }, signer),
      await signReadUrl(url, { ...grant, download: "a\0.txt" }, signer),
      await signUrl(`${url}?x=1&${named.slice(named.indexOf("?") + 1, named.indexOf("&signature"))}`, signer),
      await signReadUrl(url, grant, createSigner("another key")),
    ]
    for (const address of wrong) expect(await refused(address), address).toBe("403 FORBIDDEN")
    expect(await refused(await signReadUrl(url, { ...grant, expires: Date.now() - 1 }, signer))).toBe("403 EXPIRED_URL")
  })

  it("is never a page, and a query that is nothing of the kind plays no part", async () => {
    const ingest = await startIngest()
    const { url } = await store(ingest, "<script>", { type: "text/html", contentDisposition: "inline" })
    expect(await offeredAt(url)).toEqual([200, expect.stringMatching(/^inline/)])
    const saved = await signReadUrl(url, { expires: Date.now() + 60_000, download: "a.html" }, signer)
    expect(await offeredAt(saved)).toEqual([200, "attachment; filename=a.html"])
    const { contentDisposition, fileName } = names.query
    for (const query of [
      `${contentDisposition}=attachment`,
      `x=1&${fileName}=setup.exe`,
      `x=1&${contentDisposition}=attachments`,
      `&${contentDisposition}=inline`,
    ]) {
      expect(await offeredAt(`${url}?${query}`)).toEqual([200, expect.stringMatching(/^inline; filename=(?!setup)/)])
    }
  })

  it("of a custom id offers the newest file", async () => {
    const ingest = await startIngest()
    await store(ingest, "old", { ...pdf, customId: "scan", acl: "private" })
    await store(ingest, "new", { ...pdf, name: "new.pdf", customId: "scan", acl: "private" })
    const address = `${ingest.url}/a/${appId}/scan`
    const saved = await signReadUrl(address, { expires: Date.now() + 60_000, download: true }, signer)
    expect(await offeredAt(saved)).toEqual([200, "attachment; filename=new.pdf"])
  })
})

describe("GET below an app", () => {
  it("finds files by key and by custom id, the newest one", async () => {
    const ingest = await startIngest()
    const customId = "orders/2026 #1 ü"
    await store(ingest, "old", { customId })
    const { key } = await store(ingest, "new", { customId })
    const base = `${ingest.url}/a/${appId}`
    expect(await (await fetch(`${base}/${key}`)).text()).toBe("new")
    expect(await (await fetch(`${base}/${encodeURIComponent(customId)}`)).text()).toBe("new")
    expect((await fetch(`${base}/unknown`)).status).toBe(404)
    expect((await fetch(`${ingest.url}/a/other/${key}`)).status).toBe(404)
    expect((await fetch(`${base}/%`)).status).toBe(404)
  })
})
