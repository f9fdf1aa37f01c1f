import { createHash, randomBytes } from "node:crypto"
import { createWriteStream, mkdirSync, rmSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { readCounts, readUsage } from "../ingest/servers.ts"
import { type Client, clients, type Content, isSmall } from "./clients.ts"
import type { Counts } from "./count.ts"

/** One process uploads with one client: `node upload.ts <client> <bytes a file> <files to warm up> <files> <at once> <folder>`. */
const [, , name = "", sizeText, warmText, countText, concurrencyText, parent = ""] = process.argv
const [size, warm, count, concurrency] = [sizeText, warmText, countText, concurrencyText].map(Number) as [
  number,
  number,
  number,
  number,
]

const mebibyte = 1024 ** 2

const writeContent = async (path: string, size: number): Promise<Content> => {
  const piece = randomBytes(Math.min(size, mebibyte))
  const hash = createHash("sha256")
  // Flushed, so that the disk is not still busy with it when uploads are measured.
  const file = createWriteStream(path, { flush: true })
  for (let written = 0; written < size; written += piece.length) {
    hash.update(piece)
    if (!file.write(piece)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
  return { path, size, sha256: hash.digest("hex") }
}

const run = async (client: Client, content: Content, times: number) => {
  let begun = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (begun++ < times) await client.upload(content)
    }),
  )
}

/** CPU s of all threads, of each process. */
const readCpu = ({ app, ingest }: Client) => {
  const { user, system } = process.cpuUsage()
  return {
    client: (user + system) / 1e6,
    app: app === undefined ? undefined : readUsage(app).cpu,
    ingest: readUsage(ingest).cpu,
  }
}

const readAllCounts = async ({ app, ingest }: Client) => ({
  app: app === undefined ? undefined : await readCounts(app),
  ingest: await readCounts(ingest),
})

const measure = async (client: Client, content: Content) => {
  const countsBefore = await readAllCounts(client)
  const cpuBefore = readCpu(client)
  const started = performance.now()
  await run(client, content, count)
  const elapsed = (performance.now() - started) / 1000
  const cpuAfter = readCpu(client)
  const countsAfter = await readAllCounts(client)

  // µs an upload where files are small, else s a GiB.
  const unit = isSmall(size) ? count / 1e6 : (size * count) / 1024 ** 3
  const spent = (process: keyof typeof cpuAfter) =>
    cpuAfter[process] === undefined ? undefined : (cpuAfter[process] - cpuBefore[process]!) / unit
  const counted = (process: keyof typeof countsAfter, what: keyof Counts) =>
    countsAfter[process] === undefined ? undefined : (countsAfter[process][what] - countsBefore[process]![what]) / count
  const [clientCpu, appCpu, ingestCpu] = [spent("client")!, spent("app"), spent("ingest")!]
  return {
    rate: count / elapsed,
    throughput: (size * count) / mebibyte / elapsed,
    clientCpu,
    appCpu,
    ingestCpu,
    cpu: clientCpu + (appCpu ?? 0) + ingestCpu,
    peak: process.resourceUsage().maxRSS / 1024,
    appRequests: counted("app", "requests"),
    ingestRequests: counted("ingest", "requests"),
    transactions: counted("ingest", "transactions"),
    flushes: counted("ingest", "flushes"),
  }
}

// Whatever servers are started count what they do.
process.env["NODE_OPTIONS"] = `--import=${new URL("count.ts", import.meta.url).href}`
const folder = join(parent, `${name}-${process.pid}`)
mkdirSync(folder, { recursive: true })
const content = await writeContent(join(folder, "content"), size)
const client = await clients[name]!(join(folder, "data"))
// A large file's way is warmed up by smaller ones.
await run(client, await writeContent(join(folder, "warm"), Math.min(size, 10 * mebibyte)), warm)
console.log(JSON.stringify(await measure(client, content)))
await client.stop()
// Small files are left to the end: where many were deleted, making new ones is slow.
if (!isSmall(size)) rmSync(folder, { recursive: true })
process.exit(0)
