/**
 * What a server of S3 has to do for our client, and our client for it. The double and a real server are run through the same
 * list, so that the double is held to the real one.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { expect } from "vitest"
import { createS3Client, type S3Client } from "../../../../src/ingest/storage/s3/client/s3-client.ts"
import { S3Error } from "../../../../src/ingest/storage/s3/client/s3-error.ts"
import type { S3Credentials, S3Settings } from "../../../../src/ingest/storage/s3/client/s3-settings.ts"
import { fetchByAddress } from "./fetch-by-address.ts"
import { virtualHost } from "./start-double.ts"

/** What a check is given. */
export interface Checked {
  readonly client: S3Client
  readonly settings: S3Settings & { readonly credentials: S3Credentials }
  /** Begins the keys of this check alone. */
  readonly prefix: string
}

/** One thing to be found true. */
export interface Check {
  readonly name: string
  readonly run: (checked: Checked) => Promise<void>
}

const MiB = 1024 * 1024

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex")

const readAll = async (body: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const read = async (client: S3Client, key: string): Promise<Buffer> => readAll((await client.getObject(key)).body)

const text = (value: string): ReadonlyArray<Uint8Array> => [new TextEncoder().encode(value)]

/** How a call fails: `404 NoSuchKey`. */
const failureOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (cause: unknown) => (cause instanceof S3Error ? `${cause.status} ${cause.code}` : String(cause)),
  )

/** Names that somebody will encode wrongly. */
const oddNames: ReadonlyArray<string> = [
  "a b+c",
  "ü/日本/😀",
  "!'()*~-_.",
  "%41%2F",
  "a//b",
  "end/",
  "?query#part",
  "&<>\"'",
  ";,:@$=",
  "[]{}|\\^`",
]

