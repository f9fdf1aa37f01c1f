/* One part fails while the next one is stored, then the upload is resumed: `node wrong-bytes.ts <server>`. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startDouble } from "../../test/ingest/storage/s3/start-double.ts"
import type { Server } from "../ingest/servers.ts"
import { startSluiceOver, startTusOver } from "./s3-servers.ts"

const mebibyte = 1024 ** 2
const content = new Uint8Array(randomBytes(32 * mebibyte))

/** How a client of a server sends a file from an offset, and asks where it ends. */
interface Upload {
  readonly send: (start: number) => Promise<number>
  readonly offset: () => Promise<number>
}

/** The request line and headers that a server gives, for `fetch`. */
const readHead = (head: string) => {
  const [first = "", ...lines] = head.trimEnd().split("\r\n")
  const headers = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]))
  return { path: first.split(" ")[1]!, contentType: headers["content-type"]! }
}

const statusOf = async (answer: Promise<Response>): Promise<number> => {
  const { status, body } = await answer
  await body?.cancel()
  return status
}

const openSluice = async ({ port, putHead }: Server): Promise<Upload> => {
  const { path, contentType } = readHead(await putHead(content.length))
  const url = `http://localhost:${port}${path}`
  const send = (start: number) =>
    statusOf(
      fetch(url, {
        method: "PUT",
        body: content.subarray(start),
        headers: { "content-type": contentType, ...(start > 0 && { range: `bytes=${start}-` }) },
      }),
    )
  const offset = async () => Number((await fetch(url, { method: "HEAD" })).headers.get("x-sluice-range-start"))
  return { send, offset }
}

const openTus = async ({ port }: Server): Promise<Upload> => {
  const version = { "tus-resumable": "1.0.0" }
  const created = await fetch(`http://localhost:${port}/files`, {
    method: "POST",
    headers: { ...version, "upload-length": String(content.length) },
  })
  const url = created.headers.get("location")!
  const send = (start: number) =>
    statusOf(
      fetch(url, {
        method: "PATCH",
        body: content.subarray(start),
        headers: { ...version, "content-type": "application/offset+octet-stream", "upload-offset": String(start) },
      }),
    )
  const offset = async () =>
    Number((await fetch(url, { method: "HEAD", headers: version })).headers.get("upload-offset"))
  return { send, offset }
}

const contestants: Readonly<
  Record<string, readonly [start: typeof startTusOver, open: (server: Server) => Promise<Upload>]>
> = {
  "sluice over S3": [startSluiceOver, openSluice],
  "@tus/server with @tus/s3-store": [startTusOver, openTus],
}

const [start, open] = contestants[process.argv[2] ?? ""]!
const double = await startDouble()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
const server = await start(double.settings)(folder)
try {
  const { send, offset } = await open(server)
  // Part 2 fails for as long as anybody tries, once part 3 is there.
  double.onRequest(async ({ operation, partNumber }) => {
    if (operation !== "UploadPart" || partNumber !== 2) return
    for (let tries = 0; tries < 300 && ![...double.uploads.values()].some(({ parts }) => parts.has(3)); tries++)
      await sleep(20)
    return { kind: "answer", status: 500 }
  })
  await send(0).catch(() => 0)
  double.onRequest()
  const at = await offset()
  const status = await send(at)
  const isRight = [...double.objects.values()].some(({ bytes }) => Buffer.compare(bytes, content) === 0)
  console.log(JSON.stringify({ wrong: isRight ? 0 : 1, named: at / mebibyte, status }))
} finally {
  await server.stop()
  await double.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
