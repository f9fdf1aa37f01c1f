import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import packageJson from "../../../package.json" with { type: "json" }
import { operations } from "../../../src/ingest/rest/operations.ts"
import { createDecoder } from "../../../src/schema/decode.ts"
import { createGrant, putRaw, sign, startIngest } from "../circle.ts"
import { call, store } from "./rest-app.ts"

const readDocument = async (url: string): Promise<any> => (await fetch(`${url}/v6/openapi.json`)).json()

/** Whether a value is what a place of the document says; the reasons why not otherwise. */
const createCheck = (document: any) => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
  // The document is the schema that has all others in it: by its JSON pointers they are found.
  ajv.addKeyword({ keyword: ["openapi", "info", "paths", "components", "security", "servers"] })
  ajv.addSchema(document, "api")
  return (pointer: string, value: unknown): string => {
    const validate = ajv.getSchema(`api#${pointer}`)
    if (validate === undefined) throw new Error(`There is no ${pointer} in the document.`)
    return validate(value) ? "" : JSON.stringify(validate.errors)
  }
}

const escape = (key: string) => key.replaceAll("/", "~1")

const requestPointer = (name: string) =>
  `/paths/${escape(`/v6/${name}`)}/post/requestBody/content/${escape("application/json")}/schema`

const responsePointer = (document: any, name: string, status: number): string => {
  const { responses } = document.paths[`/v6/${name}`].post
  const row = String(status) in responses ? String(status) : "default"
  const type = status === 200 ? "application/json" : "application/problem+json"
  const { $ref } = responses[row]
  const response = $ref === undefined ? `/paths/${escape(`/v6/${name}`)}/post/responses/${row}` : $ref.slice(1)
  return `${response}/content/${escape(type)}/schema`
}

describe("docs/protocol.md §10", () => {
  const protocol = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8")
  const [, table = ""] = /^\| operation \| request \| 200 \|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(protocol) ?? []
  const rows = new Map(
    table
      .trim()
      .split("\n")
      .map((row) => row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "")))
      .map(([name, request, answer]) => [name!, { request: request!, answer: answer! }]),
  )
  /** Names of members, at any depth. */
  const membersOf = (value: unknown): ReadonlyArray<string> =>
    typeof value !== "object" || value === null
      ? []
      : Array.isArray(value)
        ? value.flatMap(membersOf)
        : Object.entries(value).flatMap(([name, member]) => [name, ...membersOf(member)])

  it("has a row for each operation, in their order", () => {
    expect([...rows.keys()]).toEqual([...operations.keys()])
  })

  it.each([...operations])("names what the example of %s asks and is answered", (name, { example }) => {
    const { request, answer } = rows.get(name)!
    const isNamed = (text: string) => (member: string) => new RegExp(`\\b${member}\\b`).test(text)
    expect(membersOf(example.answer).length).toBeGreaterThan(0)
    expect(membersOf(example.request).filter((member) => !isNamed(request)(member))).toEqual([])
    expect(membersOf(example.answer).filter((member) => !isNamed(answer)(member))).toEqual([])
  })
})