export const checks: ReadonlyArray<Check> = [
  {
    name: "an object is read as it was put, under any name",
    run: async ({ client, prefix }) => {
      for (const name of oddNames) {
        const key = prefix + name
        expect(await client.putObject(key, text(name)), name).toEqual({ etag: `"${md5(Buffer.from(name))}"` })
        expect((await read(client, key)).toString(), name).toBe(name)
        expect(await client.headObject(key), name).toMatchObject({ size: Buffer.byteLength(name) })
      }
      const { objects, next } = await client.listObjects(prefix)
      expect(next).toBeUndefined()
      expect(objects.map(({ key }) => key).toSorted()).toEqual(oddNames.map((name) => prefix + name).toSorted())
      await client.deleteObjects(objects.map(({ key }) => key))
      expect(await client.listObjects(prefix)).toEqual({ objects: [], next: undefined })
    },
  },
  {
    name: "an object in pieces, a large one and an empty one",
    run: async ({ client, prefix }) => {
      const bytes = randomBytes(3 * MiB + 17)
      const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 1000), new Uint8Array(), bytes.subarray(1000)]
      await client.putObject(`${prefix}large`, pieces, { sha256: sha256(bytes) })
      expect(sha256(await read(client, `${prefix}large`))).toBe(sha256(bytes))
      for (const body of [[], [new Uint8Array()]]) {
        await client.putObject(`${prefix}empty`, body)
        expect(await client.headObject(`${prefix}empty`)).toMatchObject({ size: 0 })
        const { size, body: stream } = await client.getObject(`${prefix}empty`)
        expect([size, (await readAll(stream)).length]).toEqual([0, 0])
      }
      await client.putObject(`${prefix}large`, text("another"))
      expect((await read(client, `${prefix}large`)).toString()).toBe("another")
    },
  },
  {
    name: "bytes that are not those of the signed hash are refused, and change nothing",
    run: async ({ client, prefix }) => {
      const wrong = { sha256: sha256(Buffer.from("others")) }
      await client.putObject(`${prefix}one`, text("one"))
      expect(await failureOf(client.putObject(`${prefix}one`, text("two"), wrong))).toBe(
        "400 XAmzContentSHA256Mismatch",
      )
      expect((await read(client, `${prefix}one`)).toString()).toBe("one")
      const uploadId = await client.createMultipartUpload(`${prefix}parts`)
      const part = client.uploadPart(`${prefix}parts`, uploadId, 1, text("two"), wrong)
      expect(await failureOf(part)).toBe("400 XAmzContentSHA256Mismatch")
      expect(await client.listParts(`${prefix}parts`, uploadId)).toEqual([])
      await client.abortMultipartUpload(`${prefix}parts`, uploadId)
    },
  },
  {
    name: "ranges",
    run: async ({ client, prefix }) => {
      const key = `${prefix}range`
      await client.putObject(key, text("0123456789"))
      const take = async (range: { start?: number; end?: number }) => {
        const { size, body } = await client.getObject(key, range)
        return [size, (await readAll(body)).toString()]
      }
      expect(await take({ start: 3, end: 5 })).toEqual([10, "345"])
      expect(await take({ start: 7 })).toEqual([10, "789"])
      expect(await take({ end: 1 })).toEqual([10, "01"])
      expect(await take({ start: 9, end: 99 })).toEqual([10, "9"])
      expect(await failureOf(client.getObject(key, { start: 10 }))).toBe("416 InvalidRange")
    },
  },
  {
    name: "what is not there",
    run: async ({ client, prefix, settings }) => {
      expect(await failureOf(client.getObject(`${prefix}none`))).toBe("404 NoSuchKey")
      expect(await client.headObject(`${prefix}none`)).toBeUndefined()
      await client.deleteObjects([`${prefix}none`, `${prefix}neither`])
      expect(await client.listObjects(`${prefix}none`)).toEqual({ objects: [], next: undefined })
      expect(await client.listMultipartUploads(`${prefix}none`)).toEqual([])
      await client.headBucket()
      const stranger = createS3Client({ ...settings, bucket: "no-such-bucket" })
      expect(await failureOf(stranger.headBucket())).toBe("404 NotFound")
      expect(await failureOf(stranger.putObject("one", text("one")))).toBe("404 NoSuchBucket")
      expect(await failureOf(stranger.listParts("one", "upload"))).toBe("404 NoSuchBucket")
      stranger.close()
    },
  },
  {
    name: "a list in pages, by the bytes of the names",
    run: async ({ client, prefix }) => {
      const names = ["a", "a/", "a/b", "b c", "b+c", "B", "ä", "z", "\uFFFD", "😀"].map((name) => prefix + name)
      await Promise.all(names.map((key) => client.putObject(key, text(key))))
      await client.putObject(`${prefix.slice(0, -1)}0`, text("another"))
      const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      const found: Array<string> = []
      let after: string | undefined
      do {
        const { objects, next } = await client.listObjects(prefix, { after, limit: 3 })
        expect(objects.length).toBeLessThanOrEqual(3)
        found.push(...objects.map(({ key }) => key))
        after = next
      } while (after !== undefined)
      expect(found).toEqual(sorted)
      await client.deleteObjects([...names, `${prefix.slice(0, -1)}0`])
    },
  },
  {
    name: "a multipart upload: parts in any order, and one in the place of another",
    run: async ({ client, prefix }) => {
      const key = `${prefix}multipart é`
      const uploadId = await client.createMultipartUpload(key)
      const first = randomBytes(5 * MiB)
      const last = randomBytes(1000)
      const lastTag = await client.uploadPart(key, uploadId, 2, [last])
      await client.uploadPart(key, uploadId, 1, [randomBytes(5 * MiB)])
      const firstTag = await client.uploadPart(key, uploadId, 1, [first], { sha256: sha256(first) })
      expect([firstTag, lastTag]).toEqual([`"${md5(first)}"`, `"${md5(last)}"`])
      expect(await client.listParts(key, uploadId)).toEqual([
        { number: 1, size: 5 * MiB, etag: firstTag },
        { number: 2, size: 1000, etag: lastTag },
      ])
      expect(await client.headObject(key)).toBeUndefined()
      const [upload, ...others] = await client.listMultipartUploads(prefix)
      expect(others).toEqual([])
      expect(upload).toMatchObject({ key, uploadId })
      expect(Math.abs(upload!.initiatedAt - Date.now())).toBeLessThan(60_000)
      const parts = [
        { number: 1, etag: firstTag },
        { number: 2, etag: lastTag },
      ]
      await client.completeMultipartUpload(key, uploadId, parts)
      expect(await client.headObject(key)).toMatchObject({
        size: 5 * MiB + 1000,
        etag: expect.stringMatching(/^".+-2"$/),
      })
      const { body } = await client.getObject(key, { start: 5 * MiB - 2, end: 5 * MiB + 1 })
      expect(await readAll(body)).toEqual(Buffer.concat([first.subarray(-2), last.subarray(0, 2)]))
      expect(await client.listMultipartUploads(prefix)).toEqual([])
      expect(await client.listParts(key, uploadId)).toBeUndefined()
      expect(await client.abortMultipartUpload(key, uploadId)).toBe(false)
      // Ceph answers a second completion with 200, and so does AWS for some time; the double says that the upload is gone.
      const again = await failureOf(client.completeMultipartUpload(key, uploadId, parts))
      expect(again).toMatch(/^(none|404 NoSuchUpload)$/)
      expect(await client.headObject(key)).toMatchObject({ size: 5 * MiB + 1000 })
    },
  },
  {
    name: "an upload that is aborted is gone",
    run: async ({ client, prefix }) => {
      const key = `${prefix}aborted`
      const uploadId = await client.createMultipartUpload(key)
      const etag = await client.uploadPart(key, uploadId, 1, text("part"))
      expect(await client.abortMultipartUpload(key, uploadId)).toBe(true)
      expect(await client.abortMultipartUpload(key, uploadId)).toBe(false)
      expect(await client.listParts(key, uploadId)).toBeUndefined()
      expect(await failureOf(client.uploadPart(key, uploadId, 2, text("late")))).toBe("404 NoSuchUpload")
      const completion = client.completeMultipartUpload(key, uploadId, [{ number: 1, etag }])
      // Ceph 16 does not find the upload and calls it an error of its own: only the object tells what happened.
      expect(await failureOf(completion)).toMatch(/^(404 NoSuchUpload|500 InternalError)$/)
      expect(await client.headObject(key)).toBeUndefined()
    },
  },
  {
    name: "a completion that names wrong parts is refused, and the upload stays",
    run: async ({ client, prefix }) => {
      const key = `${prefix}refused`
      const uploadId = await client.createMultipartUpload(key)
      // Ceph looks at sizes before it looks at ETags, and takes no completion that leaves parts out.
      const small = await client.uploadPart(key, uploadId, 1, text("small"))
      const last = await client.uploadPart(key, uploadId, 2, text("last"))
      const complete = (...parts: ReadonlyArray<readonly [number, string]>) =>
        failureOf(
          client.completeMultipartUpload(
            key,
            uploadId,
            parts.map(([number, etag]) => ({ number, etag })),
          ),
        )
      expect(await complete([1, small], [2, last])).toBe("400 EntityTooSmall")
      const first = await client.uploadPart(key, uploadId, 1, [new Uint8Array(5 * MiB)])
      expect(await complete([1, small], [2, last])).toMatch(/^400 (EntityTooSmall|InvalidPart)$/)
      expect(await complete([1, first], [2, first])).toBe("400 InvalidPart")
      expect(await complete([1, first], [3, last])).toBe("400 InvalidPart")
      // Ceph sorts the parts.
      expect(await complete([2, last], [1, first])).toMatch(/^(none|400 InvalidPartOrder)$/)
      expect(await complete([1, first], [2, last])).toBe("none")
      expect(await client.headObject(key)).toMatchObject({ size: 5 * MiB + 4 })
    },
  },
  {
    name: "lists of parts and of uploads that are longer than a page",
    run: async ({ client, prefix }) => {
      const key = `${prefix}many`
      const uploadId = await client.createMultipartUpload(key)
      const count = 1003
      let number = 0
      const work = async () => {
        while (number < count) await client.uploadPart(key, uploadId, ++number, text("x"))
      }
      await Promise.all(Array.from({ length: 16 }, work))
      const parts = await client.listParts(key, uploadId)
      expect(parts!.map((part) => part.number)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
      expect(await client.abortMultipartUpload(key, uploadId)).toBe(true)

      let started = 0
      const start = async () => {
        while (started < count) await client.createMultipartUpload(`${key}/${started++ % 2} +`)
      }
      await Promise.all(Array.from({ length: 16 }, start))
      const uploads = await client.listMultipartUploads(prefix)
      expect(new Set(uploads.map((upload) => upload.uploadId)).size).toBe(count)
      expect(new Set(uploads.map((upload) => upload.key))).toEqual(new Set([`${key}/0 +`, `${key}/1 +`]))
      const abort = async () => {
        for (let left = started--; left > 0; left = started--) {
          const upload = uploads[left - 1]!
          await client.abortMultipartUpload(upload.key, upload.uploadId)
        }
      }
      await Promise.all(Array.from({ length: 16 }, abort))
      expect(await client.listMultipartUploads(prefix)).toEqual([])
    },
  },
  {
    name: "keys that are not right, and none",
    run: async ({ settings, prefix }) => {
      const withKeys = (credentials: S3Credentials) => createS3Client({ ...settings, credentials })
      const wrong = withKeys({ ...settings.credentials, secretAccessKey: "wrong" })
      expect(await failureOf(wrong.getObject(`${prefix}one`))).toBe("403 SignatureDoesNotMatch")
      const unknown = withKeys({ ...settings.credentials, accessKeyId: "nobody" })
      expect(await failureOf(unknown.getObject(`${prefix}one`))).toBe("403 InvalidAccessKeyId")
      expect((await fetch(`${settings.endpoint}/${settings.bucket}/${prefix}one`)).status).toBe(403)
      wrong.close()
      unknown.close()
    },
  },
  {
    name: "a presigned GET",
    run: async ({ client, prefix }) => {
      const key = `${prefix}ü b+c`
      await client.putObject(key, text("0123456789"))
      const query = {
        "response-content-type": "text/plain",
        "response-content-disposition": `attachment; filename="a b.txt"`,
        "response-cache-control": "private, max-age=60",
      }
      const url = await client.presign({ method: "GET", key, query, expiresIn: 900 })
      const answer = await fetch(url)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe("0123456789")
      expect(answer.headers.get("content-type")).toBe("text/plain")
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="a b.txt"`)
      expect(answer.headers.get("cache-control")).toBe("private, max-age=60")
      const part = await fetch(url, { headers: { range: "bytes=2-4" } })
      expect([part.status, await part.text()]).toEqual([206, "234"])
      const statusOf = async (...asked: Parameters<typeof fetch>) => {
        const { status, body } = await fetch(...asked)
        await body?.cancel()
        return status
      }
      expect(await statusOf(url, { method: "HEAD" })).toBe(403)
      expect(await statusOf(url.replace("max-age%3D60", "max-age%3D61"))).toBe(403)
      expect(await statusOf(url.replace(/Signature=..../, "Signature=0000"))).toBe(403)
      const at = Date.now() - 900_000
      expect(await client.presign({ method: "GET", key, expiresIn: 901, at })).toBe(
        await client.presign({ method: "GET", key, expiresIn: 901, at: at - (at % 1000) }),
      )
      expect(await statusOf(await client.presign({ method: "GET", key, expiresIn: 960, at }))).toBe(200)
      expect(await statusOf(await client.presign({ method: "GET", key, expiresIn: 899, at }))).toBe(403)
    },
  },
  {
    name: "a presigned part takes the bytes that it was signed for, and no others",
    run: async ({ client, prefix }) => {
      const key = `${prefix}direct`
      const uploadId = await client.createMultipartUpload(key)
      const bytes = Buffer.from("exactly these bytes")
      const headers = { "content-length": String(bytes.length), "x-amz-content-sha256": sha256(bytes) }
      const query = { partNumber: "1", uploadId }
      const url = await client.presign({ method: "PUT", key, query, headers, expiresIn: 900 })
      const put = async (body: string | Buffer, sent: Record<string, string>) => {
        const { status } = await fetch(url, { method: "PUT", body: body as BodyInit, headers: sent })
        return status
      }
      const hash = { "x-amz-content-sha256": headers["x-amz-content-sha256"] }
      expect(await put("exactly other bytes", hash)).toBe(400)
      expect(await put("fewer bytes", hash)).toBe(403)
      expect(
        await put("exactly other bytes", { "x-amz-content-sha256": sha256(Buffer.from("exactly other bytes")) }),
      ).toBe(403)
      expect(await put(bytes, {})).toBe(403)
      expect(await client.listParts(key, uploadId)).toEqual([])
      expect(await put(bytes, hash)).toBe(200)
      const parts = await client.listParts(key, uploadId)
      expect(parts).toMatchObject([{ number: 1, size: bytes.length }])
      await client.completeMultipartUpload(key, uploadId, parts!)
      expect((await read(client, key)).toString()).toBe("exactly these bytes")
      expect(await put(bytes, hash)).toBe(404)
    },
  },
  {
    name: "a bucket in the name of the host, by a fetch",
    run: async ({ settings, prefix }) => {
      const port = Number(new URL(settings.endpoint).port)
      const client = createS3Client(
        { ...settings, endpoint: `http://${virtualHost}:${port}`, addressing: "virtual-host" },
        { fetch: fetchByAddress(port) },
      )
      const key = `${prefix}ü b+c`
      await client.headBucket()
      await client.putObject(key, [...text("one"), ...text(" two")])
      expect((await read(client, key)).toString()).toBe("one two")
      const { objects } = await client.listObjects(prefix)
      expect(objects).toEqual([{ key, size: 7, modifiedAt: expect.any(Number) }])
      expect(Math.abs(objects[0]!.modifiedAt - Date.now())).toBeLessThan(15 * 60_000)
      const url = await client.presign({ method: "GET", key, expiresIn: 60 })
      expect(new URL(url).hostname).toBe(`${settings.bucket}.${virtualHost}`)
      expect(await (await fetchByAddress(port)(url)).text()).toBe("one two")
      const uploadId = await client.createMultipartUpload(key)
      expect(await client.abortMultipartUpload(key, uploadId)).toBe(true)
      client.close()
    },
  },
]

/** Runs a check against a server, with keys of its own. */
export const runCheck = async ({ run }: Check, settings: Checked["settings"]): Promise<void> => {
  const client = createS3Client(settings)
  try {
    await run({ client, settings, prefix: `${randomUUID()}/` })
  } finally {
    client.close()
  }
}
