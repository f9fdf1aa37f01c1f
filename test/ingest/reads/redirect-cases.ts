/**
 * What becomes of reads that go by redirect, over a bucket that is running: the double and a real server are asked the same.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { request as httpRequest } from "node:http"
import { expect } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { type BlobStore, createMemoryCatalog, type IngestOptions } from "../../../src/ingest.ts"
import { encodeToken, names, signUrl, type UploadGrant } from "../../../src/protocol.ts"
import { signReadUrl } from "../../../src/protocol/signing/read-grant.ts"
import { sealPrefixUrl } from "../../../src/protocol/signing/prefix-grant.ts"
import { createSealer } from "../../../src/protocol/signing/seal.ts"
import type { S3Settings } from "../../../src/ingest/storage/s3/client/s3-settings.ts"
import { createMemoryBlobJournal, createS3BlobStore } from "../../../src/s3.ts"
import { apiKey, appId, createGrant, type IngestUnderTest, putRaw, sign, signer, startIngest } from "../circle.ts"
import { labelled } from "../labelled.ts"

/** An ingest that redirects to a bucket, with a prefix of its own. */
export const startRedirecting = (
  settings: S3Settings,
  options: Partial<IngestOptions> = {},
  change: (store: BlobStore) => BlobStore = (store) => store,
): Promise<IngestUnderTest> =>
  startIngest({
    store: change(createS3BlobStore({ ...settings, prefix: `${randomUUID()}/`, journal: createMemoryBlobJournal() })),
    catalog: createMemoryCatalog({ largestContent: 100 }),
    reads: "redirect",
    ...options,
  })

/** A file that is stored. */
export const keep = async ({ url }: IngestUnderTest, content: Uint8Array, grant: Partial<UploadGrant> = {}) => {
  const full = createGrant({ size: content.length, name: "a.png", type: "image/png", ...grant })
  const response = await putRaw(await sign(url, full), content as Uint8Array<ArrayBuffer>)
  expect(response.status).toBe(200)
  return { key: full.key, url: `${url}/f/${full.key}` }
}

/** A picture, as far as its first bytes go, which is larger than what the catalog keeps. */
export const makePicture = (size = 5000): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), randomBytes(size - 16)])

export const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: "manual", ...init })

/** The status of an answer, and the URL that it leads to. */
export const follow = async (url: string, init: RequestInit = {}) => {
  const response = await ask(url, init)
  await response.body?.cancel()
  return { status: response.status, headers: response.headers, to: response.headers.get("location") }
}

export const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

export const signRead = (url: string, expires: number) => signUrl(`${url}?${names.query.expires}=${expires}`, signer)

/** The status of what `fetch` would tidy up. */
const askHead = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { method: "HEAD" }, (response) => resolve(response.resume().statusCode!))
      .once("error", reject)
      .end()
  })

export interface RedirectCase {
  readonly name: string
  readonly run: (settings: S3Settings) => Promise<void>
}

