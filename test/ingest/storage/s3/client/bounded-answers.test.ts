import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createS3Client } from "../../../../../src/ingest/storage/s3/client/s3-client.ts"
import type { S3Tuning } from "../../../../../src/ingest/storage/s3/client/s3-request.ts"
import { startDouble } from "../start-double.ts"

const mebibyte = 1024 * 1024

const setUp = async (tuning: S3Tuning = {}) => {
  const double = await startDouble()
  const client = createS3Client(double.settings, { firstWait: 1, ...tuning })
  onTestFinished(async () => {
    client.close()
    await double.close()
  })
  return { double, client }
}

/** A client that is answered so, whatever it asks. */
const answeredBy = (answer: () => Response) => {
  const settings = {
    endpoint: "https://s3.example",
    region: "here",
    bucket: "files",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  }
  return createS3Client(settings, { fetch: async () => answer(), firstWait: 1 })
}

const etagged = (etag: string) => () => new Response(null, { headers: { etag } })

describe("an answer that has no end", () => {
  const impatient: S3Tuning = { patience: { small: 100, large: 100 } }

  it("is given up where a list comes a byte at a time, however long that goes on", async () => {
    const { double, client } = await setUp(impatient)
    await client.putObject("a/1", [randomBytes(3)])
    double.onRequest(({ operation }) =>
      operation === "ListObjectsV2" ? { kind: "drip-answer", after: 10, every: 20 } : undefined,
    )
    await expect(client.listObjects("a/")).rejects.toMatchObject({ code: "TimedOut", isRetryable: true })
  })

  it("is given up where an object comes a byte at a time", async () => {
    const { double, client } = await setUp(impatient)
    await client.putObject("a/1", [randomBytes(mebibyte)])
    double.onRequest(({ operation }) =>
      operation === "GetObject" ? { kind: "drip-answer", after: 10, every: 20 } : undefined,
    )
    const { body } = await client.getObject("a/1")
    await expect(new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).bytes()).rejects.toMatchObject({
      code: "TimedOut",
      isRetryable: true,
    })
  })

  it("is none where its reader is what is slow", async () => {
    const { client } = await setUp({ patience: { small: 400, large: 400 } })
    await client.putObject("a/1", [randomBytes(mebibyte)])
    const { body } = await client.getObject("a/1")
    let length = 0
    for await (const piece of body) {
      length += piece.length
      if (length < 500_000) await sleep(100)
    }
    expect(length).toBe(mebibyte)
  })

  it("is read as far as a list of 1,000 long names needs, and no further", async () => {
    const toEntry = (number: number) =>
      `<Contents><Key>a/${"n".repeat(1018)}${String(number).padStart(4, "0")}</Key><LastModified>2026-11-25T00:00:00.000Z</LastModified><ETag>&quot;${"0".repeat(32)}&quot;</ETag><Size>1</Size><StorageClass>STANDARD</StorageClass></Contents>`
    const entries = Array.from({ length: 1000 }, (_, number) => toEntry(number)).join("")
    const list = (more: string) => () => new Response(`<ListBucketResult>${entries}${more}</ListBucketResult>`)
    expect((await answeredBy(list("")).listObjects("a/")).objects).toHaveLength(1000)
    await expect(answeredBy(list(" ".repeat(2 * mebibyte))).listObjects("a/")).rejects.toThrow("more than 2MB")
    // It is small, and its elements would keep the process busy.
    await expect(answeredBy(list("<a/>".repeat(100_000))).listObjects("a/")).rejects.toMatchObject({
      code: "StrangeAnswer",
    })
  })
})

describe("what is kept of an answer", () => {
  it.each([
    ["empty", '""'],
    ["blank", " "],
    ["huge", `"${"0".repeat(300)}"`],
  ])("is no ETag that is %s", async (_, etag) => {
    const upload = answeredBy(etagged(etag)).uploadPart("a", "u", 1, [new Uint8Array(1)])
    await expect(upload).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("is an ETag of any other form", async () => {
    for (const etag of ['"0123456789abcdef0123456789abcdef"', "0123", `"${"a".repeat(254)}"`]) {
      expect(await answeredBy(etagged(etag)).uploadPart("a", "u", 1, [new Uint8Array(1)])).toBe(etag)
    }
  })

  it("is no upload id without an end", async () => {
    const answer = () => new Response(`<R><UploadId>${"u".repeat(5000)}</UploadId></R>`)
    await expect(answeredBy(answer).createMultipartUpload("a")).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("is the beginning of a request id", async () => {
    const long = "r".repeat(100_000)
    const inBody = () => new Response(`<Error><Code>No</Code><RequestId>${long}</RequestId></Error>`, { status: 400 })
    await expect(answeredBy(inBody).headBucket()).rejects.toMatchObject({ requestId: "r".repeat(128) })
    const inHeader = () => new Response(null, { status: 400, headers: { "x-amz-request-id": long } })
    await expect(answeredBy(inHeader).headBucket()).rejects.toMatchObject({ requestId: "r".repeat(128) })
  })
})
