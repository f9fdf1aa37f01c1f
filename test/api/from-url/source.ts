import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { listen } from "../../ingest/circle.ts"
import { createNodeTransport } from "../../../src/api/from-url/node-transport.ts"
import type { Resolve } from "../../../src/server-kit/resolve-host.ts"
import { type FromUrlOptions, readFromUrlOptions, type RemoteFile } from "../../../src/api/from-url/from-url-options.ts"
import { openRemoteFile } from "../../../src/api/from-url/open-remote-file.ts"
import type { UploadSource } from "../../../src/api/upload-source.ts"
import type { UploadError } from "../../../src/protocol.ts"

/** A server that files are fetched from, and what it was asked. */
export const startSource = async (answer: RequestListener) => {
  const requests: Array<IncomingMessage> = []
  const url = await listen((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  return { url, requests }
}

/** Options for sources of a test, which are on this machine; quick to give up. */
export const local: FromUrlOptions = { allowPrivateNetwork: true, retry: { attempts: 2, delay: 1 } }

export const open = (
  file: string | RemoteFile,
  options: FromUrlOptions = local,
  resolve?: Resolve,
): Promise<UploadSource> =>
  openRemoteFile(
    typeof file === "string" ? { url: file } : file,
    readFromUrlOptions(options, createNodeTransport(resolve)),
  )

/** The error that opening ends with. */
export const refusal = (...args: Parameters<typeof open>): Promise<UploadError> =>
  open(...args).then(
    async (source) => {
      await source.close?.()
      throw new Error("It was opened.")
    },
    (error: UploadError) => error,
  )

export const readAll = async (source: UploadSource, start = 0): Promise<Uint8Array> =>
  new Uint8Array(await new Response((await source.slice(start)) as ReadableStream).arrayBuffer())

/** Answers with bytes, or the part that is asked for. */
export const sendBytes = (
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  headers: Record<string, string> = { etag: '"v1"' },
): void => {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? Number.NaN)
  const isPart = !Number.isNaN(start) && [undefined, headers["etag"]].includes(request.headers["if-range"] as string)
  if (isPart) {
    const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(206, { ...headers, ...range, "content-length": bytes.length - start })
    response.end(bytes.subarray(start))
  } else {
    response.writeHead(200, { ...headers, "content-length": bytes.length })
    response.end(bytes)
  }
}
