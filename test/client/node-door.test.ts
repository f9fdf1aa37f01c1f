import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { afterEach, expect, test, vi } from "vitest"
import {
  fileFromStream,
  generateUploader,
  type TypedFileRouter,
  type UploadableFile,
  UploadError,
  type UploaderOptions,
} from "../../src/client.node.ts"
import { eventually, listen } from "../ingest/circle.ts"

afterEach(() => vi.unstubAllGlobals())

const mebibyte = 1024 * 1024

/** An app that signs whatever it is asked for, and an ingest that stores as a test says. */
const start = async (put: RequestListener = store, post: RequestListener = sign) => {
  const sockets = new Set<unknown>()
  const agents: Array<string | undefined> = []
  const origin = await listen((request, response) => {
    sockets.add(request.socket)
    agents.push(request.headers["user-agent"])
    // Asked before the bytes of a large file.
    if (request.method === "HEAD") return response.setHeader("x-sluice-range-start", "0").end()
    return (request.method === "PUT" ? put : post)(request, response)
  })
  const upload = (file: UploadableFile, options: UploaderOptions = {}) =>
    generateUploader<TypedFileRouter>({ url: `${origin}/api/sluice`, retry: { attempts: 1 }, ...options }).createUpload(
      "any",
      { files: [file] },
    )
  return { origin, sockets, agents, upload }
}

const sign: RequestListener = async (request, response) => {
  await readAll(request)
  const url = `http://${request.headers.host}/key?expires=1`
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify([{ key: "key", url }]))
}

const store: RequestListener = async (request, response) => {
  const { length } = await readAll(request)
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ key: "key", size: length }))
}

/** What comes of a body, or nothing where it breaks off. */
const readAll = async (request: IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await request.toArray().catch(() => []))

const refuse = (response: ServerResponse): void => {
  const problem = { code: "FILE_TOO_LARGE", detail: "It is too large.", status: 413 }
  response.writeHead(413, { "content-type": "application/problem+json", connection: "close" })
  response.end(JSON.stringify(problem))
}

/** A file of so many MiB, and how many of them were taken; `onTaken` may throw in place of one. */
const countedFile = (mebibytes: number, onTaken = (_taken: number) => {}) => {
  const state = { taken: 0, isCancelled: false }
  const stream = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          onTaken(state.taken)
          controller.enqueue(new Uint8Array(mebibyte))
          if (++state.taken === mebibytes) controller.close()
        },
        cancel: () => {
          state.isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
  return { state, file: fileFromStream({ name: "a", size: mebibytes * mebibyte, stream: async () => stream() }) }
}

test("files go out over one kept connection, the empty one too", async () => {
  const { upload, sockets, agents } = await start()
  for (const size of [5, 0, 3 * mebibyte]) {
    const [outcome] = await upload(new File([new Uint8Array(size)], "a")).done()
    expect(outcome).toMatchObject({ status: "done", size })
  }
  expect(sockets.size).toBe(1)
  expect(new Set(agents)).toEqual(new Set(["sluice"]))
})

test("a fetch that was given, or has replaced the global one, sends everything", async () => {
  const { upload, agents } = await start()
  const original = fetch
  const given = vi.fn(original)
  await upload(new File(["abc"], "a"), { fetch: given }).done()
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => original(url, init))
  await upload(new File(["abc"], "a")).done()
  expect(given).toHaveBeenCalledTimes(2)
  expect(agents).toEqual(["node", "node", "node", "node"])
})

test("a refusal that comes before the bytes is read, and no more of them are sent", async () => {
  const { upload } = await start((_, response) => refuse(response))
  const { state, file } = countedFile(256)
  const [outcome] = await upload(file).done()
  expect(outcome).toMatchObject({ status: "failed", error: { code: "FILE_TOO_LARGE", status: 413 } })
  expect(state.taken).toBeLessThan(64)
  await eventually(() => state.isCancelled)
})

test("a server that takes no more bytes is given no more, whatever the size of the file", async () => {
  const { upload } = await start((_, response) => void setTimeout(() => refuse(response), 300))
  const { state, file } = countedFile(256)
  const [outcome] = await upload(file).done()
  expect(outcome).toMatchObject({ status: "failed", error: { code: "FILE_TOO_LARGE" } })
  // What the sockets of both sides hold.
  expect(state.taken).toBeLessThan(64)
})

test("an upload that is aborted closes its connection and lets go of its file", async () => {
  const arrived = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const { upload } = await start((request) => {
    request.socket.on("close", () => closed.resolve())
    request.on("data", () => arrived.resolve())
    request.on("error", () => {})
  })
  const { state, file } = countedFile(256)
  const uploading = upload(file)
  await arrived.promise
  uploading.abortUpload()
  expect(await uploading.done()).toMatchObject([{ status: "aborted" }])
  await closed.promise
  await eventually(() => state.isCancelled)
})

test("a stream that breaks off ends the upload with its own error", async () => {
  const { upload } = await start()
  const { file } = countedFile(8, (taken) => {
    if (taken === 4) throw new UploadError({ code: "SIZE_MISMATCH", message: "It has changed." })
  })
  const [outcome] = await upload(file).done()
  expect(outcome).toMatchObject({ status: "failed", error: { code: "SIZE_MISMATCH", message: "It has changed." } })
})

test("bytes are led nowhere else", async () => {
  let puts = 0
  const { upload } = await start(async (request, response) => {
    puts++
    await readAll(request)
    response.writeHead(307, { location: "/elsewhere" }).end()
  })
  const [outcome] = await upload(new File(["abc"], "a")).done()
  expect(outcome).toMatchObject({ status: "failed", error: { code: "NETWORK_ERROR" } })
  expect(puts).toBe(1)
})

test("a request for URLs that is led to a login says where that is", async () => {
  const { upload, origin } = await start(store, (request, response) => {
    if (request.url === "/login?secret=1") response.end("<h1>Sign in</h1>")
    else response.writeHead(302, { location: "/login?secret=1" }).end()
  })
  const [outcome] = await upload(new File(["abc"], "a")).done()
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "INVALID_CONFIG", message: expect.stringContaining(`(${origin}/login) does not fit the request`) },
  })
})
