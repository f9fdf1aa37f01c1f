import { createHash, randomBytes } from "node:crypto"
import { getEventListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createCredentialsMemory } from "../../../../../src/ingest/storage/s3/client/credentials.ts"
import { createS3Client, type S3Client } from "../../../../../src/ingest/storage/s3/client/s3-client.ts"
import { isMissingUpload, S3Error } from "../../../../../src/ingest/storage/s3/client/s3-error.ts"
import type { S3Tuning } from "../../../../../src/ingest/storage/s3/client/s3-request.ts"
import type { S3Settings } from "../../../../../src/ingest/storage/s3/client/s3-settings.ts"
import { type Double, type Fault, startDouble } from "../start-double.ts"

const MiB = 1024 * 1024

/** A client of a double of its own, by `node:http` or by the global `fetch`, with short waits. */
const setUp = async (settings: Partial<S3Settings> = {}, tuning: S3Tuning = {}) => {
  const double = await startDouble()
  const client = createS3Client({ ...double.settings, ...settings }, { firstWait: 5, ...tuning })
  onTestFinished(async () => {
    client.close()
    await double.close()
  })
  return { double, client }
}

/** The first so many requests of an operation go wrong. */
const fail = (double: Double, operation: string, times: number, fault: Fault): void =>
  double.onRequest((request) => (request.operation === operation && request.count < times ? fault : undefined))

const text = (value: string): ReadonlyArray<Uint8Array> => [new TextEncoder().encode(value)]

