import { describe, expect, it } from "vitest"
import { createS3Client, type S3Client } from "../../../../../src/ingest/storage/s3/client/s3-client.ts"

import { listPages } from "../../../../../src/ingest/storage/s3/list-pages.ts"

/** A client that is answered so, whatever it asks. */
const answeredBy = (answer: (request: number) => Response) => {
  let count = 0
  const settings = {
    endpoint: "https://s3.example",
    region: "here",
    bucket: "files",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  }
  return createS3Client(settings, { fetch: async () => answer(count++), firstWait: 1 })
}

const part = (range: string, length: number, headers: Record<string, string> = {}) =>
  new Response(new Uint8Array(length), {
    status: 206,
    headers: { "content-range": `bytes ${range}`, "content-length": String(length), ...headers },
  })

const list = (name: string, inner: string) => new Response(`<${name}>${inner}</${name}>`)

describe("an answer that is not what was asked for", () => {
  it.each([
    ["begins elsewhere", part("1-10/100", 10)],
    ["ends early", part("0-4/100", 5)],
    ["goes on", part("0-19/100", 20)],
    ["has another length than its range", part("0-9/100", 12)],
    ["is packed", part("0-9/100", 10, { "content-encoding": "gzip" })],
    [
      "does not say which it is",
      new Response(new Uint8Array(10), { status: 206, headers: { "content-length": "10" } }),
    ],
    ["is all of it", new Response(new Uint8Array(100), { headers: { "content-length": "100" } })],
  ])("is no range: it %s", async (_, answer) => {
    await expect(answeredBy(() => answer).getObject("a", { start: 0, end: 9 })).rejects.toMatchObject({
      code: "StrangeAnswer",
    })
  })

  it("is the range where the object ends before", async () => {
    const { size, body } = await answeredBy(() => part("0-4/5", 5)).getObject("a", { start: 0, end: 9 })
    expect([size, (await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).bytes()).length]).toEqual([5, 5])
  })

  const object = (key: string, size = "1") => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`

  it.each([
    ["another document", list("html", "")],
    ["names of others", list("ListBucketResult", object("a/1") + object("b/1"))],
    ["a size below nothing", list("ListBucketResult", object("a/1", "-5"))],
    [
      "a name that cannot be read",
      list("ListBucketResult", `<EncodingType>url</EncodingType>${object("a%2F%E0%A4%A")}`),
    ],
    ["names out of order", list("ListBucketResult", object("a/2") + object("a/1"))],
    ["a name twice", list("ListBucketResult", object("a/1") + object("a/1"))],
    ["nothing, and more behind it", list("ListBucketResult", "<IsTruncated>true</IsTruncated>")],
  ])("is no list of objects: %s", async (_, answer) => {
    await expect(answeredBy(() => answer).listObjects("a/")).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("is a list in the order of UTF-8, not of UTF-16", async () => {
    const names = ["a/z", "a/\ufffd", "a/😀"]
    const answer = () => list("ListBucketResult", names.map((name) => object(name)).join(""))
    expect((await answeredBy(answer).listObjects("a/")).objects.map(({ key }) => key)).toEqual(names)
  })

  it("is no list where it names what comes before", async () => {
    const page = list("ListBucketResult", object("a/1"))
    const listed = answeredBy(() => page).listObjects("a/", { after: "a/2" })
    await expect(listed).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("is no list of a bucket where it goes on for ever, a name at a time", async () => {
    let count = 0
    const client = answeredBy(() =>
      list("ListBucketResult", `${object(`a/${1_000_000 + count++}`)}<IsTruncated>true</IsTruncated>`),
    )
    const read = async () => {
      for await (const _ of listPages(client, "a/"));
    }
    await expect(read()).rejects.toThrow("does not end")
    expect(count).toBe(1000)
  })

  it("is no list where its pages do not go on", async () => {
    const page = () => list("ListBucketResult", `${object("a/1")}<IsTruncated>true</IsTruncated>`)
    await expect(answeredBy(page).listObjects("a/", { after: "a/1" })).rejects.toMatchObject({ code: "StrangeAnswer" })
    const uploads = (mark: number) =>
      list(
        "ListMultipartUploadsResult",
        `<IsTruncated>true</IsTruncated><NextKeyMarker>${mark % 2}</NextKeyMarker><NextUploadIdMarker/>`,
      )
    await expect(answeredBy(uploads).listMultipartUploads("a/")).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("is no list of uploads or parts: others' names, other documents", async () => {
    const others = () => list("ListMultipartUploadsResult", "<Upload><Key>b/1</Key><UploadId>u</UploadId></Upload>")
    await expect(answeredBy(others).listMultipartUploads("a/")).rejects.toMatchObject({ code: "StrangeAnswer" })
    await expect(answeredBy(() => list("html", "")).listMultipartUploads("a/")).rejects.toThrow("no ListMultipart")
    await expect(answeredBy(() => list("html", "")).listParts("a/1", "u")).rejects.toThrow("no ListParts")
  })
})

const one = new Uint8Array(1)

const etagged = (headers: Record<string, string> = {}) => new Response(null, { headers: { etag: '"e"', ...headers } })

/** All operations but reading, with what S3 answers them. */
const operations: Record<string, { call: (client: S3Client) => Promise<unknown>; honest: () => Response }> = {
  PutObject: { call: (client) => client.putObject("a", [one]), honest: () => etagged() },
  HeadObject: { call: (client) => client.headObject("a"), honest: () => etagged({ "content-length": "3" }) },
  DeleteObject: { call: (client) => client.deleteObjects(["a"]), honest: () => new Response(null, { status: 204 }) },
  ListObjectsV2: { call: (client) => client.listObjects("a/"), honest: () => list("ListBucketResult", "") },
  CreateMultipartUpload: {
    call: (client) => client.createMultipartUpload("a"),
    honest: () => list("InitiateMultipartUploadResult", "<UploadId>u</UploadId>"),
  },
  UploadPart: { call: (client) => client.uploadPart("a", "u", 1, [one]), honest: () => etagged() },
  CompleteMultipartUpload: {
    call: (client) => client.completeMultipartUpload("a", "u", [{ number: 1, etag: "e" }]),
    honest: () => list("CompleteMultipartUploadResult", ""),
  },
  AbortMultipartUpload: {
    call: (client) => client.abortMultipartUpload("a", "u"),
    honest: () => new Response(null, { status: 204 }),
  },
  ListParts: { call: (client) => client.listParts("a", "u"), honest: () => list("ListPartsResult", "") },
  ListMultipartUploads: {
    call: (client) => client.listMultipartUploads("a/"),
    honest: () => list("ListMultipartUploadsResult", ""),
  },
}

/** What stands between a client and its bucket may have an ETag of its own. */
const page = () =>
  new Response("<!doctype html><html><body>Please log in</body></html>", {
    headers: { "content-type": "text/html", etag: 'W/"36-page"' },
  })

const withBody = Object.entries(operations).filter(([name]) => name !== "HeadObject")

describe("a success that is none", () => {
  it.each(Object.entries(operations))("%s is answered so as a rule", async (_, { call, honest }) => {
    await call(answeredBy(honest))
  })

  it.each(withBody)("%s is not answered by a page", async (_, { call }) => {
    await expect(call(answeredBy(page))).rejects.toMatchObject({ code: "StrangeAnswer", isOutcomeUnknown: true })
  })

  it.each(["PutObject", "UploadPart", "HeadObject", "CreateMultipartUpload", "CompleteMultipartUpload"])(
    "%s is not answered by nothing",
    async (name) => {
      const answer = () => new Response(null, { headers: { "content-length": "0" } })
      await expect(operations[name]!.call(answeredBy(answer))).rejects.toMatchObject({ code: "StrangeAnswer" })
    },
  )

  it.each([
    ["without a length", {}],
    ["with a length that is none", { "content-length": "many" }],
    ["with the length of something packed", { "content-length": "3", "content-encoding": "gzip" }],
  ])("a HEAD does not say how large an object is: %s", async (_, headers) => {
    const head = answeredBy(() => etagged(headers)).headObject("a")
    await expect(head).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  it("does not complete another object's upload", async () => {
    const about = (key: string) => answeredBy(() => list("CompleteMultipartUploadResult", `<Key>${key}</Key>`))
    const complete = (named: string, key: string) =>
      about(named).completeMultipartUpload(key, "u", [{ number: 1, etag: "e" }])
    await complete("a/b c", "a/b c")
    await complete("a%2Fb%20c", "a/b c")
    await complete("a/b%20c", "a/b c")
    await expect(complete("b", "a")).rejects.toMatchObject({ code: "StrangeAnswer", isOutcomeUnknown: true })
  })

  it("is no object where it has no ETag", async () => {
    const answer = () => new Response("<html></html>", { headers: { "content-length": "13" } })
    await expect(answeredBy(answer).getObject("a")).rejects.toMatchObject({ code: "StrangeAnswer" })
  })

  const inner = "<Code>InternalError</Code><Message>Again</Message>"
  const forms = {
    plain: `<Error>${inner}</Error>`,
    "with a namespace": `<Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</Error>`,
    "with a declaration and white space": `\n<?xml version="1.0" encoding="UTF-8"?>\n<Error\n>${inner}</Error>\n`,
    "with a prefix":
      '<s3:Error xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><s3:Code>InternalError</s3:Code></s3:Error>',
  }

  describe.each(Object.entries(forms))("is an error inside, %s", (_, text) => {
    it.each(withBody)("%s is tried again", async (_name, { call, honest }) => {
      let count = 0
      const answer = (request: number) => {
        count++
        return request === 0 ? new Response(text, { headers: { etag: '"e"' } }) : honest()
      }
      await call(answeredBy(answer))
      expect(count).toBe(2)
    })

    it.each(withBody)("%s fails with its code where it stays", async (_name, { call }) => {
      await expect(call(answeredBy(() => new Response(text)))).rejects.toMatchObject({
        code: "InternalError",
        isRetryable: true,
      })
    })
  })

  it("reads a list whose names have a prefix", async () => {
    const answer = () =>
      new Response(
        '<s:ListBucketResult xmlns:s="x"><s:Contents><s:Key>a/1</s:Key><s:Size>2</s:Size></s:Contents></s:ListBucketResult>',
      )
    expect((await answeredBy(answer).listObjects("a/")).objects).toMatchObject([{ key: "a/1", size: 2 }])
  })
})
