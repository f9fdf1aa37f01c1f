import * as fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { names } from "../../../src/protocol.ts"
import { operations } from "../../../src/ingest/rest/operations.ts"
import { apiKey, startIngest } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { captureConsole } from "../capture-console.ts"
import { answerOf, call, codeOf, createOther, other, store, storeOfOther } from "./rest-app.ts"

const operationNames = [...operations.keys()]

describe("who may use the REST API", () => {
  it("an app with its API key, nobody else, and no page", async () => {
    const { url } = await startIngest()
    for (const name of operationNames) {
      for (const key of ["", "sk_wrong", `${apiKey}x`]) {
        expect(await codeOf(await call(url, name, {}, key))).toBe("401 UNAUTHORIZED")
      }
      const preflight = await fetch(`${url}/v6/${name}`, { method: "OPTIONS" })
      expect(preflight.status).toBe(405)
      const answers = [preflight, await call(url, name, {}), await call(url, name, {}, "")]
      for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBeNull()
    }
  })
})

describe("addresses", () => {
  it("that are none name those there are", async () => {
    const { url } = await startIngest()
    for (const path of [
      "v6",
      "v6/",
      "v6/listfiles",
      "v6/listFiles/",
      "v6/constructor",
      "api",
      "api/nothing",
      "api/a/b",
    ]) {
      const response = await fetch(`${url}/${path}`, { method: "POST" })
      expect(response.status, path).toBe(404)
      const { code, detail } = await response.json()
      expect(code).toBe("NOT_FOUND")
      for (const name of operationNames) expect(detail).toContain(name)
    }
  })

  it("take POST only", async () => {
    const { url } = await startIngest()
    for (const path of ["v6/listFiles", "api/listFiles"]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const response = await fetch(`${url}/${path}`, { method })
        expect(response.headers.get("allow")).toBe("POST")
        expect(await codeOf(response)).toBe("405 METHOD_NOT_ALLOWED")
      }
    }
  })

  it("of old lead to the new ones, with method, key and body, behind a path as well", async () => {
    const ingest = await startIngest()
    const behind = await startIngest({ url: `${ingest.url}/base`, store: ingest.store, catalog: ingest.catalog })
    const key = await store(ingest)
    for (const base of [ingest.url, `${behind.url}/base`]) {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: JSON.stringify({ limit: 1 }),
      }
      const moved = await fetch(`${base}/api/listFiles`, { ...init, redirect: "manual" })
      expect(moved.status).toBe(308)
      expect(new URL(moved.headers.get("location")!, `${base}/api/listFiles`).href).toBe(`${base}/v6/listFiles`)
      expect(await answerOf(await fetch(`${base}/api/listFiles`, init))).toMatchObject({ files: [{ key }] })
    }
  })

  it("refuse while the ingest stops", async () => {
    const ingest = await startIngest()
    await ingest.drain(0)
    expect(await codeOf(await call(ingest.url, "listFiles", {}))).toBe("503 INGEST_UNAVAILABLE")
  })

  it("are what metrics and the log call a request by, unknown ones have one name", async () => {
    const lines = captureConsole()
    const ingest = await startIngest({ metrics: "open", logLevel: "Debug" })
    const key = await store(ingest, { acl: "private" })
    const { url } = await answerOf(await call(ingest.url, "requestFileAccess", { fileKey: key }))
    for (const name of ["nothing", "else"]) await call(ingest.url, name, {})
    const text = await (await fetch(`${ingest.url}/metrics`)).text()
    const requests = 'sluice_http_requests_total{method="POST",route='
    expect(text).toContain(`${requests}"/v6/requestFileAccess",status="200",code=""} 1`)
    expect(text).toContain(`${requests}"/v6/{operation}",status="404",code="NOT_FOUND"} 2`)
    expect(text).not.toContain("nothing")
    await call(ingest.url, "deleteFiles", { fileKeys: [key, "none"] })
    const log = lines.join("\n")
    expect(log).toMatch(/An app has deleted files\..*app=app-1 count=1/)
    expect(log).toContain("/v6/requestFileAccess")
    for (const secret of [apiKey, new URL(url).search]) expect(log).not.toContain(secret)
  })
})

