import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { toBlobName } from "../../src/ingest/storage/blob-name.ts"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import type { Respond } from "../../src/http/answer.ts"
import {
  type AppSettings,
  type Catalog,
  type BlobStore,
  createIngest,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
  type Ingest,
  type IngestOptions,
} from "../../src/ingest.ts"
import {
  type CallbackEvent,
  createFileKey,
  createSigner,
  encodeAppId,
  encodeToken,
  type ErrorEvent,
  formatUploadRange,
  names,
  type Registration,
  signUploadUrl,
  type UploadGrant,
} from "../../src/protocol.ts"

export const appId = "app-1"
export const apiKey = "sk_test_0123456789abcdef"
export const signer = createSigner(apiKey)
export const encodedAppId = encodeAppId(appId)
export const token = encodeToken({ apiKey, appId, regions: ["local"] })

/** A server on a free port, closed with the test. */
export const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface IngestUnderTest {
  readonly url: string
  readonly store: BlobStore
  readonly catalog: Catalog
  readonly drain: (grace: number) => Promise<void>
  readonly close: () => Promise<void>
  readonly tick: Ingest["tick"]
}

/** Both catalogs, for what must hold with either. */
export const catalogs: ReadonlyArray<readonly [string, () => Catalog]> = [
  ["memory", createMemoryCatalog],
  ["SQLite", () => createSqliteCatalog({ file: ":memory:" })],
]

/** An ingest behind a real socket. */
export const startIngest = async (options: Partial<IngestOptions> = {}): Promise<IngestUnderTest> => {
  let respond: Respond = async () => ({ status: 503, headers: {}, body: null })
  const url = await listen(toNodeListener({ respond: (request) => respond(request) }))
  const store = options.store ?? createMemoryBlobStore()
  const catalog = options.catalog ?? createMemoryCatalog()
  const ingest = createIngest({ token, url, logLevel: "None", ...options, store, catalog })
  respond = ingest.fetch.respond
  onTestFinished(ingest.close)
  return { url, store, catalog, drain: ingest.drain, close: ingest.close, tick: ingest.tick }
}

/** An app that the operator has added to a catalog, with keys, oldest first. */
export const createApp = async (
  catalog: Catalog,
  given: Partial<AppSettings> & { readonly id?: string; readonly keys?: ReadonlyArray<string> } = {},
): Promise<void> => {
  const { id = "acme", keys = ["sk_acme"], ...decided } = given
  const undecided: AppSettings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
  await catalog.createApp({ ...undecided, ...decided, id, createdAt: 1 })
  for (const [now, key] of keys.entries()) await catalog.addKey({ appId: id, apiKey: key, now })
}

/** A grant of this app, as a route handler would make it. */
export const createGrant = (grant: Partial<UploadGrant> = {}): UploadGrant => ({
  key: createFileKey(encodedAppId),
  appId,
  expires: Date.now() + 60_000,
  name: "hello.txt",
  size: 5,
  type: "text/plain",
  ...grant,
})

export const sign = async (ingestUrl: string, grant: UploadGrant): Promise<string> =>
  signUploadUrl(ingestUrl, grant, signer)

/** Path and query of a signed upload URL, for requests that are written by hand. */
export const signPath = async (ingestUrl: string, grant: Partial<UploadGrant> = {}): Promise<string> =>
  (await sign(ingestUrl, createGrant(grant))).slice(ingestUrl.length)

/** A multipart body as browsers send it. */
export const toForm = (bytes: BlobPart, name = "ignored.bin"): FormData => {
  const form = new FormData()
  form.set("file", new Blob([bytes]), name)
  return form
}

export const put = (
  url: string,
  body: BodyInit | null,
  start = 0,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, {
    method: "PUT",
    body,
    headers: { range: formatUploadRange(start), ...headers },
    ...(body instanceof ReadableStream ? { duplex: "half" } : undefined),
  })

