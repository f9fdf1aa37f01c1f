import { describe, expect, it } from "vitest"
import { createS3Client } from "../../../../../src/ingest/storage/s3/client/s3-client.ts"

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
  ])("is no list of objects: %s", async (_, answer) => {
    await expect(answeredBy(() => answer).listObjects("a/")).rejects.toMatchObject({ code: "StrangeAnswer" })
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
    await expect(answeredBy(() => list("html", "")).listMultipartUploads("a/")).rejects.toThrow("no list")
    await expect(answeredBy(() => list("html", "")).listParts("a/1", "u")).rejects.toThrow("no list")
  })
})
