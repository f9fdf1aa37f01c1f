import { createHash } from "node:crypto"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { randomContent, startIngest, token } from "../../ingest/circle.ts"
import { sendBytes, startSource } from "./source.ts"

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const text = { "content-type": "text/plain" }
const local = { allowPrivateNetwork: true, retry: { delay: 1 } } as const

const start = async (options: Parameters<typeof startIngest>[0] = {}) => {
  const ingest = await startIngest(options)
  return { ...ingest, api: new SluiceApi({ token, ingestUrl: ingest.url, logLevel: "None" }) }
}

/** An empty folder for temporary files, for this test only. */
const useFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "from-url-"))
  vi.stubEnv("TMPDIR", folder)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  return folder
}

it("one URL gives one result, a list a list in its order; what fails does not stop the others", async () => {
  const { api } = await start()
  const source = await startSource((request, response) => {
    const wait = request.url === "/slow.txt" ? 50 : 0
    if (request.url === "/missing") response.writeHead(404).end()
    else setTimeout(() => response.writeHead(200, text).end(request.url), wait)
  })
  const one = await api.uploadFilesFromUrl(`${source.url}/a.txt`, local)
  expect(one).toMatchObject({ data: { name: "a.txt", size: 6, type: "text/plain" }, error: null })
  expect(await (await fetch(one.data!.url)).text()).toBe("/a.txt")

  const results = await api.uploadFilesFromUrl(
    [
      `${source.url}/slow.txt`,
      new URL(`${source.url}/missing`),
      { url: `${source.url}/b.txt`, name: "c.txt", customId: "c", acl: "public-read" },
      "nonsense",
      "http://user:password@127.0.0.1/",
      { url: `${source.url}/d.txt`, name: "x".repeat(2000) },
    ],
    { ...local, concurrency: 2 },
  )
  expect(results).toMatchObject([
    { data: { name: "slow.txt" }, error: null },
    { data: null, error: { code: "BAD_REQUEST" } },
    { data: { name: "c.txt", customId: "c" }, error: null },
    { data: null, error: { code: "BAD_REQUEST" } },
    { data: null, error: { code: "BAD_REQUEST" } },
    { data: null, error: { code: "BAD_REQUEST" } },
  ])
  expect(await api.uploadFilesFromUrl([], local)).toEqual([])
})

it("by default a server of this machine is not asked, and nothing is stored", async () => {
  const { api, store } = await start()
  const source = await startSource((_, response) => response.end("secret"))
  const append = vi.spyOn(store, "append")
  const results = await api.uploadFilesFromUrl([source.url, "http://169.254.169.254/latest/meta-data/"])
  expect(results).toMatchObject([{ error: { code: "FORBIDDEN" } }, { error: { code: "FORBIDDEN" } }])
  expect(source.requests).toEqual([])
  expect(append).not.toHaveBeenCalled()
})

it("options that make no sense are told before anything is fetched", async () => {
  const { api } = await start()
  const rejected = expect.objectContaining({ code: "INVALID_CONFIG" })
  await expect(api.uploadFilesFromUrl([], { allowedHosts: ["https://example.com"] })).rejects.toEqual(rejected)
  await expect(api.uploadFilesFromUrl([], { timeout: "soon" as never })).rejects.toEqual(rejected)
})

it("an empty file arrives", async () => {
  const { api } = await start()
  const source = await startSource((_, response) => response.writeHead(200, { "content-length": 0 }).end())
  expect(await api.uploadFilesFromUrl(`${source.url}/empty`, local)).toMatchObject({ data: { size: 0 }, error: null })
})

it("a source that breaks off three times is resumed, and the file is the same", async () => {
  const { api } = await start()
  const bytes = randomContent(6_000_000)
  const source = await startSource((request, response) => {
    const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0])
    const part = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
    const length = { "content-length": bytes.length - start, etag: '"v1"' }
    response.writeHead(start === 0 ? 200 : 206, start === 0 ? length : { ...length, ...part })
    const end = source.requests.length < 4 ? start + 1_500_000 : bytes.length
    response.write(bytes.subarray(start, end), () => (end === bytes.length ? response.end() : response.destroy()))
  })
  const { data, error } = await api.uploadFilesFromUrl(`${source.url}/big.bin`, local)
  expect(error).toBeNull()
  expect(data).toMatchObject({ size: bytes.length, fileHash: sha256(bytes) })
  expect(source.requests.length).toBeGreaterThanOrEqual(4)
})

