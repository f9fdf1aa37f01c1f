import { createHash } from "node:crypto"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { createDiskBlobStore, createMemoryBlobStore, createSqliteCatalog } from "../../../src/ingest.ts"
import { toBlobName } from "../../../src/ingest/storage/blob-name.ts"
import { names } from "../../../src/protocol.ts"
import {
  countPulled,
  createGrant,
  eventually,
  hasByte,
  offsetOf,
  put,
  putRaw,
  randomContent,
  sign,
  startIngest,
  toForm,
} from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const onDisk = async () => {
  const folder = await makeFolder()
  return () => ({
    store: createDiskBlobStore({ folder: join(folder, "blobs") }),
    catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
  })
}

/** A client that sends some bytes and then says nothing, like a phone without a net; `leave` breaks its socket. */
const startStalled = async (url: string, bytes: Uint8Array, start = 0) => {
  const request = httpRequest(url, {
    method: "PUT",
    headers: { range: `bytes=${start}-`, "content-type": "application/octet-stream" },
  })
  const answered = new Promise<number | undefined>((resolve) => {
    request.on("response", (response) => resolve(response.resume().statusCode))
    request.on("error", () => resolve(undefined))
  })
  await new Promise<void>((resolve) => request.write(bytes, () => resolve()))
  onTestFinished(() => void request.destroy())
  return { answered, leave: () => void request.destroy() }
}

describe("an interrupted upload", () => {
  it("goes on where its bytes end, and hashes the whole", async () => {
    const ingest = await startIngest((await onDisk())())
    const content = randomContent(5_000_000)
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const signed = await sign(ingest.url, grant)
    expect(await offsetOf(signed)).toBe(0)
    const client = await startStalled(signed, content.subarray(0, 3_500_000))
    await eventually(() => hasByte(ingest, grant.key, 2_000_000))
    client.leave()
    const offset = await offsetOf(signed)
    expect(offset).toBeGreaterThan(2_000_000)
    expect(offset).toBeLessThanOrEqual(3_500_000)
    const response = await put(signed, toForm(content.subarray(offset)), offset)
    expect(response.status).toBe(200)
    const { fileHash, url: fileUrl } = await response.json()
    expect(fileHash).toBe(sha256(content))
    expect(Buffer.compare(Buffer.from(await (await fetch(fileUrl)).arrayBuffer()), content)).toBe(0)
  })

  it("goes on after a restart of the ingest, which reads the stored bytes again", async () => {
    const open = await onDisk()
    const content = randomContent(200_000)
    const grant = createGrant({ size: content.length })
    const first = await startIngest(open())
    const early = await putRaw(await sign(first.url, grant), content.subarray(0, 70_000))
    expect(early.status).toBe(409)
    expect(early.headers.get(names.header.rangeStart)).toBe("70000")
    await first.close()
    const second = await startIngest(open())
    const signed = await sign(second.url, grant)
    expect(await offsetOf(signed)).toBe(70_000)
    const response = await putRaw(signed, content.subarray(70_000), 70_000)
    expect(await response.json()).toMatchObject({ fileHash: sha256(content) })
  })

  it("is told the right offset when it goes on at a wrong one", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    await putRaw(signed, "hel")
    for (const [start, body] of [
      [0, "hello"],
      [2, "llo"],
      [4, "o"],
    ] as const) {
      const response = await putRaw(signed, body, start)
      expect(response.status).toBe(409)
      expect(await response.json()).toMatchObject({ code: "RANGE_MISMATCH" })
      expect(response.headers.get(names.header.rangeStart)).toBe("3")
      expect(response.headers.get("access-control-allow-origin")).toBe("*")
    }
    expect((await putRaw(signed, "lo", 3)).status).toBe(200)
  })

  it("hands over to a newer request at once, although its socket is still open", async () => {
    const { store, pulled } = countPulled(createMemoryBlobStore())
    const { url } = await startIngest({ store })
    const content = randomContent(300_000)
    const signed = await sign(url, createGrant({ size: content.length }))
    const stalled = await startStalled(signed, content.subarray(0, 100_000))
    await eventually(() => pulled() === 100_000)
    expect(await offsetOf(signed)).toBe(100_000)
    expect(await stalled.answered).toBe(423)
    const again = await startStalled(signed, content.subarray(100_000, 150_000), 100_000)
    await eventually(() => pulled() === 150_000)
    const stored = await offsetOf(signed)
    expect(stored).toBe(150_000)
    expect(await again.answered).toBe(423)
    const response = await putRaw(signed, content.subarray(stored), stored)
    expect(await response.json()).toMatchObject({ fileHash: sha256(content) })
  })

  it("keeps what arrived when the ingest closes", async () => {
    const open = await onDisk()
    const grant = createGrant({ size: 100_000 })
    const { store: disk, catalog } = open()
    const { store, pulled } = countPulled(disk)
    const first = await startIngest({ store, catalog })
    await startStalled(await sign(first.url, grant), randomContent(40_000))
    await eventually(() => pulled() === 40_000)
    await first.close()
    const second = await startIngest(open())
    expect(await offsetOf(await sign(second.url, grant))).toBe(40_000)
  })

  it("ends well when every byte comes in a request of its own", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    for (const [index, letter] of [..."hello"].entries()) {
      const response = await putRaw(signed, letter, index)
      expect(response.status).toBe(index === 4 ? 200 : 409)
    }
    expect((await (await putRaw(signed, null, 5)).json()).fileHash).toBe(sha256("hello"))
  })
})

