import { createReadStream, readFileSync } from "node:fs"
import { join } from "node:path"
import { servers, startIngest, startNode } from "../ingest/servers.ts"
import { peerFile } from "../peers.ts"
import { send } from "./floor/hop.ts"

/** What is uploaded again and again. */
export interface Content {
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** A client, with the processes that it uploads to. */
export interface Client {
  /** Resolves when the file is stored, and the app, if there is one, was told. */
  readonly upload: (content: Content) => Promise<void>
  readonly ingest: number
  readonly app?: number
  readonly stop: () => Promise<unknown>
}

/** Whether a file is held in memory as a whole, as whoever uploads it would do. */
export const isSmall = (size: number): boolean => size <= 64 * 1024

const type = "application/octet-stream"

const check = (stored: string | undefined, { sha256 }: Content): void => {
  if (stored !== sha256) throw new Error(`stored something else: ${stored}`)
}

/** Our client, an app that signs and is called back, and `sluice ingest`. */
const startSluice = async (folder: string): Promise<Client> => {
  const ingest = await startIngest(folder)
  const app = await startNode([join(import.meta.dirname, "serve-app.ts")], undefined, {
    SLUICE_TOKEN: ingest.token,
    SLUICE_INGEST_URL: ingest.url,
  })
  const door = new URL("../../dist/client.node.js", import.meta.url).href
  const { fileFromPath, generateUploader } = (await import(door)) as typeof import("../../src/client.ts")
  const { uploadFiles } = generateUploader<any>({ url: `http://127.0.0.1:${app.line}/api/sluice` })
  return {
    upload: async (content) => {
      const { path, size } = content
      const file = isSmall(size)
        ? new File([readFileSync(path)], "photo.bin", { type })
        : await fileFromPath(path, { type })
      const [done] = await uploadFiles("anything", { files: [file], throwOnFailure: true })
      check(done!.fileHash, content)
    },
    app: app.pid,
    ingest: ingest.pid,
    stop: () => Promise.all([app.stop(), ingest.stop()]),
  }
}

/** What is used of tus-js-client. */
type TusUpload = new (input: unknown, options: object) => { start(): void }

/** No app, nobody is called back, and nothing is hashed or flushed. */
const startTus = async (folder: string): Promise<Client> => {
  const server = await servers["@tus/server"]!(folder)
  const { Upload } = (await import(peerFile("tus-js-client/lib.esm/node/index.js"))) as { Upload: TusUpload }
  return {
    upload: ({ path, size }) =>
      new Promise((resolve, reject) => {
        const upload = new Upload(isSmall(size) ? readFileSync(path) : createReadStream(path), {
          endpoint: `http://127.0.0.1:${server.port}/files`,
          uploadSize: size,
          // A file is sent in one request where it can be; a stream needs a size of its pieces, which are held in memory.
          ...(isSmall(size) ? { uploadDataDuringCreation: true } : { chunkSize: 64 * 1024 * 1024 }),
          onSuccess: () => resolve(),
          onError: reject,
        })
        upload.start()
      }),
    ingest: server.pid,
    stop: server.stop,
  }
}

/** The least that gives the same promise: three requests of bare `node:http`, two signatures, a hash, a flush. */
const startFloor = async (folder: string): Promise<Client> => {
  const script = (name: string) => join(import.meta.dirname, "floor", name)
  const ingest = await startNode([script("serve-ingest.ts"), folder])
  const app = await startNode([script("serve-app.ts")], undefined, { INGEST_URL: `http://127.0.0.1:${ingest.line}` })
  const appUrl = `http://127.0.0.1:${app.line}/upload`
  return {
    upload: async (content) => {
      const { path, size } = content
      const wanted = JSON.stringify({ files: [{ name: "photo.bin", size, type }] })
      const granted = await send(
        "POST",
        appUrl,
        { "content-type": "application/json", "content-length": Buffer.byteLength(wanted) },
        wanted,
      )
      const [{ url }] = JSON.parse(granted) as [{ readonly url: string }]
      const body = isSmall(size) ? readFileSync(path) : createReadStream(path, { highWaterMark: 1024 * 1024 })
      const stored = await send("PUT", url, { "content-type": type, "content-length": size }, body)
      check((JSON.parse(stored) as { readonly fileHash: string }).fileHash, content)
    },
    app: app.pid,
    ingest: ingest.pid,
    stop: () => Promise.all([app.stop(), ingest.stop()]),
  }
}

/** Name in the tables → how it is started. */
export const clients: Readonly<Record<string, (folder: string) => Promise<Client>>> = {
  sluice: startSluice,
  "tus-js-client": startTus,
  floor: startFloor,
}