describe("bodies", () => {
  it("that are too large, no JSON or not what the operation takes are refused in words", async () => {
    const { url } = await startIngest()
    const post = (body: string) =>
      fetch(`${url}/v6/deleteFiles`, { method: "POST", headers: { [names.header.apiKey]: apiKey }, body })
    const large = await post(JSON.stringify({ fileKeys: ["a"], more: "x".repeat(4 * 1024 * 1024) }))
    expect(await codeOf(large)).toBe("413 BAD_REQUEST")
    expect(await codeOf(await post("{"))).toBe("400 BAD_REQUEST")
    expect(await codeOf(await post(""))).toBe("400 BAD_REQUEST")
    const detailOf = async (body: unknown) => (await (await post(JSON.stringify(body))).json()).detail
    expect(await detailOf({ fileKeys: [] })).toBe("fileKeys: expected at least one file.")
    expect(await detailOf({ fileKeys: Array(1001).fill("a") })).toBe("fileKeys: expected at most 1000 files.")
    expect(await detailOf({ fileKeys: ["a"], customIds: ["b"] })).toBe(
      "Expected fileKeys or customIds, each with or without owner; or owner, prefix, or both.",
    )
    expect(await detailOf({})).toBe(
      "Expected fileKeys or customIds, each with or without owner; or owner, prefix, or both.",
    )
  })

  it("of any kind never make it fail", async () => {
    const folder = await makeFolder()
    const catalog = createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
    const { url } = await startIngest({ catalog })
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("a", "", "\0", "\ud800", "__proto__", "x".repeat(513)),
    )
    const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, 1e300, Number.MAX_SAFE_INTEGER))
    const value = fc.oneof(text, number, fc.jsonValue())
    const reference = fc.record({ fileKey: value, customId: value, newName: value, acl: value }, { requiredKeys: [] })
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          limit: fc.oneof(value, fc.nat(1100)),
          offset: value,
          cursor: fc.oneof(value, fc.nat().map(String)),
          status: fc.oneof(value, fc.constant("Uploaded")),
          fileKeys: fc.oneof(value, fc.array(text)),
          customIds: fc.oneof(value, fc.array(text)),
          updates: fc.oneof(value, fc.array(reference)),
          fileKey: value,
          customId: value,
          expiresIn: value,
        },
        { requiredKeys: [] },
      ),
    )
    const run = fc.asyncProperty(fc.constantFrom(...operationNames), body, async (name, sent) => {
      expect([200, 400, 404]).toContain((await call(url, name, sent)).status)
    })
    await fc.assert(run, { numRuns: 400 })
    const raw = fc.asyncProperty(fc.constantFrom(...operationNames), fc.uint8Array(), async (name, sent) => {
      const headers = { [names.header.apiKey]: apiKey }
      const response = await fetch(`${url}/v6/${name}`, { method: "POST", headers, body: sent as BodyInit })
      expect([200, 400, 404]).toContain(response.status)
    })
    await fc.assert(raw, { numRuns: 100 })
    const nested = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`
    const headers = { [names.header.apiKey]: apiKey }
    const body2 = `{"fileKeys":${nested}}`
    expect((await fetch(`${url}/v6/deleteFiles`, { method: "POST", headers, body: body2 })).status).toBe(400)
  })
})

it("a body of more values than a thousand files can have is refused before it is parsed", async () => {
  const { url } = await startIngest()
  const members = Array.from({ length: 20_001 }, (_, i) => `"k${i}":1`).join()
  const detail = "The request's body has more than 20,000 values."
  for (const [path, body] of [
    ["v6/listFiles", `{${members}}`],
    ["v6/renameFiles", `{"updates":[${"{},".repeat(20_001)}{}]}`],
    ["route-registrations", `{${members}}`],
  ]) {
    const headers = { [names.header.apiKey]: apiKey, "content-type": "application/json" }
    const response = await fetch(`${url}/${path}`, { method: "POST", headers, body: body! })
    expect([response.status, (await response.json()).detail]).toEqual([400, detail])
  }
})

describe("two apps of one ingest", () => {
  it("never see or reach each other's files, by key or by custom id", async () => {
    const ingest = await startIngest()
    await createOther(ingest.catalog)
    const mine = await store(ingest, { customId: "shared" })
    const theirs = await storeOfOther(ingest, { customId: "shared", acl: "private" })
    const sole = await storeOfOther(ingest, { customId: "theirs alone" })
    const before = await ingest.catalog.list({ appId: other.id, limit: 10 })

    const files = async (key: string) => (await answerOf(await call(ingest.url, "listFiles", {}, key))).files
    expect((await files(apiKey)).map(({ key }: { key: string }) => key)).toEqual([mine])
    expect((await files(other.apiKey)).map(({ key }: { key: string }) => key)).toEqual([sole, theirs])
    expect(await answerOf(await call(ingest.url, "getUsageInfo", {}))).toMatchObject({ filesUploaded: 1 })

    const references = [{ fileKey: theirs }, { fileKey: sole }, { customId: "theirs alone" }]
    for (const reference of references) {
      expect(await codeOf(await call(ingest.url, "requestFileAccess", reference))).toBe("404 NOT_FOUND")
    }
    const got = await answerOf(await call(ingest.url, "getFiles", { fileKeys: [sole, mine, theirs] }))
    expect(got.files.map(({ key }: { key: string }) => key)).toEqual([mine])
    const { url } = await answerOf(await call(ingest.url, "requestFileAccess", { customId: "shared" }))
    expect(url).toContain(mine)
    // A URL one app had signed for its own file does not open the other's.
    expect(await codeOf(await fetch(url.replace(mine, theirs)))).toBe("403 FORBIDDEN")

    const rename = references.map((reference) => ({ ...reference, newName: "taken.txt" }))
    const close = references.map((reference) => ({ ...reference, acl: "public-read" }))
    expect(await answerOf(await call(ingest.url, "renameFiles", { updates: rename }))).toMatchObject({
      renamedCount: 0,
    })
    expect(await answerOf(await call(ingest.url, "updateACL", { updates: close }))).toMatchObject({ updatedCount: 0 })
    for (const body of [{ fileKeys: [theirs, sole] }, { customIds: ["theirs alone"] }]) {
      expect(await answerOf(await call(ingest.url, "deleteFiles", body))).toMatchObject({ deletedCount: 0 })
    }
    expect(await answerOf(await call(ingest.url, "deleteFiles", { customIds: ["shared"] }))).toMatchObject({
      deletedCount: 1,
    })
    expect(await ingest.catalog.list({ appId: other.id, limit: 10 })).toEqual(before)
  })
})