describe("the description of the REST API", () => {
  it("is valid OpenAPI 3.1, for anybody, with the public URL", async () => {
    const { url } = await startIngest({ url: "https://files.example.com/base" })
    const response = await fetch(`${url}/base/v6/openapi.json`)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.get("cache-control")).toContain("max-age")
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    const document = await response.json()
    const validator = new Validator()
    const verdict = await validator.validate(document)
    expect(verdict.errors).toBeUndefined()
    expect(validator.version).toBe("3.1")
    expect(document.servers).toEqual([{ url: "https://files.example.com/base" }])
    expect(document.info.version).toBe(packageJson.version)
    const head = await fetch(`${url}/base/v6/openapi.json`, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
    expect((await fetch(`${url}/base/v6/openapi.json`, { method: "POST" })).status).toBe(405)
  })

  it("is the one in docs", async () => {
    const { url } = await startIngest()
    const document = await readDocument(url)
    document.servers = [{ url: "https://ingest.example.com" }]
    document.info.version = "0.0.0"
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("../../../docs/openapi.json")
  })

  it("has every operation, and examples that are what it says", async () => {
    const { url } = await startIngest()
    const document = await readDocument(url)
    const check = createCheck(document)
    expect(Object.keys(document.paths)).toEqual([...operations.keys()].map((name) => `/v6/${name}`))
    for (const [name, { example }] of operations) {
      const { summary, description, requestBody, responses } = document.paths[`/v6/${name}`].post
      expect(summary.length).toBeGreaterThan(5)
      expect(description.length).toBeGreaterThan(20)
      expect(requestBody.content["application/json"].example).toEqual(example.request)
      expect(check(requestPointer(name), example.request)).toBe("")
      expect(check(responsePointer(document, name, 200), example.answer)).toBe("")
      for (const [status, { $ref }] of Object.entries<any>(responses)) {
        if (status === "200") continue
        const response = document.components.responses[$ref.split("/").at(-1)]
        const { example } = response.content["application/problem+json"]
        expect(check(responsePointer(document, name, Number(status)), example)).toBe("")
        if (status !== "default") expect(example.status).toBe(Number(status))
      }
    }
    expect(document.paths["/v6/listFiles"].post.requestBody.required).toBe(false)
    expect(document.paths["/v6/deleteFiles"].post.requestBody.required).toBe(true)
  })

  it("describes every answer there is", async () => {
    const ingest = await startIngest({ quota: 1000 })
    const document = await readDocument(ingest.url)
    const check = createCheck(document)
    const [key] = [await store(ingest, { customId: "mine" }), await store(ingest)]
    await putRaw(await sign(ingest.url, createGrant({ size: 9 })), "hel")
    const seen = new Set<string>()
    const verify = async (name: string, response: Response, expected: number) => {
      expect(response.status).toBe(expected)
      const pointer = responsePointer(document, name, response.status)
      expect(check(pointer, await response.json()), pointer).toBe("")
      seen.add(`${name} ${response.status}`)
    }
    /** The example, about a file that exists. */
    const toBody = (example: unknown, fileKey: string): unknown =>
      JSON.parse(JSON.stringify(example), (name, value: unknown) =>
        name === "fileKey" ? fileKey : name === "fileKeys" ? [fileKey] : name === "customId" ? "mine" : value,
      )
    // Deletion is last: the others need the file.
    const named = [...operations].toSorted(([a], [b]) => Number(a === "deleteFiles") - Number(b === "deleteFiles"))
    let ofOneFile = 0
    for (const [name, { example, needsFiles }] of named) {
      const body = toBody(example.request, key)
      const missing = await call(ingest.url, name, toBody(example.request, "none"))
      expect(missing.status, name).toBe(needsFiles ? 404 : 200)
      if (needsFiles) ofOneFile++
      await verify(name, missing, missing.status)
      await verify(name, await call(ingest.url, name, body), 200)
      await verify(name, await call(ingest.url, name, body, "sk_wrong"), 401)
      await verify(name, await call(ingest.url, name, null), 400)
      await verify(name, await call(ingest.url, name, { more: "x".repeat(4 * 1024 * 1024) }), 413)
      await verify(name, await fetch(`${ingest.url}/v6/${name}`), 405)
    }
    await verify("listFiles", await call(ingest.url, "listFiles", {}), 200)
    await ingest.drain(0)
    for (const name of operations.keys()) await verify(name, await call(ingest.url, name, {}), 503)
    expect(seen.size).toBe(operations.size * 6 + ofOneFile)
  })
})

