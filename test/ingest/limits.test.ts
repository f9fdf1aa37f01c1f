import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { names, type UploadGrant } from "../../src/protocol.ts"
import { apiKey, createGrant, eventually, offsetOf, postResult, putRaw, register, sign, startIngest } from "./circle.ts"
import { createPacedBody } from "./upload/paced-body.ts"

const problemOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

describe("the size of a file", () => {
  it("is refused above the operator's limit before a byte is read", async () => {
    const { url, catalog } = await startIngest({ maxFileSize: 4 })
    const grant = createGrant({ size: 5 })
    const { body } = createPacedBody("hel")
    const response = await putRaw(await sign(url, grant), body)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: "FILE_TOO_LARGE", data: { maxSize: 4 } })
    const form = await fetch(await sign(url, grant), { method: "POST", body: "hello" })
    expect(await form.json()).toMatchObject({ code: "FILE_TOO_LARGE", data: { maxSize: 4 } })
    expect(await catalog.get(grant.key)).toBeNull()
    expect((await putRaw(await sign(url, createGrant({ size: 4 })), "hell")).status).toBe(200)
  })
})

describe("HEAD of an upload that could not begin", () => {
  it("says so by the status of its PUT, before a byte is sent, and keeps nothing", async () => {
    const { url, catalog } = await startIngest({ maxFileSize: 9, quota: 8 })
    const ask = async (grant: UploadGrant) => {
      const signed = await sign(url, grant)
      const head = await fetch(signed, { method: "HEAD" })
      const put = await putRaw(signed, "")
      return [head.status, head.headers.get("access-control-allow-origin"), put.status]
    }
    expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
    expect(await ask(createGrant({ size: 10 }))).toEqual([413, "*", 413])
    expect(await ask(createGrant({ size: 9 }))).toEqual([413, "*", 413])
    const none = createGrant({ size: 4 })
    expect(await ask(none)).toEqual([507, "*", 507])
    expect(await catalog.get(none.key)).toBeNull()
    expect(await ask(createGrant({ size: 3 }))).toEqual([200, "*", 409])
  })

  it("is answered for a key of another file, and for an upload that has failed", async () => {
    const { url } = await startIngest()
    const grant = createGrant()
    const head = async (more: Partial<UploadGrant>) =>
      (await fetch(await sign(url, { ...grant, ...more }), { method: "HEAD" })).status
    expect((await putRaw(await sign(url, grant), "hello!")).status).toBe(413)
    expect(await head({})).toBe(413)
    const other = createGrant()
    expect((await putRaw(await sign(url, other), "hello")).status).toBe(200)
    expect(await head({ key: other.key, size: 7 })).toBe(409)
  })
})

