import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { checkBucket } from "../../../../src/ingest/storage/s3/check-bucket.ts"
import { type Double, type DoubleRequest, type Fault, startDouble } from "./start-double.ts"

let double: Double
beforeEach(async () => {
  double = await startDouble()
})
afterEach(() => double.close())

const check = (settings: Partial<Double["settings"]> = {}) =>
  checkBucket({ ...double.settings, ...settings, prefix: "files/" }, { firstWait: 1 })

const failureOf = async (settings?: Partial<Double["settings"]>): Promise<string> =>
  check(settings).then(
    () => "it succeeded",
    ({ message }: Error) => message,
  )

/** Names of all that is in the bucket. */
const listLeft = () => [...double.objects.keys(), ...[...double.uploads.values()].map(({ key }) => key)]

const denied: Fault = { kind: "answer", status: 403, code: "AccessDenied" }

const answer = (text: string): Fault => ({ kind: "answer", status: 200, text })

/** A fault of one operation. */
const at =
  (operation: string, fault: Fault, accepts: (request: DoubleRequest) => boolean = () => true) =>
  (request: DoubleRequest) =>
    request.operation === operation && accepts(request) ? fault : undefined

const isUnder = (word: string) => (request: DoubleRequest) => request.key.endsWith(`/${word}`)

