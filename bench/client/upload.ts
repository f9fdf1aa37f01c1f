import { createHash, randomBytes } from "node:crypto"
import { createReadStream, createWriteStream, mkdirSync, readFileSync, rmSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { servers, startIngest, startNode } from "../ingest/servers.ts"
import { peerFile } from "../peers.ts"

/** One process uploads with one client: `node upload.ts <client> <bytes a file> <files> <at once> <folder>`. */
const [, , name = "", sizeText, countText, concurrencyText, parent = ""] = process.argv
const [size, count, concurrency] = [Number(sizeText), Number(countText), Number(concurrencyText)]

/** What is uploaded again and again. */
interface Content {
  readonly path: string
  readonly sha256: string
}

interface Client {
  readonly upload: (content: Content) => Promise<void>
  readonly stop: () => Promise<unknown>
}

const isSmall = size <= 64 * 1024

const startSluice = async (folder: string): Promise<Client> => {
  const ingest = await startIngest(folder)
  const app = await startNode([join(import.meta.dirname, "serve-app.ts")], undefined, {
    SLUICE_TOKEN: ingest.token,
    SLUICE_INGEST_URL: ingest.url,
  })
  const door = new URL("../../dist/client.js", import.meta.url).href
  const { fileFromPath, generateUploader } = (await import(door)) as typeof import("../../src/client.ts")
  const { uploadFiles } = generateUploader<any>({ url: `http://127.0.0.1:${app.line}/api/sluice` })
  return {
    upload: async ({ path, sha256 }) => {
      const type = "application/octet-stream"
      const file = isSmall ? new File([readFileSync(path)], "photo.bin", { type }) : await fileFromPath(path, { type })
      const [done] = await uploadFiles("anything", { files: [file], throwOnFailure: true })
      if (done!.fileHash !== sha256) throw new Error(`stored something else: ${done!.fileHash}`)
    },
    stop: () => Promise.all([app.stop(), ingest.stop()]),
  }
}

/** What is used of tus-js-client. */
type TusUpload = new (input: unknown, options: object) => { start(): void }

const startTus = async (folder: string): Promise<Client> => {
  const server = await servers["@tus/server"]!(folder)
  const { Upload } = (await import(peerFile("tus-js-client/lib.esm/node/index.js"))) as { Upload: TusUpload }
  return {
    upload: ({ path }) =>
      new Promise((resolve, reject) => {
        const upload = new Upload(isSmall ? readFileSync(path) : createReadStream(path), {
          endpoint: `http://127.0.0.1:${server.port}/files`,
          uploadSize: size,
          // A file is sent in one request where it can be; a stream needs a size of its pieces, which are held in memory.
          ...(isSmall ? { uploadDataDuringCreation: true } : { chunkSize: 64 * 1024 * 1024 }),
          onSuccess: () => resolve(),
          onError: reject,
        })
        upload.start()
      }),
    stop: server.stop,
  }
}

const clients: Readonly<Record<string, (folder: string) => Promise<Client>>> = {
  sluice: startSluice,
  "tus-js-client": startTus,
}

const writeContent = async (path: string): Promise<Content> => {
  const piece = randomBytes(Math.min(size, 1024 * 1024))
  const hash = createHash("sha256")
  const file = createWriteStream(path)
  for (let written = 0; written < size; written += piece.length) {
    hash.update(piece)
    if (!file.write(piece)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
  return { path, sha256: hash.digest("hex") }
}

const folder = join(parent, `${name}-${process.pid}`)
mkdirSync(folder, { recursive: true })
const content = await writeContent(join(folder, "content"))
const client = await clients[name]!(join(folder, "data"))

const run = async (times: number) => {
  let begun = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (begun++ < times) await client.upload(content)
    }),
  )
}

await run(isSmall ? 50 : size > 2 ** 28 ? 0 : 3)
const before = process.cpuUsage()
const started = performance.now()
await run(count)
const elapsed = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage(before)
const cpu = (user + system) / 1e6
await client.stop()
if (!isSmall) rmSync(folder, { recursive: true })
console.log(
  JSON.stringify({
    rate: count / elapsed,
    throughput: (size * count) / 2 ** 20 / elapsed,
    cpu: cpu / ((size * count) / 2 ** 30),
    cpuPerUpload: (cpu / count) * 1e6,
    peak: process.resourceUsage().maxRSS / 1024,
  }),
)
process.exit(0)