export const redirectCases: ReadonlyArray<RedirectCase> = [
  {
    name: "a file that is held is sent by the ingest to who judges it, and by the bucket once it is released",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const api = new SluiceApi({ token: encodeToken({ apiKey, appId, regions: ["local"] }), ingestUrl: ingest.url })
      const content = makePicture()
      const { key, url } = await keep(
        ingest,
        content,
        await labelled({ hold: true }, { size: content.length, name: "a.png", type: "image/png" }),
      )
      expect((await ask(url)).status).toBe(404)
      const toJudge = await api.generateSignedURL(key, { held: true })
      const sent = await ask(toJudge)
      expect([sent.status, sent.headers.get("cache-control")]).toEqual([200, "private, no-store"])
      expect((await bytesOf(sent)).equals(content)).toBe(true)
      await api.releaseFiles(key)
      expect((await follow(toJudge)).status).toBe(302)
    },
  },
  {
    name: "a GET is sent to the bucket, which sends the bytes as the ingest would name them, and ranges of them",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const content = makePicture()
      const { url } = await keep(ingest, content, { name: "ünï (1).png" })
      const first = await follow(url)
      expect(first.status).toBe(302)
      expect(new URL(first.to!).origin).toBe(new URL(settings.endpoint).origin)
      expect(Object.fromEntries(first.headers)).toMatchObject({
        "cache-control": "public, no-cache",
        "content-length": "0",
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      })
      for (const name of ["etag", "last-modified", "content-type"]) expect(first.headers.has(name), name).toBe(false)
      // Caches know the URL again.
      expect((await follow(url)).to).toBe(first.to)
      const whole = await fetch(url)
      expect([whole.status, await bytesOf(whole)]).toEqual([200, content])
      const here = await ask(url, { method: "HEAD" })
      for (const name of ["content-type", "content-disposition", "cache-control", "content-length"]) {
        expect(whole.headers.get(name), name).toBe(here.headers.get(name))
      }
      const part = await fetch(url, { headers: { range: "bytes=10-19" } })
      expect([part.status, await bytesOf(part)]).toEqual([206, content.subarray(10, 20)])
      expect(part.headers.get("content-range")).toBe("bytes 10-19/5000")
      const last = await fetch(url, { headers: { range: "bytes=-5" } })
      expect([last.status, await bytesOf(last)]).toEqual([206, content.subarray(-5)])
      // What a client learned at the bucket counts there.
      const etag = whole.headers.get("etag")!
      expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304)
      const rest = await fetch(url, { headers: { range: "bytes=1-2", "if-range": etag } })
      expect([rest.status, (await bytesOf(rest)).length]).toEqual([206, 2])
    },
  },
  {
    name: "what is to be saved is offered so by the bucket, under the name that its URL says",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const { url } = await keep(ingest, makePicture(), { acl: "private" })
      const saved = await signReadUrl(url, { expires: Date.now() + 60_000, download: "ünï (2).png" }, signer)
      expect((await follow(saved)).status).toBe(302)
      const [there, here] = [await fetch(saved), await ask(saved, { method: "HEAD" })]
      await there.body?.cancel()
      expect(there.headers.get("content-disposition")).toBe(here.headers.get("content-disposition"))
      expect(there.headers.get("content-disposition")).toMatch(/^attachment;.*%20%282%29\.png/)
    },
  },
  {
    name: "HEAD, 304, 412, 416 and 404 are the ingest's, and so is what the bucket would judge by another tag",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const content = makePicture()
      const { key, url } = await keep(ingest, content)
      const head = await ask(url, { method: "HEAD" })
      const etag = head.headers.get("etag")!
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "5000"])
      const statusOf = async (headers: Record<string, string>, of = url) => (await follow(of, { headers })).status
      expect(await statusOf({ "if-none-match": etag })).toBe(304)
      expect(await statusOf({ "if-modified-since": head.headers.get("last-modified")! })).toBe(304)
      expect(await statusOf({ "if-none-match": '"another"' })).toBe(302)
      expect(await statusOf({ "if-match": '"another"' })).toBe(412)
      expect(await statusOf({ range: "bytes=5000-" })).toBe(416)
      expect(await statusOf({ range: "bytes=4999-" })).toBe(302)
      expect(await statusOf({}, `${ingest.url}/f/${key}x`)).toBe(404)
      expect(await statusOf({ "sec-fetch-dest": "worker" })).toBe(403)
      // With our tag the bucket would answer 412, or send everything.
      expect(await statusOf({ "if-match": etag })).toBe(200)
      expect(await statusOf({ "if-unmodified-since": head.headers.get("last-modified")! })).toBe(200)
      expect(await statusOf({ range: "bytes=1-2", "if-range": etag })).toBe(206)
      const proven = await ask(url, { headers: { "want-repr-digest": "sha-256=5" } })
      expect(proven.headers.get("repr-digest")).toMatch(/^sha-256=:/)
      expect(await bytesOf(proven)).toEqual(content)
    },
  },
  {
    name: "the URL reads this object, by GET, as it says, and nothing else",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const [one, other] = [makePicture(), makePicture()]
      const { to } = await follow((await keep(ingest, one)).url)
      const { to: second } = await follow((await keep(ingest, other)).url)
      expect(await bytesOf(await fetch(to!))).toEqual(one)
      const statusOf = async (url: string) => (await follow(url)).status
      const [path] = second!.slice(new URL(second!).origin.length).split("?")
      expect(await statusOf(new URL(to!).origin + path + new URL(to!).search)).toBe(403)
      expect(await statusOf(to!.replace("image%2Fpng", "text%2Fhtml"))).toBe(403)
      expect(await statusOf(to!.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=604800"))).toBe(403)
      expect(await statusOf(to!.split("?")[0]!)).toBe(403)
      expect(await askHead(to!)).toBe(403)
    },
  },
  {
    name: "small files, empty ones and what a browser would run are sent by the ingest with its policy; others are attachments",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const bytes = Buffer.alloc(5000, "a")
      const read = async (grant: Partial<UploadGrant>, content: Uint8Array = bytes) => {
        const { url } = await keep(ingest, content, { name: "a", ...grant })
        const first = await follow(url)
        const sent = await fetch(url)
        expect((await bytesOf(sent)).length).toBe(content.length)
        const shown = sent.headers.get("content-disposition")!.split(";")[0]
        return [first.status, sent.headers.get("content-type"), shown, sent.headers.has("content-security-policy")]
      }
      expect(await read({ type: "image/png" }, makePicture(100))).toEqual([200, "image/png", "inline", false])
      expect(await read({ type: "text/plain" }, new Uint8Array())).toEqual([200, "text/plain", "inline", true])
      for (const type of [
        "text/html",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "text/javascript",
        "application/x-javascript",
      ]) {
        expect([type, await read({ type, contentDisposition: "inline" })]).toEqual([type, [200, type, "inline", true]])
        expect((await read({ type, contentDisposition: "attachment" }))[0]).toBe(200)
      }
      expect(await read({ type: "application/pdf" }, Buffer.concat([Buffer.from("%PDF-1.7\n"), bytes]))).toEqual([
        302,
        "application/pdf",
        "inline",
        false,
      ])
      expect(await read({ type: "text/csv" })).toEqual([302, "text/csv", "attachment", false])
      expect(await read({ type: "text/csv", contentDisposition: "inline" })).toEqual([200, "text/csv", "inline", true])
      const mixed = await read({ type: "multipart/x-mixed-replace", contentDisposition: "inline" })
      expect(mixed).toEqual([302, "application/octet-stream", "attachment", false])
    },
  },
  {
    name: "a private file is refused as ever, and its URL ends no later than the one it was read by",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const content = makePicture()
      const { url } = await keep(ingest, content, { acl: "private" })
      expect((await follow(url)).status).toBe(403)
      const now = Date.now()
      expect((await follow(await signRead(url, now - 1))).status).toBe(403)
      expect((await follow((await signRead(url, now + 60_000)).replace(/.$/, "_"))).status).toBe(403)
      const endOf = (to: string) => {
        const { searchParams } = new URL(to)
        const at = searchParams
          .get("X-Amz-Date")!
          .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")
        return Date.parse(at) + Number(searchParams.get("X-Amz-Expires")) * 1000
      }
      const soon = now + 90_500
      const bound = await follow(await signRead(url, soon))
      expect([bound.status, bound.headers.get("cache-control")]).toEqual([302, "private, no-cache"])
      expect(endOf(bound.to!)).toBeLessThanOrEqual(soon)
      expect(endOf(bound.to!)).toBeGreaterThan(soon - 2000)
      const sent = await fetch(bound.to!)
      expect([sent.headers.get("cache-control"), await bytesOf(sent)]).toEqual(["private, no-cache", content])
      const later = await follow(await signRead(url, now + 86_400_000))
      expect(endOf(later.to!) - now).toBeGreaterThan(9 * 60_000)
      expect(endOf(later.to!) - now).toBeLessThanOrEqual(15 * 60_000)
      // Not worth following.
      expect((await follow(await signRead(url, Date.now() + 9000))).status).toBe(200)
    },
  },
  {
    name: "immutable files: how long caches may keep the redirect, and the file",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const { key, url } = await keep(ingest, makePicture(), { cache: "immutable", customId: "mine" })
      const { headers, to } = await follow(url)
      const [, seconds] = /^public, max-age=(\d+)$/.exec(headers.get("cache-control")!) ?? []
      expect(Number(seconds)).toBeGreaterThan(8 * 60)
      expect(Number(seconds)).toBeLessThanOrEqual(14 * 60)
      expect((await fetch(to!)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      for (const id of [key, "mine"]) {
        const byId = await follow(`${ingest.url}/a/${appId}/${id}`)
        expect([byId.status, byId.headers.get("cache-control")]).toEqual([302, "public, no-cache"])
      }
    },
  },
  {
    name: "below a signed prefix too, as long as the prefix is good, and without telling where it came from",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const content = makePicture()
      const named = { name: "a.png", type: "image/png", size: content.length, cache: "immutable" } as const
      await keep(ingest, content, await labelled({ path: "v/1/a.png" }, named))
      const expires = Date.now() + 120_000
      const base = await sealPrefixUrl(ingest.url, appId, { prefix: "v/1/", expires }, createSealer(apiKey))
      const { status, headers, to } = await follow(`${base}a.png`)
      expect([status, headers.get("referrer-policy")]).toEqual([302, "no-referrer"])
      const [, seconds] = /^private, max-age=(\d+)$/.exec(headers.get("cache-control")!) ?? []
      expect(Number(seconds)).toBeLessThanOrEqual(60)
      const sent = await fetch(to!)
      expect(await bytesOf(sent)).toEqual(content)
      expect(Number(/^private, max-age=(\d+)$/.exec(sent.headers.get("cache-control")!)?.[1])).toBeLessThanOrEqual(120)
      expect((await follow(`${base}b.png`)).status).toBe(404)
      const changed = base.replace(/.(.{9}\/)$/, (tail) => (tail.startsWith("A") ? "B" : "A") + tail.slice(1))
      expect((await follow(`${changed}a.png`)).status).toBe(403)
    },
  },
  {
    name: "a file that is deleted is 404 here at once, and there with its bytes",
    run: async (settings) => {
      const ingest = await startRedirecting(settings)
      const { key, url } = await keep(ingest, makePicture())
      const { to } = await follow(url)
      const api = new SluiceApi({ token: encodeToken({ apiKey, appId, regions: ["local"] }), ingestUrl: ingest.url })
      await api.deleteFiles(key)
      expect((await follow(url)).status).toBe(404)
      await expect.poll(async () => (await follow(to!)).status, { timeout: 10_000 }).toBe(404)
    },
  },
]