it("a source that breaks off after each piece ends as an error, not as half a file", async () => {
  const { api } = await start()
  const source = await startSource((request, response) => {
    const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0])
    const headers = {
      "content-length": 1_000_000 - start,
      "content-range": `bytes ${start}-999999/1000000`,
      etag: '"v1"',
    }
    response.writeHead(start === 0 ? 200 : 206, headers)
    response.write(new Uint8Array(1000), () => response.destroy())
  })
  const { data, error } = await api.uploadFilesFromUrl(`${source.url}/a.bin`, local)
  expect(data).toBeNull()
  expect(error).toMatchObject({ code: "NETWORK_ERROR", message: expect.stringContaining(`${source.url}/a.bin`) })
  expect(source.requests.length).toBeLessThanOrEqual(4)
})

it("a source that has changed when it is resumed is an error", async () => {
  const { api } = await start()
  const source = await startSource((request, response) => {
    if (source.requests.length > 1) return sendBytes(request, response, randomContent(500_000), { etag: '"v2"' })
    response.writeHead(200, { "content-length": 500_000, etag: '"v1"' })
    response.write(new Uint8Array(100_000), () => response.destroy())
  })
  const { error } = await api.uploadFilesFromUrl(`${source.url}/a.bin?token=s3cret`, local)
  expect(error).toMatchObject({ message: `${source.url}/a.bin changed while it was being copied. Upload it again.` })
})

it("an upload that breaks on its way to the ingest goes on from where it is, by a range", async () => {
  const ingest = await startIngest()
  const bytes = randomContent(4_000_000)
  let puts = 0
  const breaking: typeof fetch = async (input, init) => {
    if (init?.method !== "PUT" || ++puts > 1) return fetch(input, init)
    const controller = new AbortController()
    const body = (init.body as ReadableStream<Uint8Array>).pipeThrough(
      new TransformStream({
        transform: async (chunk, sink) => {
          sink.enqueue(chunk)
          passed += chunk.length
          // Late enough for the ingest to have some.
          if (passed > 2_000_000) await new Promise((resolve) => setTimeout(resolve, 100))
          if (passed > 2_000_000) controller.abort()
        },
      }),
    )
    let passed = 0
    return fetch(input, { ...init, body, signal: controller.signal })
  }
  const api = new SluiceApi({ token, ingestUrl: ingest.url, logLevel: "None", fetch: breaking })
  const source = await startSource((request, response) => sendBytes(request, response, bytes))
  const { data } = await api.uploadFilesFromUrl(`${source.url}/a.bin`, local)
  expect(data).toMatchObject({ fileHash: sha256(bytes) })
  expect(source.requests).toHaveLength(2)
  expect(source.requests[1]!.headers.range).toMatch(/^bytes=[1-9]\d+-$/)
})

it("a file of unknown size arrives whole, and nothing of it stays on the disk, however it ends", async () => {
  const folder = await useFolder()
  const { api } = await start()
  const bytes = randomContent(1_000_000)
  const controller = new AbortController()
  const source = await startSource((request, response) => {
    response.write(bytes.subarray(0, 500_000), () => {
      if (request.url === "/abort") controller.abort()
      else if (request.url === "/break") response.destroy()
      else response.end(bytes.subarray(500_000))
    })
  })
  const options = { ...local, retry: { attempts: 2, delay: 1 } }
  const [whole, broken] = await api.uploadFilesFromUrl([`${source.url}/whole`, `${source.url}/break`], options)
  expect(whole).toMatchObject({ data: { size: 1_000_000, fileHash: sha256(bytes) } })
  expect(broken).toMatchObject({ error: { code: "NETWORK_ERROR" } })
  const aborted = await api.uploadFilesFromUrl(`${source.url}/abort`, { ...options, signal: controller.signal })
  expect(aborted).toMatchObject({ error: { code: "ABORTED" } })
  const large = await api.uploadFilesFromUrl(`${source.url}/large`, { ...options, maxFileSize: "600KB" })
  expect(large).toMatchObject({ error: { code: "FILE_TOO_LARGE" } })
  expect(await readdir(folder)).toEqual([])
})

it("connections to sources are closed when an upload is aborted", async () => {
  const { api } = await start()
  const controller = new AbortController()
  const closed: Array<string> = []
  const source = await startSource((request, response) => {
    response.on("close", () => closed.push(request.url!))
    response.writeHead(200, { "content-length": 1000 })
    response.write("a", () => setTimeout(() => controller.abort(), 20))
  })
  const urls = ["/a", "/b", "/c"].map((path) => source.url + path)
  const results = await api.uploadFilesFromUrl(urls, { ...local, signal: controller.signal })
  expect(results.map(({ error }) => error?.code)).toEqual(["ABORTED", "ABORTED", "ABORTED"])
  await vi.waitFor(() => expect(closed.toSorted()).toEqual(["/a", "/b", "/c"].slice(0, source.requests.length)))
})