describe("the described requests", () => {
  const name = "x".repeat(1024)
  const reference = [
    { fileKey: "a" },
    { customId: "ü" },
    {},
    { fileKey: "a", customId: "b" },
    { fileKey: "" },
    { fileKey: "a/b" },
    { fileKey: "a".repeat(513) },
    { fileKey: 1 },
    { customId: "" },
    { customId: "x".repeat(513) },
    { customId: null },
  ]
  const bodies: Record<string, ReadonlyArray<unknown>> = {
    listFiles: [
      {},
      { limit: 1 },
      { limit: 1000 },
      { limit: 0 },
      { limit: 1001 },
      { limit: 1.5 },
      { limit: "1" },
      { offset: 0 },
      { offset: -1 },
      { cursor: "12" },
      { cursor: 12 },
      { cursor: "" },
      { cursor: "12\n" },
      { cursor: "-1" },
      { cursor: "1".repeat(16) },
      { cursor: "1", offset: 0 },
      { status: "Uploaded" },
      { status: "uploaded" },
      { status: null },
      { more: true },
    ],
    deleteFiles: [
      { fileKeys: ["a"] },
      { customIds: ["a", "ü"] },
      { fileKeys: [] },
      { customIds: [] },
      { fileKeys: ["a"], customIds: ["b"] },
      { fileKeys: "a" },
      { fileKeys: ["a", 1] },
      { fileKeys: ["a\n"] },
      { fileKeys: Array(1000).fill("a") },
      { fileKeys: Array(1001).fill("a") },
      { customIds: [""] },
    ],
    renameFiles: [
      ...reference.map((file) => ({ updates: [{ ...file, newName: "b.txt" }] })),
      ...["", "\0", "ü.txt", "\ud800", "a\nb", name, `${name}x`, 1, null].map((newName) => ({
        updates: [{ fileKey: "a", newName }],
      })),
      { updates: [] },
      { updates: [{ fileKey: "a" }] },
    ],
    updateACL: [
      ...reference.map((file) => ({ updates: [{ ...file, acl: "private" }] })),
      ...["public-read", "public", null].map((acl) => ({ updates: [{ fileKey: "a", acl }] })),
      { updates: {} },
    ],
    getUsageInfo: [{ more: 1 }],
    requestFileAccess: [
      ...reference,
      ...[1, 604_800, 0, 604_801, 1.5, "1"].map((expiresIn) => ({ fileKey: "a", expiresIn })),
      ...[true, false, "a.txt", "", "a\0", null, 1].map((download) => ({ fileKey: "a", download })),
    ],
  }

  it("are the ones that are taken, and no others", async () => {
    const { url } = await startIngest()
    const check = createCheck(await readDocument(url))
    let [taken, refused] = [0, 0]
    for (const [operation, { request, example }] of operations) {
      const decode = createDecoder(request)
      const own = bodies[operation] ?? ("fileKey" in (example.request as object) ? reference : [])
      for (const body of [...own, example.request, {}, null, [], "text", 1, true]) {
        const isTaken = Result.isSuccess(Effect.runSync(Effect.result(decode(body))))
        expect(check(requestPointer(operation), body) === "", `${operation} ${JSON.stringify(body)}`).toBe(isTaken)
        if (isTaken) taken++
        else refused++
      }
    }
    expect(taken).toBeGreaterThan(20)
    expect(refused).toBeGreaterThan(60)
  })

  it("leave out none that is taken, whatever a name consists of", async () => {
    const { url } = await startIngest()
    const check = createCheck(await readDocument(url))
    const decode = createDecoder(operations.get("renameFiles")!.request)
    const property = fc.property(fc.string({ unit: "binary", maxLength: 1100 }), fc.boolean(), (text, isId) => {
      const body = { updates: [isId ? { customId: text, newName: "a" } : { fileKey: "a", newName: text }] }
      const isTaken = Result.isSuccess(Effect.runSync(Effect.result(decode(body))))
      if (isTaken) expect(check(requestPointer("renameFiles"), body)).toBe("")
    })
    fc.assert(property, { numRuns: 300 })
  })
})