describe("a bucket that is tried", () => {
  it("does all that an ingest needs, and has nothing of it afterwards, nor lost anything", async () => {
    const [kept, begun] = ["files/key.1/1", "files/key.2/1"]
    double.objects.set(kept, { bytes: Buffer.from("kept"), etag: '"kept"' })
    double.uploads.set("begun", { key: begun, initiatedAt: 1, parts: new Map() })
    expect(await check()).toEqual({ refusesWrongBytes: true, listsUploads: true, answerTime: expect.any(Number) })
    expect(listLeft()).toEqual([kept, begun])
    expect(double.requests.every(({ key }) => key === "" || key.startsWith("files/sluice-check-"))).toBe(true)
  })

  it("has its URLs tried only where they are used, and says whether pages may read by them", async () => {
    const tryUrls = () => checkBucket({ ...double.settings, prefix: "files/", triesUrls: true }, { firstWait: 1 })
    expect(await tryUrls()).toMatchObject({ allowsPages: false })
    double.allowsPages = true
    expect(await tryUrls()).toMatchObject({ allowsPages: true })
    expect(double.requests.filter(({ query }) => query.has("X-Amz-Signature"))).toHaveLength(2)
    await check()
    expect(double.requests.filter(({ query }) => query.has("X-Amz-Signature"))).toHaveLength(2)
    expect(listLeft()).toEqual([])
  })

  it.each<readonly [what: string, fault: Fault, said: string]>([
    ["denies them", denied, "it was answered with 403 (AccessDenied)"],
    ["sends all bytes", answer("abcde"), "it was answered with 200 (no code)"],
    [
      "says what it likes of them",
      { kind: "answer", status: 206, text: "cd", headers: { "content-type": "binary/octet-stream" } },
      "the answer did not have the content-type that the URL names",
    ],
  ])("of whose URLs it is said that it %s", async (_, fault, said) => {
    double.onRequest(at("GetObject", fault, ({ query }) => query.has("X-Amz-Signature")))
    const tried = checkBucket({ ...double.settings, triesUrls: true }, { firstWait: 1 })
    await expect(tried).rejects.toThrow(`Reading by a presigned URL failed: ${said}`)
    expect(listLeft()).toEqual([])
  })

  it("may store wrong bytes, and list uploads by their whole names alone: it is said, and nothing is left", async () => {
    double.acceptsWrongBytes = true
    double.onRequest(at("ListMultipartUploads", answer("<ListMultipartUploadsResult></ListMultipartUploadsResult>")))
    expect(await check()).toMatchObject({ refusesWrongBytes: false, listsUploads: false })
    expect(listLeft()).toEqual([])
  })

  it("is one that refuses wrong bytes, whichever of two statuses it has for them", async () => {
    double.onRequest(at("PutObject", denied, isUnder("wrong")))
    expect(await check()).toMatchObject({ refusesWrongBytes: true })
  })

  it.each<readonly [what: string, fault: (request: DoubleRequest) => Fault | undefined, said: RegExp]>([
    ["denies puts", at("PutObject", denied), /^Putting an object failed: S3 PutObject was answered with 403/],
    ["denies reads", at("GetObject", denied), /^Reading a range failed: S3 GetObject was answered with 403/],
    [
      "ignores ranges",
      at("GetObject", answer("abcde")),
      /^Reading a range failed: S3 GetObject was answered with 200, StrangeAnswer: it is not the range/,
    ],
    [
      "fails on wrong bytes",
      at("PutObject", { kind: "answer", status: 500 }, isUnder("wrong")),
      /^Putting an object with a wrong hash failed: S3 PutObject was answered with 500/,
    ],
    ["denies lists", at("ListObjectsV2", denied), /^Deleting objects failed: S3 ListObjectsV2 was answered with 403/],
    [
      "denies multipart uploads",
      at("CreateMultipartUpload", denied),
      /^A multipart upload failed: S3 CreateMultipartUpload was answered with 403/,
    ],
    ["denies parts", at("UploadPart", denied), /^A multipart upload failed: S3 UploadPart was answered with 403/],
    [
      "denies lists of parts",
      at("ListParts", denied),
      /^A multipart upload failed: S3 ListParts was answered with 403/,
    ],
    [
      "does not list parts",
      at("ListParts", answer("<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>")),
      /^A multipart upload failed: the part that was sent is not listed$/,
    ],
    [
      "does not complete uploads",
      at("CompleteMultipartUpload", { kind: "error-inside", code: "NotImplemented" }),
      /^A multipart upload failed: S3 CompleteMultipartUpload was answered with 200, NotImplemented/,
    ],
    [
      "denies heads",
      at("HeadObject", denied),
      /^A multipart upload failed: S3 HeadObject was answered with 403, Forbidden/,
    ],
    [
      "denies lists of uploads",
      at("ListMultipartUploads", denied, () => double.uploads.size === 1),
      /^Listing the multipart uploads of the bucket failed: S3 ListMultipartUploads was answered with 403/,
    ],
    [
      "denies the first abort",
      at("AbortMultipartUpload", denied, ({ count }) => count === 0),
      /^Aborting a multipart upload failed: S3 AbortMultipartUpload was answered with 403/,
    ],
    [
      "loses answers to completions, and then denies heads",
      (request) => at("CompleteMultipartUpload", { kind: "lose-answer" })(request) ?? at("HeadObject", denied)(request),
      /^A multipart upload failed: S3 CompleteMultipartUpload /,
    ],
    [
      "loses answers to the beginnings of uploads",
      at("CreateMultipartUpload", { kind: "lose-answer" }),
      /^A multipart upload failed: S3 CreateMultipartUpload failed, NoAnswer/,
    ],
    [
      "loses answers to puts",
      at("PutObject", { kind: "lose-answer" }),
      /^Putting an object failed: S3 PutObject failed, NoAnswer/,
    ],
  ])("and %s: that is said, and nothing is left", async (what, fault, said) => {
    double.onRequest(fault)
    const message = await failureOf()
    expect(message).toMatch(said)
    if (what === "denies lists of uploads") {
      // The upload itself is aborted by its id; whether there are more nobody knows.
      expect(message).toMatch(/What was tried there could not be removed: look below files\/sluice-check-/)
    } else expect(message).not.toContain("could not be removed")
    expect(listLeft()).toEqual([])
  })

  it.each(["the first", "a later"])(
    "and denies deletions, %s: what is left is said, and how little it is",
    async (which) => {
      double.onRequest(at("DeleteObject", denied, ({ count }) => which === "the first" || count > 0))
      const message = await failureOf()
      expect(message).toMatch(/^Deleting objects failed: S3 DeleteObject was answered with 403, AccessDenied: /)
      expect(message).toMatch(
        /\. What was tried there could not be removed: look below files\/sluice-check-[^ ]+\/ in the bucket\.$/,
      )
      const [left, ...more] = listLeft()
      expect(message).toContain(`below ${left!.replace(/[^/]*$/, "")} in`)
      expect(more).toEqual([])
    },
  )

  it("and does not delete what it says it has", async () => {
    double.onRequest(at("DeleteObject", { kind: "answer", status: 204, text: "" }))
    expect(await failureOf()).toMatch(/^Deleting objects failed: objects that were deleted are still listed/)
  })

  it("and lists uploads of other names: none of them is aborted", async () => {
    double.uploads.set("begun", { key: "other/1", initiatedAt: 1, parts: new Map() })
    double.onRequest(({ operation, query }) => {
      if (operation === "ListMultipartUploads") query.delete("prefix")
    })
    expect(await failureOf()).toMatch(
      /^Listing the multipart uploads of the bucket failed: .*its list has names that were not asked for/,
    )
    expect(listLeft()).toEqual(["other/1"])
  })

  it("is left alone where it is not there, or keys are wrong: nothing is removed that was never put", async () => {
    const keys = { accessKeyId: "double-key", secretAccessKey: "wrong" }
    expect(await failureOf({ credentials: keys })).toMatch(
      /^Putting an object failed: S3 PutObject was answered with 403, SignatureDoesNotMatch/,
    )
    expect(await failureOf({ bucket: "other" })).toMatch(/^Putting an object failed: .* 404, NoSuchBucket/)
    expect(await failureOf({ endpoint: "http://127.0.0.1:1" })).toMatch(
      /^Putting an object failed: S3 PutObject failed, NoAnswer: .*ECONNREFUSED/,
    )
    expect(double.requests.map(({ operation }) => operation)).toEqual(["PutObject"])
  })

  it("has to have an address", async () => {
    const addressing = "virtual-host"
    expect(await failureOf({ addressing })).toBe("An S3 endpoint that is an IP address can only be addressed by path.")
  })
})
