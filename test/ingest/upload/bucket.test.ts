import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { names } from "../../../src/protocol.ts"
import { createS3BlobStore, createSqliteBlobJournal } from "../../../src/s3.ts"
import { makeFolder } from "../../make-folder.ts"
import { createGrant, eventually, offsetOf, putRaw, randomContent, sign, startIngest } from "../circle.ts"
import { startDouble } from "../storage/s3/start-double.ts"

const mebibyte = 1024 * 1024
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Makes ingests over one bucket and one data folder, as one process after the other. */
const openBucket = async () => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  const folder = await makeFolder()
  const start = () =>
    startIngest({
      store: createS3BlobStore(
        { ...double.settings, journal: createSqliteBlobJournal({ file: join(folder, "journal.sqlite") }) },
        { firstWait: 1 },
      ),
      catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
    })
  return { double, start }
}

const putFrom = (url: string, content: Uint8Array, start: number) => putRaw(url, content.slice(start), start)

const stored = async (response: Response) => [
  response.status,
  ((await response.json()) as { fileHash?: string }).fileHash,
]

describe("an ingest over a bucket", () => {
  it("goes on at the last byte that came, also where the next process answers", async () => {
    const { double, start } = await openBucket()
    const content = randomContent(20 * mebibyte + 7)
    const first = await start()
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const cut = 11 * mebibyte + 5
    // A body that ends early is as one that breaks off: all of it counts.
    const early = await putRaw(await sign(first.url, grant), content.slice(0, cut))
    expect([early.status, early.headers.get(names.header.rangeStart)]).toEqual([409, String(cut)])
    await first.close()
    const second = await start()
    const signed = await sign(second.url, grant)
    expect(await offsetOf(signed)).toBe(cut)
    expect(await stored(await putFrom(signed, content, cut))).toEqual([200, sha256(content)])
    const read = await fetch(`${second.url}/f/${grant.key}`, { headers: { range: "bytes=9000000-9000009" } })
    expect(Buffer.from(await read.arrayBuffer())).toEqual(Buffer.from(content.slice(9_000_000, 9_000_010)))
    await eventually(() => double.objects.size === 1)
    expect(double.uploads.size).toBe(0)
  })

  it("names the byte from which the bucket has others than were sent, and takes them again", async () => {
    const { double, start } = await openBucket()
    const content = randomContent(20 * mebibyte)
    const { url } = await start()
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const signed = await sign(url, grant)
    double.onRequest(({ operation, count }) => {
      if (operation !== "CompleteMultipartUpload" || count > 0) return
      const [upload] = double.uploads.values()
      upload!.parts.set(2, { bytes: Buffer.alloc(8 * mebibyte), etag: '"0123456789abcdef0123456789abcdef"' })
    })
    const refused = await putFrom(signed, content, 0)
    expect([refused.status, refused.headers.get(names.header.rangeStart)]).toEqual([409, String(8 * mebibyte)])
    expect(await stored(await putFrom(signed, content, 8 * mebibyte))).toEqual([200, sha256(content)])
    const read = await fetch(`${url}/f/${grant.key}`)
    expect(sha256(new Uint8Array(await read.arrayBuffer()))).toBe(sha256(content))
  })

  it("answers 503 while the bucket is away, and stores the file once it is back", async () => {
    const { double, start } = await openBucket()
    const content = randomContent(100_000)
    const { url } = await start()
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const signed = await sign(url, grant)
    double.onRequest(() => ({ kind: "answer", status: 503 }))
    const away = await putFrom(signed, content, 0)
    expect([away.status, ((await away.json()) as { code: string }).code]).toEqual([503, "INGEST_UNAVAILABLE"])
    double.onRequest()
    expect(await offsetOf(signed)).toBe(0)
    expect(await stored(await putFrom(signed, content, 0))).toEqual([200, sha256(content)])
  })

  it("refuses bytes that are not of the announced type before the bucket has any", async () => {
    const { double, start } = await openBucket()
    const { url } = await start()
    const content = randomContent(100_000)
    content.set(new TextEncoder().encode("%PDF-1.7\n"))
    const grant = createGrant({ size: content.length, type: "image/png", name: "a.png" })
    const refused = await putRaw(await sign(url, grant), content.slice())
    expect(((await refused.json()) as { code: string }).code).toBe("CONTENT_MISMATCH")
    expect(double.objects.size).toBe(0)
  })
})
