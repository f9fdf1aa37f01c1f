import { join } from "node:path"
import { expect, it } from "vitest"
import { toNodeListener } from "../../../adapters/node/to-node-listener.ts"
import { generateUploader } from "../../../src/client.ts"
import { createDiskBlobStore, createSqliteCatalog, type IngestOptions } from "../../../src/ingest.ts"
import { createTraceparent } from "../../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"
import {
  apiKey,
  createGrant,
  eventually,
  listen,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { type CollectedSpan, startCollector } from "./collector.ts"

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const traceId = traceparent.slice(3, 35)
const spanIdOf = (header: string | null) => header?.slice(36, 52)

const f = createSluice()
const router = {
  avatar: f({ text: { maxFileSize: "1MB" } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  /** Its results are too large for the answer to a callback. */
  large: f({ text: { maxFileSize: "1MB" } }).onUploadComplete(() => "x".repeat(70_000)),
}

const textFile = (size: number) => new File(["x".repeat(size)], "hello.txt", { type: "text/plain" })

/** An app with one route, and the headers of every request it got. */
const startRoutes = async (ingestUrl: string, isDev = false) => {
  const requests: Array<{ readonly kind: string; readonly headers: Headers }> = []
  const handle = createRouteHandler({ router, token, ingestUrl, isDev, logLevel: "None" })
  const url = await listen(
    toNodeListener((request) => {
      requests.push({ kind: request.headers.get("sluice-hook") ?? "upload", headers: request.headers })
      return handle(request)
    }),
  )
  return { url: `${url}/api/sluice`, requests }
}

const onDisk = (folder: string): Partial<IngestOptions> => ({
  store: createDiskBlobStore({ folder: join(folder, "blobs") }),
  catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
})

const childrenOf = (spans: ReadonlyArray<CollectedSpan>, parent: CollectedSpan | undefined): ReadonlyArray<string> =>
  spans.filter(({ parentSpanId }) => parent !== undefined && parentSpanId === parent.spanId).map(({ name }) => name)

it("one trace goes from the client through app, ingest and callback to the result", async () => {
  const collector = await startCollector()
  const folder = await makeFolder()
  const ingest = await startIngest({ ...onDisk(folder), tracing: { url: collector.url } })
  const app = await startRoutes(ingest.url)
  const { uploadFiles } = generateUploader<typeof router>({ url: app.url, traceparent: () => traceparent })
  const [outcome] = await uploadFiles("large", { files: [textFile(100_000)] })
  expect(outcome).toMatchObject({ status: "done", serverData: "x".repeat(70_000) })
  const { key } = outcome as { key: string }
  await eventually(async () => (await ingest.catalog.get(key))?.delivery?.status === "delivered")
  await ingest.close()

  const { spans } = collector
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(["sluice-ingest"]))
  const find = (name: string) => spans.find((span) => span.name === name)
  const [put, registration] = [find("PUT /{key}"), find("POST /route-metadata")]
  const [callback, result] = [find("callback"), find("POST /callback-result")]
  expect(put?.parentSpanId).toBe(spanIdOf(traceparent))
  expect(registration?.parentSpanId).toBe(spanIdOf(traceparent))
  expect(callback?.parentSpanId).toBe(registration?.spanId)
  expect(result?.parentSpanId).toBe(callback?.spanId)
  expect(childrenOf(spans, put)).toEqual(
    expect.arrayContaining(["catalog.begin", "blobs.append", "blobs.finish", "catalog.commit"]),
  )
  expect(childrenOf(spans, registration)).toContain("catalog.register")
  expect(childrenOf(spans, result)).toContain("catalog.recordResult")
  const { attributes } = put!
  expect(attributes).toMatchObject({ "http.request.method": "PUT", "http.response.status_code": 200 })
  expect(attributes["sluice.file_key"]).toBe(key)
  const received = app.requests.find(({ kind }) => kind === "callback")?.headers.get("traceparent")
  expect(received).toBe(`00-${traceId}-${callback?.spanId}-01`)
})

it("a small file's bytes, record and event are one step of the trace", async () => {
  const collector = await startCollector()
  const ingest = await startIngest({ ...onDisk(await makeFolder()), tracing: { url: collector.url } })
  await putRaw(await sign(ingest.url, createGrant()), "hello")
  await ingest.close()
  const put = collector.spans.find(({ name }) => name === "PUT /{key}")
  expect(childrenOf(collector.spans, put)).toEqual(["catalog.commitWhole"])
})

it("a callback that is tried again by the ingest's next process goes on with the same trace", async () => {
  const collector = await startCollector()
  const folder = await makeFolder()
  const app = await startApp((_, count) => new Response(null, { status: count === 1 ? 500 : 200 }))
  const before = await startIngest({ ...onDisk(folder), tracing: { url: collector.url }, callbackRetries: [400] })
  const grant = createGrant({ slug: "avatar" })
  const headers = { traceparent, tracestate: "vendor=1" }
  await register(before.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false }, apiKey, headers)
  await putRaw(await sign(before.url, grant), "hello", 0, { traceparent })
  await app.until(1)
  await eventually(async () => (await before.catalog.get(grant.key))?.delivery?.failures === 1)
  await before.close()
  const after = await startIngest({ ...onDisk(folder), tracing: { url: collector.url } })
  await app.until(2)
  await eventually(async () => (await after.catalog.get(grant.key))?.delivery?.status === "delivered")
  await after.close()

  const [first, second] = collector.spans.filter(({ name }) => name === "callback")
  const registration = collector.spans.find(({ name }) => name === "POST /route-metadata")
  expect([first?.isFailed, second?.isFailed]).toEqual([true, false])
  expect([first?.attributes["sluice.attempt"], second?.attributes["sluice.attempt"]]).toEqual([1, 2])
  for (const [index, span] of [first, second].entries()) {
    expect(span).toMatchObject({ traceId, parentSpanId: registration?.spanId })
    const sent = app.received[index]!.headers
    expect(sent.get("traceparent")).toBe(`00-${traceId}-${span?.spanId}-01`)
    expect(sent.get("tracestate")).toBe("vendor=1")
  }
})

it("an ingest that records nothing passes the trace of a registration on to the callback as it came", async () => {
  const ingest = await startIngest()
  const app = await startApp()
  const grant = createGrant({ slug: "avatar" })
  const headers = { traceparent, tracestate: "vendor=1" }
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false }, apiKey, headers)
  await putRaw(await sign(ingest.url, grant), "hello")
  await app.until(1)
  expect(app.received[0]!.headers.get("traceparent")).toBe(traceparent)
  expect(app.received[0]!.headers.get("tracestate")).toBe("vendor=1")
})