/** Raw bytes, with a content type that is no form's. */
export const putRaw = (
  url: string,
  body: BodyInit | null,
  start = 0,
  headers: Record<string, string> = {},
): Promise<Response> => put(url, body, start, { "content-type": "application/octet-stream", ...headers })

export const offsetOf = async (url: string): Promise<number> => {
  const response = await fetch(url, { method: "HEAD" })
  if (response.status !== 200) throw new Error(`HEAD answered ${response.status}`)
  return Number(response.headers.get(names.header.rangeStart))
}

/** Asks what uploads are registered with, as an app does before it renews their URLs. */
export const findRegistrations = (
  ingestUrl: string,
  files: ReadonlyArray<{ readonly key: string; readonly id?: string }>,
): Promise<Response> =>
  fetch(`${ingestUrl}/${names.path.registrations}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify({ files }),
  })

export const register = (
  ingestUrl: string,
  registration: Partial<Registration>,
  key = apiKey,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${ingestUrl}/${names.path.register}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: key, ...headers },
    body: JSON.stringify({
      metadata: { userId: 7 },
      callbackUrl: "http://127.0.0.1:4/",
      callbackSlug: "avatar",
      ...registration,
    }),
  })

export const postResult = (ingestUrl: string, result: object): Promise<Response> =>
  fetch(`${ingestUrl}/${names.path.callbackResult}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify(result),
  })

/** A callback as the app received it. */
export interface Received {
  readonly url: string
  readonly headers: Headers
  readonly body: string
  readonly event: CallbackEvent | ErrorEvent
}

/** An app that takes callbacks; `handle` decides what it answers. */
export const startApp = async (
  handle: (received: Received, count: number) => Promise<Response> | Response = () =>
    new Response(null, { status: 200 }),
): Promise<{
  readonly url: string
  readonly received: Array<Received>
  readonly until: (count: number) => Promise<void>
}> => {
  const received: Array<Received> = []
  const waiting: Array<() => void> = []
  const url = await listen(
    toNodeListener(async (request) => {
      const body = await request.text()
      const one = { url: request.url, headers: request.headers, body, event: JSON.parse(body) }
      received.push(one)
      for (const wake of waiting.splice(0)) wake()
      return handle(one, received.length)
    }),
  )
  return {
    url: `${url}/api/sluice`,
    received,
    until: async (count) => {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

/** Answers a callback as a route handler does: posts the result, then 200. */
export const answerWith =
  (callbackData: unknown) =>
  async ({ event }: Received): Promise<Response> => {
    const fileKey = event.status === "uploaded" ? event.file.key : event.fileKey
    if (event.status === "uploaded") await postResult(event.origin, { fileKey, callbackData })
    return Response.json({ ok: true })
  }

/** Random bytes, in the type a request body takes. */
export const randomContent = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)))
  return bytes
}

/** A store that tells how many bytes it has pulled out of bodies so far. */
export const countPulled = (store: BlobStore): { readonly store: BlobStore; readonly pulled: () => number } => {
  let pulled = 0
  async function* count(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      pulled += chunk.length
      yield chunk
    }
  }
  return {
    store: { ...store, append: (key, append) => store.append(key, { ...append, body: count(append.body) }) },
    pulled: () => pulled,
  }
}

/** Whether the store has a byte of a key. */
export const hasByte = async (
  { store, catalog }: Pick<IngestUnderTest, "store" | "catalog">,
  key: string,
  at: number,
): Promise<boolean> => {
  try {
    const { file } = (await catalog.get(key))!
    await (await store.read(toBlobName(file), { start: at, end: at })).cancel()
    return true
  } catch {
    return false
  }
}

/** Waits until a condition of the catalog or the like holds. */
export const eventually = async (condition: () => Promise<boolean> | boolean): Promise<void> => {
  for (const deadline = Date.now() + 30_000; !(await condition());) {
    if (Date.now() > deadline) throw new Error("It did not become so within 30 s.")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
