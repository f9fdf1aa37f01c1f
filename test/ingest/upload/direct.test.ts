import { createHash } from "node:crypto"
import { describe, expect, it, onTestFinished } from "vitest"
import type { DirectAnswer } from "../../../src/protocol/messages.ts"
import { rangeStartHeader } from "../../../src/protocol/names.ts"
import type { UploadGrant } from "../../../src/protocol.ts"
import { createS3BlobStore } from "../../../src/ingest/storage/s3/blob-s3.ts"
import type { BlobJournal } from "../../../src/ingest/storage/s3/journal/blob-journal.ts"
import { createMemoryBlobJournal } from "../../../src/ingest/storage/s3/journal/memory.ts"
import { SluiceApi } from "../../../src/api.ts"
import { createGrant, eventually, putRaw, randomContent, sign, startIngest, token } from "../circle.ts"
import { captureConsole } from "../capture-console.ts"
import { holdBack } from "../storage/s3/hold-back.ts"
import { startDouble } from "../storage/s3/start-double.ts"

const mebibyte = 1024 * 1024
const partSize = 8 * mebibyte
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Two blocks of the same MD5, found by Wang and others in 2004. */
const collision = [0x87, 0x07].map((byte) => {
  const block = Buffer.from(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70",
    "hex",
  )
  // The second one differs in the highest bits of six bytes.
  if (byte === 0x07) for (const at of [19, 45, 59, 83, 109, 123]) block[at]! ^= 0x80
  return block
}) as [Buffer, Buffer]

type Options = Partial<Parameters<typeof startIngest>[0]>

const setUp = async (options: Options = {}, journal: BlobJournal = createMemoryBlobJournal()) => {
  const double = await startDouble()
  onTestFinished(double.close)
  const openStore = () => createS3BlobStore({ ...double.settings, journal, prefix: "in/" }, { firstWait: 1 })
  const ingest = await startIngest({ store: openStore(), ...options })

  const begin = async (size: number, given: Partial<UploadGrant> = {}) => {
    const content = randomContent(size)
    const url = await sign(ingest.url, createGrant({ size, type: "application/zip", transport: "direct", ...given }))
    const partOf = (number: number) => content.subarray((number - 1) * partSize, number * partSize)
    const ask = async (...numbers: ReadonlyArray<number>) => {
      const parts = numbers.map((number) => ({ number, sha256: sha256(partOf(number)) }))
      const answer = await fetch(url, { method: "POST", body: JSON.stringify({ parts }) })
      expect(answer.status).toBe(200)
      const granted = (await answer.json()) as DirectAnswer
      if (granted.transport !== "direct") throw new Error("The ingest takes the bytes itself.")
      return granted
    }
    const sendPart = async (number: number, body = partOf(number)): Promise<number> => {
      const { uploads } = await ask(number)
      const { url: to, headers } = uploads[0]!
      return (await fetch(to, { method: "PUT", headers, body })).status
    }
    const offset = async () => Number((await fetch(url, { method: "HEAD" })).headers.get(rangeStartHeader))
    const end = () => putRaw(url, "", size)
    const read = async ({ key }: { readonly key: string }) =>
      new Uint8Array(await (await fetch(`${ingest.url}/f/${key}`)).arrayBuffer())
    return { content, url, ask, partOf, sendPart, offset, end, read }
  }
  return { double, ingest, begin, openStore }
}