it("in development the callback comes over the stream and belongs to the trace all the same", async () => {
  const ingest = await startIngest()
  const app = await startRoutes(ingest.url, true)
  const { uploadFiles } = generateUploader<typeof router>({ url: app.url, traceparent: () => traceparent })
  const [outcome] = await uploadFiles("avatar", { files: [textFile(5)] })
  expect(outcome).toMatchObject({ status: "done" })
  expect(app.requests.map(({ kind, headers }) => [kind, headers.get("traceparent")])).toEqual([
    ["upload", traceparent],
    ["callback", traceparent],
  ])
})

it("a trace that is not sampled is passed on and not recorded", async () => {
  const collector = await startCollector()
  const ingest = await startIngest({ tracing: { url: collector.url } })
  const app = await startApp()
  const grant = createGrant({ slug: "avatar" })
  const unsampled = traceparent.replace(/01$/, "00")
  const trace = { traceparent: unsampled }
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false }, apiKey, trace)
  await putRaw(await sign(ingest.url, grant), "hello", 0, trace)
  await app.until(1)
  await ingest.close()
  expect(app.received[0]!.headers.get("traceparent")).toBe(unsampled)
  expect(collector.spans).toEqual([])
})

it("of the traces begun here the chosen share is recorded; what operators and browsers ask beside is none", async () => {
  const collector = await startCollector()
  const none = await startIngest({ tracing: { url: collector.url, sampleRatio: 0 } })
  await putRaw(await sign(none.url, createGrant()), "hello")
  await none.close()
  expect(collector.spans).toEqual([])
  const all = await startIngest({ metrics: "open", tracing: { url: collector.url } })
  await putRaw(await sign(all.url, createGrant()), "hello")
  for (const path of ["health", "ready", "metrics"]) await fetch(`${all.url}/${path}`)
  await fetch(`${all.url}/key`, { method: "OPTIONS" })
  await all.close()
  expect(collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toMatchObject([
    { name: "PUT /{key}" },
  ])
})

it("says in the span how a request was refused, and never what is secret", async () => {
  const collector = await startCollector()
  const headers = { authorization: "Bearer for-the-collector" }
  const ingest = await startIngest({
    tracing: { url: collector.url, headers, serviceName: "files" },
    callbackRetries: [],
  })
  const babbling = await startApp(() => new Response(`I was sent ${apiKey}`, { status: 500 }))
  const grant = createGrant({ slug: "avatar" })
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: babbling.url })
  expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(502)
  const signed = await sign(ingest.url, createGrant())
  await putRaw(`${signed}0`, "hello", 0, { traceparent: createTraceparent() })
  await putRaw(signed, "hello")
  await ingest.close()
  const puts = collector.spans.filter(({ name }) => name === "PUT /{key}")
  expect(puts).toMatchObject([
    { isFailed: true, attributes: { "http.response.status_code": 502, "error.type": "CALLBACK_FAILED" } },
    { isFailed: false, attributes: { "http.response.status_code": 403, "error.type": "INVALID_SIGNATURE" } },
    { isFailed: false, attributes: { "http.response.status_code": 200 } },
  ])
  expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(["files"]))
  expect(collector.spans.find(({ name }) => name === "callback")).toMatchObject({ isFailed: true })
  expect(collector.requests[0]?.headers.get("authorization")).toBe("Bearer for-the-collector")
  const sent = collector.requests.map(({ body }) => body).join("\n")
  for (const secret of [apiKey, "signature=", "expires=", "for-the-collector"]) expect(sent).not.toContain(secret)
})

it("a collector that is not there costs spans, not uploads", async () => {
  const ingest = await startIngest({ tracing: { url: "http://127.0.0.1:9/v1/traces" } })
  expect((await putRaw(await sign(ingest.url, createGrant()), "hello")).status).toBe(200)
})
