/*
 * The floor's ingest: checks the URL's signature, hashes the body, appends it to one log whose flushes are shared by all
 * that wait, tells the app and answers. A large body goes to a file of its own, and only its record to the log.
 */
import { createHash, randomUUID } from "node:crypto"
import { createWriteStream, fdatasync, mkdirSync, openSync, writevSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { isSigned, send, sign } from "./hop.ts"

const folder = process.argv[2]!
mkdirSync(folder, { recursive: true })
const log = openSync(join(folder, "log"), "a")

let waiting: Array<{ readonly bytes: ReadonlyArray<Uint8Array>; readonly resolve: () => void }> = []
let isFlushing = false

const flush = (): void => {
  const group = waiting
  waiting = []
  isFlushing = group.length > 0
  if (!isFlushing) return
  writevSync(
    log,
    group.flatMap(({ bytes }) => bytes),
  )
  fdatasync(log, (cause) => {
    if (cause) throw cause
    for (const { resolve } of group) resolve()
    flush()
  })
}

/** Resolves when the bytes are on disk. */
const append = (...bytes: ReadonlyArray<Uint8Array>): Promise<void> =>
  new Promise((resolve) => {
    waiting.push({ bytes, resolve })
    if (!isFlushing) flush()
  })

const readSmall = async (req: IncomingMessage): Promise<Buffer> => {
  const pieces: Array<Buffer> = []
  for await (const piece of req) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

const writeLarge = async (req: IncomingMessage, path: string): Promise<string> => {
  const hash = createHash("sha256")
  req.on("data", (piece: Buffer) => hash.update(piece))
  await pipeline(req, createWriteStream(path, { flush: true }))
  return hash.digest("hex")
}

const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const [path = "", signature] = req.url!.split("&signature=")
  const { pathname, searchParams } = new URL(path, "http://ingest")
  if (!isSigned(path, signature) || Number(searchParams.get("expires")) < Date.now()) {
    res.writeHead(403).end()
    return
  }
  const size = Number(searchParams.get("size"))
  const file = { key: pathname.slice(1), name: searchParams.get("name"), size, type: searchParams.get("type") }
  const small = size <= 64 * 1024 ? await readSmall(req) : undefined
  const fileHash =
    small === undefined
      ? await writeLarge(req, join(folder, file.key))
      : createHash("sha256").update(small).digest("hex")
  const event = JSON.stringify({ id: randomUUID(), status: "uploaded", file: { ...file, fileHash } })
  await append(Buffer.from(`${event}\n`), ...(small === undefined ? [] : [small]))
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(event),
    "x-signature": sign(event),
  }
  const result = await send("POST", searchParams.get("callback")!, headers, event)
  const { callbackData } = JSON.parse(result) as { readonly callbackData: unknown }
  const text = JSON.stringify({ fileHash, serverData: callbackData })
  res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text)
}

const server = createServer({ requestTimeout: 0 }, (req, res) => {
  take(req, res).catch((cause: unknown) => res.destroy(cause as Error))
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