it("HEAD takes nothing of the room that is left: others' uploads have it", async () => {
  const reserve = 1_000_000_000
  const store = { ...createMemoryBlobStore(), free: async () => reserve + 10_000 }
  const { url } = await startIngest({ store, minimumFree: reserve })
  const signed = await sign(url, createGrant())
  const heads = await Promise.all(Array.from({ length: 100 }, () => fetch(signed, { method: "HEAD" })))
  expect(new Set(heads.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
})

describe("the largest append", () => {
  it("is on every answer of an upload URL, for pages too, and nowhere else; larger bodies are taken all the same", async () => {
    const { url } = await startIngest({ largestAppend: 65_536 })
    const signed = await sign(url, createGrant({ size: 100_000 }))
    const said = (response: Response) => [response.status, response.headers.get("x-sluice-largest-append")]
    const head = await fetch(signed, { method: "HEAD" })
    expect(said(head)).toEqual([200, "65536"])
    expect(head.headers.get("access-control-expose-headers")).toContain("x-sluice-largest-append")
    expect(said(await putRaw(signed, "x".repeat(70_000)))).toEqual([409, "65536"])
    expect(said(await putRaw(signed, "x".repeat(30_000), 70_000))).toEqual([200, "65536"])
    expect(said(await fetch(`${signed}x`, { method: "HEAD" }))).toEqual([403, "65536"])
    expect(said(await fetch(`${url}/health`))).toEqual([200, null])
  })

  it("is on no answer unless the operator wants it, and never below 64 KiB", async () => {
    const { url } = await startIngest()
    const head = await fetch(await sign(url, createGrant()), { method: "HEAD" })
    expect([head.status, head.headers.get("x-sluice-largest-append")]).toEqual([200, null])
    await expect(startIngest({ largestAppend: 65_535 })).rejects.toThrow(
      "largestAppend is 65535; it must be at least 65536",
    )
  })
})

/** A catalog that knows an upload from its first byte on, however small it is. */
const begun = () => createMemoryCatalog({ largestContent: 0 })

describe("uploads at the same time", () => {
  it("are refused above the limit until one ends; other requests and the same file's next writer are not counted", async () => {
    const { url, catalog } = await startIngest({ maxConcurrentUploads: 2, catalog: begun() })
    const [one, two, three] = [createGrant(), createGrant(), createGrant()]
    const [first, second] = [createPacedBody("hel"), createPacedBody("hel")]
    const running = [putRaw(await sign(url, one), first.body), putRaw(await sign(url, two), second.body)]
    await eventually(async () => (await catalog.get(one.key)) !== null && (await catalog.get(two.key)) !== null)

    const refused = await putRaw(await sign(url, three), "hello")
    expect(refused.headers.get("retry-after")).toBe("5")
    expect(await problemOf(refused)).toBe("429 RATE_LIMITED")
    expect(await catalog.get(three.key)).toBeNull()
    expect((await fetch(`${url}/f/nothing`)).status).toBe(404)

    const signed = await sign(url, one)
    const offset = await offsetOf(signed)
    await running[0]!.catch(() => {})
    expect((await putRaw(signed, "hello".slice(offset), offset)).status).toBe(200)
    expect((await putRaw(await sign(url, three), "hello")).status).toBe(200)
    second.end("lo")
    expect((await running[1]!).status).toBe(200)
  })

  it("count a file once whose newer writer replaces the one before", async () => {
    const { url, catalog } = await startIngest({ maxConcurrentUploads: 1, catalog: begun() })
    const grant = createGrant()
    const signed = await sign(url, grant)
    const replaced = putRaw(signed, createPacedBody("h").body).catch(() => undefined)
    await eventually(async () => (await catalog.get(grant.key)) !== null)
    // 409 when a byte of the first one is stored already; never 429.
    expect([200, 409]).toContain((await putRaw(signed, "hello")).status)
    await replaced
    const offset = await offsetOf(signed)
    expect((await putRaw(signed, "hello".slice(offset), offset)).status).toBe(200)
    expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
  })
})

describe("the body of an app's request", () => {
  it.each([names.path.register, names.path.callbackResult])(
    "to /%s has to be complete in time, and its connection is closed",
    async (path) => {
      const { url } = await startIngest({ bodyTimeout: 50 })
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      let answer = ""
      // A reset is an end as well.
      socket.on("data", (data) => (answer += data.toString())).on("error", () => {})
      socket.write(
        `POST /${path} HTTP/1.1\r\nhost: x\r\n${names.header.apiKey}: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"fileKeys":`,
      )
      const trickle = setInterval(() => socket.write(" "), 10)
      onTestFinished(() => clearInterval(trickle))
      await once(socket, "data")
      expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*connection: close[^]*"code":"BAD_REQUEST"/i)
      clearInterval(trickle)
      await eventually(() => socket.closed)
    },
  )

  it("is refused above its size, also when nobody says how large it is", async () => {
    const { url } = await startIngest()
    expect((await postResult(url, { fileKey: "x", callbackData: "x".repeat(2 * 1024 * 1024) })).status).toBe(413)
    const grant = createGrant()
    expect((await register(url, { fileKeys: [grant.key], metadata: "x".repeat(65 * 1024) })).status).toBe(413)
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
    })
    const outcome = await fetch(`${url}/${names.path.register}`, {
      method: "POST",
      headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
      body: endless,
      duplex: "half",
    } as RequestInit).then(
      ({ status }) => status,
      () => "closed",
    )
    expect([413, "closed"]).toContain(outcome)
  })
})

describe("a setting", () => {
  it.each([
    [{ quota: -1 }, "quota"],
    [{ maxFileSize: Number.NaN }, "maxFileSize"],
    [{ maxConcurrentUploads: 0 }, "maxConcurrentUploads"],
    [{ minimumRateWindow: 0 }, "minimumRateWindow"],
    [{ maxConcurrentReads: 0 }, "maxConcurrentReads"],
    [{ minimumReadRateWindow: 0 }, "minimumReadRateWindow"],
  ])("that makes no sense is refused by name: %o", async (options, name) => {
    await expect(startIngest(options)).rejects.toThrow(new RegExp(`INVALID_CONFIG: .*${name}`))
  })
})
