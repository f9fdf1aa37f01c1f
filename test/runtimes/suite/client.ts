import { generateUploader } from "../../../src/client.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { createRouteHandler } from "../../../src/server.ts"
import { createContent, type Handle, type Router, router, sha256, token } from "./app.ts"
import { expectMatch, type Runtime, type Served, type Suite } from "./suite.ts"

const unavailable: Handle = async () => new Response(null, { status: 503 })

interface Setting {
  /** Stands between the client and the ingest. */
  readonly front?: (origin: string) => Promise<Served>
  readonly isDev?: boolean
}

/** App and ingest on sockets of this runtime. */
const withServers = async (
  { serve }: Runtime,
  { front, isDev = false }: Setting,
  test: (appUrl: string, puts: ReadonlyArray<string | null>) => Promise<void>,
): Promise<void> => {
  const puts: Array<string | null> = []
  let [handleIngest, handleApp] = [unavailable, unavailable]
  const ingestServer = await serve!((request) => {
    if (request.method === "PUT") puts.push(request.headers.get("range"))
    return handleIngest(request)
  })
  const between = await front?.(ingestServer.origin)
  const ingestUrl = (between ?? ingestServer).origin
  const appServer = await serve!((request) => handleApp(request))
  handleApp = createRouteHandler({ router, token, ingestUrl, isDev, logLevel: "None" })
  const ingest = createIngest({
    token,
    url: ingestUrl,
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
    logLevel: "None",
  })
  handleIngest = ingest.fetch
  try {
    await test(`${appServer.origin}/api/sluice`, puts)
  } finally {
    await ingest.close()
    for (const server of [appServer, between, ingestServer]) await server?.close()
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const content = createContent(20_000_000)

export const client: Suite = {
  "20 MB go up over a real socket, and what the app says comes back": (runtime) =>
    withServers(runtime, {}, async (url) => {
      const uploader = generateUploader<Router>({ url, headers: { "x-user": "me" } })
      const files = [new File([content], "grün.bin"), new File(["zwei"], "zwei.txt")]
      const hash = await sha256(content)
      expectMatch(await uploader.uploadFiles("note", { files }), [
        { status: "done", fileHash: hash, serverData: { name: "grün.bin", hash, user: "me" } },
        { status: "done", serverData: { name: "zwei.txt", user: "me" } },
      ])
    }),

  "in development what the app says comes over a stream": (runtime) =>
    withServers(runtime, { isDev: true }, async (url) => {
      const uploader = generateUploader<Router>({ url })
      for (const name of ["a.txt", "b.txt"]) {
        const outcomes = await uploader.uploadFiles("note", { files: [new File([name], name)] })
        expectMatch(outcomes, [{ status: "done", serverData: { name } }])
      }
    }),

  "an upload goes on where its connection broke": (runtime) =>
    withServers(runtime, { front: (origin) => runtime.breakOnce!(origin, 8_000_000) }, async (url, puts) => {
      const uploader = generateUploader<Router>({ url })
      const outcomes = await uploader.uploadFiles("note", { files: [new File([content], "a.bin")] })
      expectMatch(outcomes, [{ status: "done", fileHash: await sha256(content) }])
      const starts = puts.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? "bytes=0-")?.[1]))
      // Between the two a runtime may send the first once more, all by itself: Bun does. It is refused.
      expectMatch([starts[0], starts.at(-1)! > 0, starts.at(-1)! <= 8_000_000], [0, true, true])
    }),

  "a paused upload goes on, an aborted one ends": (runtime) =>
    withServers(runtime, {}, async (url, puts) => {
      const { createUpload } = generateUploader<Router>({ url })
      const upload = createUpload("note", { files: [new File([content], "a.bin")] })
      await until(() => puts.length === 1)
      upload.pauseUpload()
      upload.resumeUpload()
      expectMatch(await upload.done(), [{ status: "done", fileHash: await sha256(content) }])
      const before = puts.length
      const other = createUpload("note", { files: [new File([content], "b.bin")] })
      await until(() => puts.length > before)
      other.abortUpload()
      expectMatch(await other.done(), [{ status: "aborted", error: { code: "ABORTED" } }])
    }),
}