describe("an upload whose bytes go past the ingest", () => {
  it("is parts that the bucket takes in any order, and one file once the empty PUT has ended it", async () => {
    const { double, begin } = await setUp()
    const size = 2 * partSize + 5
    const { content, ask, sendPart, offset, end, read } = await begin(size)
    const first = await ask()
    expect(first).toEqual({ transport: "direct", partSize, stored: [], uploads: [] })
    expect(await offset()).toBe(0)
    expect(await sendPart(3)).toBe(200)
    expect(await offset()).toBe(0)
    expect(await sendPart(1)).toBe(200)
    expect(await offset()).toBe(partSize)
    const before = double.requests.length
    expect((await ask()).stored).toEqual([
      [1, 1],
      [3, 3],
    ])
    // One request of the bucket, however many parts are asked for.
    expect(double.requests.slice(before).map(({ operation }) => operation)).toEqual(["ListParts"])
    const early = await end()
    expect([early.status, early.headers.get(rangeStartHeader)]).toEqual([409, String(partSize)])
    expect(await sendPart(2)).toBe(200)
    expect(await offset()).toBe(size)
    const ended = await end()
    expect(ended.status).toBe(200)
    const file = await ended.json()
    expect(file).toMatchObject({ size, fileHash: "" })
    expect(Buffer.compare(await read(file), content)).toBe(0)
    expect(await (await end()).json()).toMatchObject({ key: file.key })
    expect(double.uploads.size).toBe(0)
    expect([...double.objects.keys()]).toHaveLength(1)
  })

  it.each(["none", "read"] as const)("has a SHA-256 only where it is read again: directHash %s", async (directHash) => {
    const { begin } = await setUp({ directHash })
    const { content, sendPart, end } = await begin(partSize + 1)
    for (const number of [1, 2]) expect(await sendPart(number)).toBe(200)
    expect(await (await end()).json()).toMatchObject({ fileHash: directHash === "read" ? sha256(content) : "" })
  })

  it("takes no other bytes than those whose SHA-256 was asked for, nor fewer", async () => {
    const { begin } = await setUp()
    const { partOf, sendPart, offset } = await begin(partSize + 100)
    const other = partOf(2).slice()
    other[7]! ^= 1
    expect(await sendPart(2, other)).toBeGreaterThanOrEqual(400)
    expect(await sendPart(2, partOf(2).subarray(1))).toBeGreaterThanOrEqual(400)
    expect(await sendPart(1)).toBe(200)
    expect(await offset()).toBe(partSize)
  })

  it("changes nothing of a file by the URL of a part, once that is there", async () => {
    const { begin, ingest, double } = await setUp()
    const { content, ask, sendPart, end, read } = await begin(100_000)
    const { uploads } = await ask(1)
    expect(await sendPart(1)).toBe(200)
    const file = await (await end()).json()
    const { url, headers } = uploads[0]!
    const late = await fetch(url, { method: "PUT", headers, body: content })
    expect(late.status).toBe(404)
    expect(Buffer.compare(await read(file), content)).toBe(0)
    await ingest.close()
    expect([double.objects.size, double.uploads.size]).toEqual([1, 0])
  })

  it("was deleted, and no fault of the ingest, where another ingest deletes it while its first bytes are looked at", async () => {
    const { begin, ingest, double, openStore } = await setUp()
    const other = await startIngest({ store: openStore(), catalog: ingest.catalog })
    const { url, sendPart, end } = await begin(100_000)
    expect(await sendPart(1)).toBe(200)
    const { arrived, release } = holdBack(double, ({ operation }) => operation === "GetObject")
    const ended = end()
    await arrived
    const api = new SluiceApi({ token, ingestUrl: other.url })
    expect(await api.deleteFiles(new URL(url).pathname.slice(1))).toMatchObject({ deletedCount: 1 })
    await eventually(() => double.objects.size === 0)
    release()
    const answer = await ended
    expect([answer.status, (await answer.json()).code]).toEqual([404, "NOT_FOUND"])
  })

  it.each([1, 2])("goes on through the ingest where part %d was sent past it", async (number) => {
    const { begin, ingest, double } = await setUp()
    const size = 2 * partSize + 5
    const { content, url, sendPart, offset, read } = await begin(size)
    expect(await sendPart(number)).toBe(200)
    const start = await offset()
    expect(start).toBe(number === 1 ? partSize : 0)
    const answer = await putRaw(url, content.subarray(start), start)
    expect(answer.status).toBe(200)
    const file = await answer.json()
    expect(Buffer.compare(await read(file), content)).toBe(0)
    await ingest.close()
    expect([double.objects.size, double.uploads.size]).toEqual([1, 0])
  })

  it("is told to the operator where it goes through the ingest all the same, once", async () => {
    const printed = captureConsole()
    const { begin } = await setUp({ logLevel: "Info" })
    for (let count = 0; count < 2; count++) {
      const { content, url } = await begin(300_000)
      expect((await putRaw(url, content)).status).toBe(200)
    }
    const { sendPart, end } = await begin(300_000)
    expect(await sendPart(1)).toBe(200)
    expect((await end()).status).toBe(200)
    expect(printed.filter((line) => line.includes("comes through the ingest"))).toHaveLength(1)
  })

  it("leaves nothing of a file of one part that came through the ingest after all", async () => {
    const { begin, ingest, double } = await setUp()
    const { content, url, ask, read } = await begin(100_000)
    await ask(1)
    const answer = await putRaw(url, content)
    expect(answer.status).toBe(200)
    const file = await answer.json()
    expect(Buffer.compare(await read(file), content)).toBe(0)
    await ingest.close()
    expect([double.objects.size, double.uploads.size]).toEqual([1, 0])
  })

  it("goes on at another process with what the bucket has, also where it lost a part", async () => {
    const journal = createMemoryBlobJournal()
    const { begin, double, openStore } = await setUp({}, journal)
    const { sendPart, offset } = await begin(3 * partSize)
    for (const number of [1, 2]) expect(await sendPart(number)).toBe(200)
    expect(await offset()).toBe(2 * partSize)
    const [upload] = double.uploads.values()
    const key = upload!.key.split("/")[1]!
    const other = openStore()
    expect(await other.claim(key, 1000)).toMatchObject({ size: 2 * partSize, isDirect: true })
    upload!.parts.delete(2)
    expect(await other.claim(key, 1001)).toMatchObject({ size: partSize })
    double.uploads.clear()
    expect(await other.claim(key, 1002)).toEqual({ size: 0, isFinished: false, isDirect: true })
    expect(await other.claim(key, 1003)).toEqual({ size: 0, isFinished: false })
    await other.close()
  })

  it("is refused by its first bytes as any other, and nothing of it stays", async () => {
    const { begin, double } = await setUp()
    const { sendPart, end } = await begin(partSize + 10, { type: "image/png", name: "a.png" })
    for (const number of [1, 2]) expect(await sendPart(number)).toBe(200)
    const { parts } = [...double.uploads.values()][0]!
    // The bucket has a script there: nobody sees the first bytes before the parts are one object.
    Object.assign(parts.get(1)!, {
      bytes: Buffer.concat([Buffer.from("#! /bin/sh\n"), parts.get(1)!.bytes.subarray(11)]),
    })
    const ended = await end()
    expect([ended.status, (await ended.json()).code]).toEqual([415, "CONTENT_MISMATCH"])
    expect((await end()).status).toBe(415)
    expect([double.objects.size, double.uploads.size]).toEqual([0, 0])
  })

  it.each([100_000, partSize + 10])(
    "is not let through where its check failed for another reason: %d bytes",
    async (size) => {
      const { begin, double } = await setUp()
      const { ask, end, content } = await begin(size, { type: "image/png", name: "a.png" })
      const page = new TextEncoder().encode("<!doctype html><script>alert(1)</script>")
      content.set(page)
      const count = Math.ceil(size / partSize)
      const { uploads } = await ask(...Array.from({ length: count }, (_, index) => index + 1))
      for (const { number, url: to, headers } of uploads) {
        const body = content.subarray((number - 1) * partSize, number * partSize)
        expect((await fetch(to, { method: "PUT", headers, body })).status).toBe(200)
      }
      double.onRequest(({ operation }) =>
        operation === "GetObject" ? { kind: "answer", status: 403, code: "AccessDenied" } : undefined,
      )
      expect((await end()).status).toBe(503)
      double.onRequest()
      expect((await end()).status).toBe(415)
      expect(double.objects.size).toBe(0)
    },
  )

  it("has the SHA-256 of what is stored, also where a part was replaced by one of the same MD5", async () => {
    const { begin, double } = await setUp({ directHash: "read" })
    const size = partSize + 10
    const { ask, url, content, end } = await begin(size)
    content.set(collision[0])
    const other = content.slice(0, partSize)
    other.set(collision[1])
    const parts = [{ number: 1, sha256: sha256(other) }]
    const early = await putRaw(url, content.subarray(0, partSize))
    expect(early.status).toBe(409)
    const { uploads } = (await (
      await fetch(url, { method: "POST", body: JSON.stringify({ parts }) })
    ).json()) as Awaited<ReturnType<typeof ask>>
    const { url: to, headers } = uploads[0]!
    expect((await fetch(to, { method: "PUT", headers, body: other })).status).toBe(200)
    expect((await putRaw(url, content.subarray(partSize), partSize)).status).toBe(200)
    const [stored] = double.objects.values()
    expect(await (await end()).json()).toMatchObject({ fileHash: sha256(stored!.bytes) })
  })

  it.each([
    ["has no bucket", { size: 300_000, options: { store: undefined } }],
    ["would keep it in the catalog", { size: 5000, options: {} }],
    ["gets an empty file", { size: 0, options: {} }],
  ])("goes through an ingest that %s", async (_, { size, options }) => {
    const { begin } = await setUp(options as Options)
    const { content, url } = await begin(size)
    const answer = await fetch(url, { method: "POST", body: JSON.stringify({ parts: [] }) })
    expect(await answer.json()).toEqual({ transport: "ingest" })
    const stored = await putRaw(url, content)
    expect(await stored.json()).toMatchObject({ size, fileHash: sha256(content) })
  })

  it("goes through the ingest where the bucket takes bytes that were not signed", async () => {
    const { begin, double } = await setUp()
    double.acceptsWrongBytes = true
    const { url } = await begin(300_000)
    for (let count = 0; count < 2; count++) {
      const answer = await fetch(url, { method: "POST", body: JSON.stringify({ parts: [] }) })
      expect(await answer.json()).toEqual({ transport: "ingest" })
    }
    const tried = double.requests.filter(({ key }) => key.includes("sluice-check"))
    expect(tried.filter(({ operation }) => operation === "CreateMultipartUpload")).toHaveLength(1)
    expect([double.objects.size, double.uploads.size]).toEqual([0, 0])
  })

  it.each([
    ["bytes", "hello"],
    ["nothing", ""],
    ["other JSON", "[]"],
    ["a part 0", JSON.stringify({ parts: [{ number: 0, sha256: "0".repeat(64) }] })],
    ["a hash of another form", JSON.stringify({ parts: [{ number: 1, sha256: "0".repeat(63) }] })],
    [
      "101 parts",
      JSON.stringify({ parts: Array.from({ length: 101 }, () => ({ number: 1, sha256: "0".repeat(64) })) }),
    ],
  ])("answers a POST of %s so that the file is PUT", async (_, body) => {
    const { begin, double } = await setUp()
    const { url } = await begin(300_000)
    const answer = await fetch(url, { method: "POST", body })
    expect([answer.status, (await answer.json()).code]).toEqual([405, "METHOD_NOT_ALLOWED"])
    expect(double.uploads.size).toBe(0)
  })

  it("signs nothing for parts that the file does not have, and for no longer than its own URL is good", async () => {
    const { begin } = await setUp()
    const expires = Date.now() + 30_000
    const { ask } = await begin(partSize + 1, { expires })
    const { uploads } = await ask(1, 2, 3)
    expect(uploads.map(({ number }) => number)).toEqual([1, 2])
    for (const { expires: until, url } of uploads) {
      expect(until).toBeLessThanOrEqual(expires)
      expect(Number(new URL(url).searchParams.get("X-Amz-Expires"))).toBeLessThanOrEqual(30)
    }
  })

  it("asks nothing of the app's quota twice, and is refused where there is no room", async () => {
    const { begin, ingest } = await setUp({ quota: 10 * mebibyte })
    const { ask } = await begin(9 * mebibyte)
    await ask(1)
    await ask(2)
    const { url } = await begin(9 * mebibyte)
    const answer = await fetch(url, { method: "POST", body: JSON.stringify({ parts: [] }) })
    expect([answer.status, (await answer.json()).code]).toEqual([507, "QUOTA_EXCEEDED"])
    expect(ingest.url).toMatch(/^http/)
  })

  it("is gone from the bucket when its file is deleted", async () => {
    const { begin, ingest, double } = await setUp({ sweepInterval: 20 })
    const { ask, sendPart, partOf, url } = await begin(2 * partSize)
    const { uploads } = await ask(2)
    expect(await sendPart(1)).toBe(200)
    expect(double.uploads.size).toBe(1)
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    expect(await api.deleteFiles(new URL(url).pathname.slice(1))).toMatchObject({ deletedCount: 1 })
    await eventually(() => double.uploads.size === 0)
    const { url: to, headers } = uploads[0]!
    expect((await fetch(to, { method: "PUT", headers, body: partOf(2) })).status).toBe(404)
    const refused = await fetch(url, { method: "POST", body: JSON.stringify({ parts: [] }) })
    expect(refused.status).toBe(404)
    expect([double.objects.size, double.uploads.size]).toEqual([0, 0])
  })
})