const readAll = async (body: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const failureOf = async (call: Promise<unknown>): Promise<S3Error> => {
  const cause = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(cause).toBeInstanceOf(S3Error)
  return cause as S3Error
}

const countOf = ({ requests }: Double, operation: string): number =>
  requests.filter((request) => request.operation === operation).length

const answer = (status: number, code = "InternalError", headers = {}): Fault => ({
  kind: "answer",
  status,
  code,
  headers,
})

/** By which transport: tests of `fetch` give one, so that `node:http` is not used. */
const transports: ReadonlyArray<readonly [name: string, tuning: S3Tuning]> = [
  ["node:http", {}],
  ["fetch", { fetch: (url, init) => fetch(url, init) }],
]

describe.each(transports)("over %s", (_name, tuning) => {
  it.each<readonly [string, Fault]>([
    ["500", answer(500)],
    ["502 without XML", { kind: "answer", status: 502, text: "<html>Bad gateway</html>" }],
    ["503", answer(503, "ServiceUnavailable")],
    ["503 SlowDown", answer(503, "SlowDown")],
    ["429", answer(429, "TooManyRequests")],
    ["400 RequestTimeout", answer(400, "RequestTimeout")],
    ["a connection that breaks", { kind: "cut" }],
    ["an answer that is lost", { kind: "lose-answer" }],
  ])("a part is put again after %s", async (_what, fault) => {
    const { double, client } = await setUp({}, tuning)
    const uploadId = await client.createMultipartUpload("key")
    fail(double, "UploadPart", 3, fault)
    const bytes = randomBytes(2 * MiB)
    await client.uploadPart("key", uploadId, 1, [bytes.subarray(0, 100), bytes.subarray(100)])
    expect(countOf(double, "UploadPart")).toBeGreaterThanOrEqual(4)
    expect(double.uploads.get(uploadId)?.parts.get(1)?.bytes.equals(bytes)).toBe(true)
  })

  it("after four tries the failure is the caller's", async () => {
    const { double, client } = await setUp({}, tuning)
    fail(double, "PutObject", 9, answer(503, "SlowDown"))
    const failure = await failureOf(client.putObject("key", text("x")))
    expect(failure).toMatchObject({ status: 503, code: "SlowDown", isRetryable: true, isOutcomeUnknown: false })
    expect(failure.requestId).toBe("double")
    expect(countOf(double, "PutObject")).toBe(4)
    fail(double, "GetObject", 9, { kind: "cut" })
    expect(await failureOf(client.getObject("key"))).toMatchObject({ code: "NoAnswer", isRetryable: true })
  })

  it.each([
    [400, "InvalidRequest"],
    [403, "AccessDenied"],
    [404, "NoSuchKey"],
    [409, "BucketNotEmpty"],
    [412, "PreconditionFailed"],
  ])("%i %s is asked for once", async (status, code) => {
    const { double, client } = await setUp({}, tuning)
    fail(double, "PutObject", 9, answer(status, code))
    expect(await failureOf(client.putObject("key", text("x")))).toMatchObject({ status, code, isRetryable: false })
    expect(countOf(double, "PutObject")).toBe(1)
  })

  it("a body that breaks off is an error and never short", async () => {
    const { double, client } = await setUp({}, tuning)
    await client.putObject("key", [randomBytes(MiB)])
    for (const after of [0, 1, MiB / 2, MiB - 1]) {
      double.onRequest(({ operation }) => (operation === "GetObject" ? { kind: "cut-answer", after } : undefined))
      const { size, body } = await client.getObject("key")
      expect(size).toBe(MiB)
      expect(await failureOf(readAll(body))).toMatchObject({ code: "NoAnswer", isRetryable: true })
    }
  })

  it("a body that stalls is an error, however long its reader takes", async () => {
    const { double, client } = await setUp({}, { ...tuning, patience: { small: 200, large: 200 } })
    await client.putObject("key", [randomBytes(MiB)])
    const slow = await client.getObject("key")
    await sleep(500)
    expect((await readAll(slow.body)).length).toBe(MiB)
    double.onRequest(() => ({ kind: "stall-answer", after: 1000 }))
    const { body } = await client.getObject("key")
    expect(await failureOf(readAll(body))).toMatchObject({ code: "TimedOut", isRetryable: true })
  })

  it("what is not read stays with the server", async () => {
    const { double, client } = await setUp({}, tuning)
    double.objects.set("key", { bytes: Buffer.alloc(64 * MiB), etag: `"x"` })
    const { body } = await client.getObject("key")
    const reader = body.getReader()
    await reader.read()
    const before = process.memoryUsage()
    await sleep(200)
    const { external, arrayBuffers } = process.memoryUsage()
    expect(external + arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(16 * MiB)
    await reader.cancel()
    expect((await client.headObject("key"))?.size).toBe(64 * MiB)
  })

  it("an answer that never comes is given up", async () => {
    const { double, client } = await setUp({}, { ...tuning, patience: { small: 100, large: 200 } })
    fail(double, "PutObject", 1, { kind: "hang" })
    await client.putObject("key", text("x"))
    expect(countOf(double, "PutObject")).toBe(2)
    fail(double, "HeadObject", 9, { kind: "hang" })
    expect(await failureOf(client.headObject("key"))).toMatchObject({ code: "TimedOut", isOutcomeUnknown: true })
  })

  it("an answer that somebody waits for is given up within the time of one try, after another connection was tried", async () => {
    const { double, client } = await setUp({}, { ...tuning, patience: { small: 100, large: 300 } })
    await client.putObject("key", text("x"))
    fail(double, "GetObject", 9, { kind: "hang" })
    const read = (isAwaited: boolean) => failureOf(client.getObject("key", { start: 0, end: 0, isAwaited }))
    expect(await read(true)).toMatchObject({ code: "TimedOut", isRetryable: true })
    expect(countOf(double, "GetObject")).toBe(2)
    expect(await read(false)).toMatchObject({ code: "TimedOut" })
    expect(countOf(double, "GetObject")).toBe(6)
  })

  it("a dead connection is no failure where somebody waits for the answer of another", async () => {
    const { double, client } = await setUp({}, { ...tuning, patience: { small: 100, large: 600 } })
    await client.putObject("key", text("x"))
    fail(double, "GetObject", 1, { kind: "hang" })
    const { body } = await client.getObject("key", { start: 0, end: 0, isAwaited: true })
    expect(String(await readAll(body))).toBe("x")
  })

  it("what somebody waits for may pause, once it has begun, as long as any other answer", async () => {
    const { double, client } = await setUp({}, { ...tuning, patience: { small: 100, large: 900 } })
    await client.putObject("key", [randomBytes(MiB)])
    double.onRequest(() => ({ kind: "stall-answer", after: 1000 }))
    const { body } = await client.getObject("key", { isAwaited: true })
    const failure = failureOf(readAll(body))
    expect(await Promise.race([failure, sleep(450, "waits")])).toBe("waits")
    expect(await failure).toMatchObject({ code: "TimedOut" })
  })

  it("the signal of the caller ends it at once, with its reason, and nothing stays with it", async () => {
    const { double, client } = await setUp({}, { ...tuning, firstWait: 60_000 })
    const uploadId = await client.createMultipartUpload("key")
    const reason = new Error("fenced")
    const put = (signal: AbortSignal) => client.uploadPart("key", uploadId, 1, [randomBytes(MiB)], { signal })

    const while_ = (fault: Fault) => {
      const controller = new AbortController()
      double.onRequest(() => {
        setTimeout(() => controller.abort(reason), 20)
        return fault
      })
      return put(controller.signal)
    }
    await expect(while_({ kind: "hang" })).rejects.toBe(reason)
    await expect(while_(answer(503, "SlowDown"))).rejects.toBe(reason)
    await expect(put(AbortSignal.abort(reason))).rejects.toBe(reason)

    double.onRequest()
    const controller = new AbortController()
    await put(controller.signal)
    const { body } = await client.putObject("key", [randomBytes(MiB)]).then(() => client.getObject("key", controller))
    expect(getEventListeners(controller.signal, "abort").length).toBe(1)
    controller.abort(reason)
    await expect(readAll(body)).rejects.toBe(reason)
    expect(getEventListeners(controller.signal, "abort").length).toBe(0)
  })
})

describe("a completion", () => {
  const begin = async (client: S3Client) => {
    const uploadId = await client.createMultipartUpload("key")
    const etag = await client.uploadPart("key", uploadId, 1, text("part"))
    return () => client.completeMultipartUpload("key", uploadId, [{ number: 1, etag }])
  }

  it("that fails within a 200 is tried again, and fails in the end", async () => {
    const { double, client } = await setUp()
    const complete = await begin(client)
    fail(double, "CompleteMultipartUpload", 9, { kind: "error-inside", code: "InternalError" })
    const failure = await failureOf(complete())
    expect(failure).toMatchObject({ status: 200, code: "InternalError", isRetryable: true, isOutcomeUnknown: true })
    expect(countOf(double, "CompleteMultipartUpload")).toBe(4)
    expect(double.objects.has("key")).toBe(false)
    double.onRequest()
    await complete()
    expect(double.objects.has("key")).toBe(true)
  })

  it("that is refused within a 200 is refused", async () => {
    const { double, client } = await setUp()
    const complete = await begin(client)
    fail(double, "CompleteMultipartUpload", 9, { kind: "error-inside", code: "InvalidPart" })
    expect(await failureOf(complete())).toMatchObject({
      code: "InvalidPart",
      isRetryable: false,
      isOutcomeUnknown: false,
    })
    expect(countOf(double, "CompleteMultipartUpload")).toBe(1)
  })

  it.each<Fault>([{ kind: "lose-answer" }, { kind: "cut-answer", after: 50 }])(
    "whose answer is lost ($kind) finds the upload gone, and says that it may have done it",
    async (fault) => {
      const { double, client } = await setUp()
      const complete = await begin(client)
      fail(double, "CompleteMultipartUpload", 1, fault)
      const failure = await failureOf(complete())
      expect(failure).toMatchObject({ code: "NoSuchUpload", isOutcomeUnknown: true })
      expect(isMissingUpload(failure)).toBe(true)
      expect(await client.headObject("key")).toMatchObject({ size: 4 })
      // Somebody else's completion is told apart.
      expect(await failureOf(complete())).toMatchObject({ code: "NoSuchUpload", isOutcomeUnknown: false })
    },
  )

  it("that a page answers with 200 is none", async () => {
    const { double, client } = await setUp()
    const complete = await begin(client)
    for (const page of ["<html><body>Log in</body></html>", "", "<Other/>"]) {
      double.onRequest(() => ({ kind: "answer", status: 200, text: page }))
      expect(await failureOf(complete())).toMatchObject({ code: "StrangeAnswer", isOutcomeUnknown: true })
    }
  })
})

describe("a 404", () => {
  it("of something else says nothing of an upload or a part", async () => {
    const { double, client } = await setUp()
    double.onRequest(() => ({ kind: "answer", status: 404, text: "<html>Not found</html>" }))
    for (const call of [client.listParts("key", "id"), client.abortMultipartUpload("key", "id")])
      expect(await failureOf(call)).toMatchObject({ status: 404, code: "StrangeAnswer" })
    double.onRequest(() => answer(404, "NoSuchBucket"))
    expect(await failureOf(client.listParts("key", "id"))).toMatchObject({ code: "NoSuchBucket" })
    for (const code of ["NoSuchUpload", "NoSuchKey"]) {
      double.onRequest(() => answer(404, code))
      expect(await client.listParts("key", "id")).toBeUndefined()
      expect(await client.abortMultipartUpload("key", "id")).toBe(false)
    }
  })
})

describe("lists", () => {
  it("are read page by page", async () => {
    const { double, client } = await setUp()
    double.pageSize = 2
    const ids = await Promise.all(["a", "a", "a", "b+ c", "b+ c"].map((key) => client.createMultipartUpload(key)))
    expect((await client.listMultipartUploads("")).map(({ uploadId }) => uploadId).toSorted()).toEqual(ids.toSorted())
    for (const number of [5, 3, 1, 9, 7]) await client.uploadPart("a", ids[0]!, number, text(`part ${number}`))
    expect((await client.listParts("a", ids[0]!))?.map(({ number }) => number)).toEqual([1, 3, 5, 7, 9])
  })

  it("that do not end are given up", async () => {
    const { double, client } = await setUp()
    const page =
      "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker></ListPartsResult>"
    double.onRequest(() => ({ kind: "answer", status: 200, text: page }))
    expect(await failureOf(client.listParts("key", "id"))).toMatchObject({ code: "StrangeAnswer" })
  })
})

describe("deletion", () => {
  it("tries all before one that failed is told", async () => {
    const { double, client } = await setUp()
    const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`)
    for (const key of keys) double.objects.set(key, { bytes: Buffer.alloc(0), etag: "" })
    double.onRequest(({ key }) => (key === "key 3" ? answer(403, "AccessDenied") : undefined))
    expect(await failureOf(client.deleteObjects(keys))).toMatchObject({ code: "AccessDenied" })
    expect([...double.objects.keys()]).toEqual(["key 3"])
  })
})

describe("a range", () => {
  it("that the server does not give is an error", async () => {
    const { double, client } = await setUp()
    double.onRequest(() => ({ kind: "answer", status: 200, text: "0123456789" }))
    expect(await failureOf(client.getObject("key", { start: 2, end: 4 }))).toMatchObject({ code: "StrangeAnswer" })
  })
})

describe("Retry-After", () => {
  it("is waited for", async () => {
    const { double, client } = await setUp()
    fail(double, "HeadBucket", 1, answer(503, "SlowDown", { "retry-after": "1" }))
    const begun = performance.now()
    await client.headBucket()
    expect(performance.now() - begun).toBeGreaterThan(990)
  })
})

describe("credentials", () => {
  const keys = { accessKeyId: "double-key", secretAccessKey: "double-secret" }

  it("of a function are asked for once, and again before they end", async () => {
    let now = Date.now()
    let asked = 0
    const credentials = async () => ({ ...keys, expiresAt: now + 600_000 * ++asked })
    const { double, client } = await setUp({ credentials }, { now: () => now })
    await Promise.all([client.headBucket(), client.headBucket()])
    await client.headBucket()
    expect(asked).toBe(1)
    // Two minutes before their end.
    now += 500_000
    double.skew = 500_000
    await client.headBucket()
    expect(asked).toBe(2)
  })

  it("that the server says have ended are asked for again, once for each request", async () => {
    let asked = 0
    const credentials = () => (asked++ === 0 ? { accessKeyId: "old-key", secretAccessKey: "old" } : keys)
    const { double, client } = await setUp({ credentials })
    double.accounts["old-key"] = { secretAccessKey: "old", isExpired: true }
    await client.putObject("key", text("x"))
    expect(asked).toBe(2)
    double.accounts["double-key"] = { secretAccessKey: "double-secret", isExpired: true }
    expect(await failureOf(client.putObject("key", text("x")))).toMatchObject({
      code: "ExpiredToken",
      isRetryable: false,
    })
    expect(asked).toBe(3)
  })

  it("that are given are not asked for, and those with a token are sent with it", async () => {
    const { double, client } = await setUp({ credentials: { ...keys, sessionToken: "to+ken/=" } })
    expect(await failureOf(client.putObject("key", text("x")))).toMatchObject({ code: "InvalidToken" })
    double.accounts["double-key"] = { secretAccessKey: "double-secret", sessionToken: "to+ken/=" }
    await client.putObject("key", text("x"))
    const answered = await fetch(await client.presign({ method: "GET", key: "key", expiresIn: 60 }))
    expect(await answered.text()).toBe("x")
  })

  it("that cannot be had are an error that says so, unless the old ones are good still", async () => {
    let now = Date.now()
    let isBroken = false
    const credentials = () => {
      if (isBroken) throw new Error("no role")
      return { ...keys, expiresAt: now + 600_000 }
    }
    const { client, double } = await setUp({ credentials }, { now: () => now })
    await client.headBucket()
    isBroken = true
    now += 550_000
    double.skew = 550_000
    await client.headBucket()
    now += 60_000
    expect(await failureOf(client.headBucket())).toMatchObject({ code: "NoCredentials", isRetryable: true })
  })
})

describe("a function that gets credentials and does not answer", () => {
  const keys = { accessKeyId: "double-key", secretAccessKey: "double-secret" }

  it("has failed after a while, and is asked again", async () => {
    let asked = 0
    const source = () => (asked++ === 0 ? new Promise<never>(() => {}) : Promise.resolve(keys))
    const memory = createCredentialsMemory(source, Date.now, 20)
    const both = [failureOf(memory.get()), failureOf(memory.get())]
    for (const failure of both) expect(await failure).toMatchObject({ code: "NoCredentials", isRetryable: true })
    expect(await memory.get()).toBe(keys)
    expect(asked).toBe(2)
  })

  it("leaves those that are still good in use", async () => {
    let now = 0
    let asked = 0
    const good = { ...keys, expiresAt: 600_000 }
    const source = () => (asked++ === 0 ? Promise.resolve(good) : new Promise<never>(() => {}))
    const memory = createCredentialsMemory(source, () => now, 20)
    await memory.get()
    now = 590_000
    expect(await memory.get()).toBe(good)
    expect(asked).toBe(2)
  })
})

describe("a clock that is wrong", () => {
  it.each([3_600_000, -3_600_000])("by %i ms follows that of the server", async (skew) => {
    const { double, client } = await setUp()
    double.skew = skew
    await client.putObject("key", text("x"))
    expect(countOf(double, "PutObject")).toBe(2)
    await client.putObject("key", text("y"))
    expect(countOf(double, "PutObject")).toBe(3)
    const answered = await fetch(await client.presign({ method: "GET", key: "key", expiresIn: 60 }))
    expect(await answered.text()).toBe("y")
  })

  it.each([120_000, -480_000])(
    "by %i ms is followed before it is refused: URLs end when they are meant to",
    async (skew) => {
      const { double, client } = await setUp()
      double.skew = skew
      await client.putObject("key", text("x"))
      const statusAfter = async (ms: number): Promise<number> => {
        const url = await client.presign({ method: "GET", key: "key", expiresIn: 60 })
        double.skew = skew + ms
        return (await fetch(url)).status
      }
      expect(await statusAfter(0)).toBe(200)
      expect(await statusAfter(50_000)).toBe(200)
      expect(await statusAfter(70_000)).toBe(403)
    },
  )

  it("is followed after a HEAD, whose refusal has no code", async () => {
    const { double, client } = await setUp()
    double.skew = 3_600_000
    await client.headBucket()
    expect(countOf(double, "HeadBucket")).toBe(2)
  })

  it("is followed once for each request", async () => {
    const { double, client } = await setUp()
    double.onRequest(() => answer(403, "RequestTimeTooSkewed", { date: new Date(0).toUTCString() }))
    expect(await failureOf(client.putObject("key", text("x")))).toMatchObject({ code: "RequestTimeTooSkewed" })
    expect(countOf(double, "PutObject")).toBe(2)
  })
})

describe("what is sent", () => {
  it("is signed with the hash of the body, and without chunks or checksums of the SDKs", async () => {
    const { double, client } = await setUp()
    const bytes = randomBytes(300_000)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    for (const body of [[bytes], [bytes.subarray(0, 7), bytes.subarray(7)]]) await client.putObject("key", body)
    for (const { headers } of double.requests) {
      expect(headers).toMatchObject({ "x-amz-content-sha256": sha256, "content-length": "300000" })
      expect(Object.keys(headers).toSorted()).toEqual([
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "host",
        "user-agent",
        "x-amz-content-sha256",
        "x-amz-date",
      ])
    }
  })
})

describe("the message of a failure", () => {
  it("has no credentials, signatures or URLs that are signed", async () => {
    const { double, client } = await setUp()
    const failures: Array<S3Error> = []
    const secret = "X-Amz-Signature=5ecre7 Credential=double-key/2026 AWSAccessKeyId: double-key"
    for (const fault of [answer(403, "SignatureDoesNotMatch"), { kind: "cut" } as const]) {
      double.onRequest(() => fault)
      failures.push(await failureOf(client.putObject("key", text("x"))))
    }
    double.onRequest(() => ({
      kind: "answer",
      status: 403,
      text: `<Error><Code>AccessDenied</Code><Message>${secret}</Message></Error>`,
    }))
    failures.push(await failureOf(client.putObject("key", text("x"))))
    for (const { message } of failures) {
      expect(message).toMatch(/^S3 PutObject /)
      expect(message).not.toMatch(/double-key|double-secret|5ecre7|AWS4/)
    }
  })
})
