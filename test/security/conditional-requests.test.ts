import { describe, expect, it } from "vitest"
import { names, type UploadGrant } from "../../src/protocol.ts"
import { apiKey, createGrant, type IngestUnderTest, put, putRaw, sign, startIngest, toForm } from "../ingest/circle.ts"

const store = async ({ url }: IngestUnderTest) => {
  const grant = createGrant()
  expect((await put(await sign(url, grant), toForm("hello"))).status).toBe(200)
  const file = `${url}/f/${grant.key}`
  const { headers } = await fetch(file)
  return { file, etag: headers.get("etag")!, modified: headers.get("last-modified")! }
}

const past = "Thu, 01 Jan 1970 00:00:00 GMT"
const future = "Fri, 31 Dec 2100 23:59:59 GMT"

describe("the conditions of a read", () => {
  it("are held in the order of RFC 9110, and a version that is not there is a 412", async () => {
    const { file, etag, modified } = await store(await startIngest())
    const other = '"other"'
    const table: ReadonlyArray<readonly [Record<string, string>, number]> = [
      // Step 1: If-Match, by strong comparison.
      [{ "if-match": etag }, 200],
      [{ "if-match": `"a,b", ${etag}` }, 200],
      [{ "if-match": "*" }, 200],
      [{ "if-match": other }, 412],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-match": "nonsense" }, 412],
      [{ "if-match": "" }, 412],
      // Step 2: If-Unmodified-Since, only without If-Match.
      [{ "if-unmodified-since": modified }, 200],
      [{ "if-unmodified-since": future }, 200],
      [{ "if-unmodified-since": past }, 412],
      [{ "if-unmodified-since": "Thursday, 01-Jan-70 00:00:00 GMT" }, 412],
      [{ "if-unmodified-since": "Thu Jan  1 00:00:00 1970" }, 412],
      [{ "if-unmodified-since": "nonsense" }, 200],
      [{ "if-unmodified-since": "1970-01-01T00:00:00Z" }, 200],
      [{ "if-match": etag, "if-unmodified-since": past }, 200],
      [{ "if-match": other, "if-unmodified-since": future }, 412],
      // Step 3: If-None-Match, after either.
      [{ "if-match": etag, "if-none-match": etag }, 304],
      [{ "if-match": other, "if-none-match": etag }, 412],
      [{ "if-unmodified-since": past, "if-none-match": etag }, 412],
      [{ "if-unmodified-since": modified, "if-none-match": other }, 200],
      // Step 4: If-Modified-Since, only without If-None-Match.
      [{ "if-match": etag, "if-modified-since": modified }, 304],
      [{ "if-none-match": other, "if-modified-since": modified }, 200],
      [{ "if-unmodified-since": past, "if-modified-since": modified }, 412],
      [{ "if-modified-since": "2100-01-01" }, 200],
      // Step 5: If-Range, after all others.
      [{ "if-match": etag, range: "bytes=1-2", "if-range": etag }, 206],
      [{ "if-match": other, range: "bytes=1-2", "if-range": etag }, 412],
      [{ "if-match": etag, range: "bytes=1-2", "if-range": other }, 200],
      [{ "if-match": other, range: "bytes=9-" }, 412],
      [{ "if-match": etag, range: "bytes=9-" }, 416],
    ]
    for (const method of ["GET", "HEAD"]) {
      for (const [headers, expected] of table) {
        const response = await fetch(file, { method, headers })
        expect(response.status, `${method} ${JSON.stringify(headers)}`).toBe(expected)
        const body = await response.text()
        if (expected === 412 && method === "GET") {
          expect(JSON.parse(body)).toMatchObject({ code: "BAD_REQUEST", status: 412 })
        }
      }
    }
  })

  it("tell nothing of a private file to those who may not read it", async () => {
    const ingest = await startIngest({ defaultAcl: "private" })
    const grant = createGrant()
    expect((await put(await sign(ingest.url, grant), toForm("hello"))).status).toBe(200)
    for (const condition of ["*", '"other"']) {
      const response = await fetch(`${ingest.url}/f/${grant.key}`, { headers: { "if-match": condition } })
      expect(response.status).toBe(403)
      await response.body?.cancel()
    }
  })
})

describe("a cache that asks whether what it has of a file is still right", () => {
  const customId = "logo"
  const startLogo = async () => {
    const { url } = await startIngest({ defaultAcl: "public-read" })
    const call = async (operation: string, update: object): Promise<void> => {
      const response = await fetch(`${url}/${names.path.api}/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: JSON.stringify({ updates: [{ customId, ...update }] }),
      })
      expect(response.status).toBe(200)
    }
    const upload = async (grant: Partial<UploadGrant>): Promise<void> => {
      expect((await putRaw(await sign(url, createGrant({ customId, ...grant })), "hello")).status).toBe(200)
    }
    return { call, upload, read: (headers: HeadersInit = {}) => fetch(`${url}/a/app-1/${customId}`, { headers }) }
  }
  const kept = (response: Response) => ({ "if-none-match": response.headers.get("etag")! })

  it.each([
    ["type", { type: "application/octet-stream" }],
    ["disposition", { contentDisposition: "attachment" }],
    ["name", { name: "other.txt" }],
  ] as const)("gets the same bytes anew where they have another %s", async (_what, grant) => {
    const { upload, read } = await startLogo()
    await upload({})
    const first = await read()
    expect((await read(kept(first))).status).toBe(304)
    await upload(grant)
    const second = await read(kept(first))
    expect(second.status).toBe(200)
    expect(await second.text()).toBe("hello")
    const offered = ["content-type", "content-disposition"].map((name) => second.headers.get(name))
    expect(offered).not.toEqual(["content-type", "content-disposition"].map((name) => first.headers.get(name)))
    expect((await read(kept(second))).status).toBe(304)
    // What else a tag is good for agrees.
    const tag = first.headers.get("etag")!
    expect((await read({ "if-match": tag })).status).toBe(412)
    expect((await read({ range: "bytes=1-2", "if-range": tag })).status).toBe(200)
    expect((await read({ range: "bytes=1-2", "if-range": second.headers.get("etag")! })).status).toBe(206)
  })

  it("gets it anew after a rename, not after one that is undone, and not at all once it is private", async () => {
    const { call, upload, read } = await startLogo()
    await upload({ name: "old.txt" })
    const first = await read()
    await call("renameFiles", { newName: "new.txt" })
    const second = await read(kept(first))
    expect(second.status).toBe(200)
    expect(second.headers.get("content-disposition")).toContain("new.txt")
    await call("renameFiles", { newName: "old.txt" })
    expect((await read(kept(first))).status).toBe(304)
    await call("updateACL", { acl: "private" })
    expect((await read(kept(first))).status).toBe(403)
  })
})