describe("a finished key", () => {
  it("gives the same answer to a repeated PUT, whatever it sends, and changes nothing", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    const first = await (await putRaw(signed, "hello")).json()
    for (const [body, start] of [
      ["hello", 0],
      ["HELLO", 0],
      [null, 5],
    ] as const) {
      const response = await putRaw(signed, body, start)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(first)
    }
    expect(await (await fetch(first.url)).text()).toBe("hello")
  })

  it("does not tell its offset to another file that is granted its key", async () => {
    const { url } = await startIngest()
    const grant = createGrant()
    await putRaw(await sign(url, grant), "hel")
    const other = await sign(url, { ...grant, size: 2 })
    expect(await offsetOf(other)).toBe(0)
    expect(await offsetOf(await sign(url, grant))).toBe(3)
    expect((await putRaw(other, "wo")).status).toBe(200)
  })

  it("is not given to another file", async () => {
    const { url } = await startIngest()
    const grant = createGrant()
    const first = await (await putRaw(await sign(url, grant), "hello")).json()
    const response = await putRaw(await sign(url, { ...grant, size: 6 }), "worlds")
    expect(response.status).toBe(409)
    expect(await (await fetch(first.url)).text()).toBe("hello")
  })
})

it("stores a file of no bytes", async () => {
  const { url } = await startIngest((await onDisk())())
  for (const body of [toForm(""), ""]) {
    const grant = createGrant({ size: 0 })
    const response =
      typeof body === "string" ? await putRaw(await sign(url, grant), body) : await put(await sign(url, grant), body)
    expect(response.status).toBe(200)
    const file = await response.json()
    expect(file).toMatchObject({ size: 0, fileHash: sha256("") })
    const read = await fetch(file.url)
    expect([read.status, await read.text()]).toEqual([200, ""])
  }
})

it.each(["hello", ""])("completes a file whose last byte was stored just before a crash: %j", async (content) => {
  const open = await onDisk()
  const grant = createGrant({ size: content.length })
  const { store, catalog } = open()
  const begun = await catalog.begin({ grant, origin: "http://x", now: Date.now() })
  if (begun.kind !== "granted") throw new Error(begun.kind)
  const blob = toBlobName({ key: grant.key, id: begun.id })
  async function* body() {
    yield new TextEncoder().encode(content)
  }
  await store.append(blob, { epoch: 1, offset: 0, size: content.length, body: body() })
  await store.finish(blob, { epoch: 1, size: content.length })
  await catalog.close()
  const { url } = await startIngest(open())
  const signed = await sign(url, grant)
  expect(await offsetOf(signed)).toBe(content.length)
  expect(await (await putRaw(signed, null, content.length)).json()).toMatchObject({
    fileHash: sha256(content),
  })
})
