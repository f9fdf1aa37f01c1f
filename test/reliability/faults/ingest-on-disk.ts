import { createHash } from "node:crypto"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { createDiskBlobStore, createSqliteCatalog, type IngestOptions } from "../../../src/ingest.ts"
import { formatUploadRange, type UploadGrant } from "../../../src/protocol.ts"
import {
  createGrant,
  type IngestUnderTest,
  offsetOf,
  putRaw,
  randomContent,
  register,
  sign,
  startIngest,
} from "../../ingest/circle.ts"
import { makeFolder } from "../../make-folder.ts"

/** An ingest as operators run it: real sockets, disk and SQLite. */
export const startIngestOnDisk = async (
  options: Partial<IngestOptions> = {},
  folder?: string,
): Promise<IngestUnderTest & { readonly folder: string }> => {
  const data = folder ?? (await makeFolder())
  const ingest = await startIngest({
    store: createDiskBlobStore({ folder: join(data, "files") }),
    catalog: createSqliteCatalog({ file: join(data, "catalog.sqlite") }),
    callbackRetries: [20, 20, 20, 20, 20],
    ...options,
  })
  return { ...ingest, folder: data }
}

/** A file to be uploaded: one the catalog keeps, or one that goes to disk. */
export interface Given {
  readonly content: Uint8Array<ArrayBuffer>
  readonly grant: UploadGrant
  readonly signed: string
}

export const sizes = [
  ["small", 1024],
  ["large", 1_500_000],
] as const

/** Signs, and registers where there is an app. */
export const grantFile = async (
  ingestUrl: string,
  size: number,
  appUrl?: string,
  awaitServerData = true,
): Promise<Given> => {
  const grant = createGrant({ size, type: "application/octet-stream", ...(appUrl !== undefined && { slug: "avatar" }) })
  if (appUrl !== undefined) {
    const registration = { fileKeys: [grant.key], callbackUrl: appUrl, awaitServerData }
    expect((await register(ingestUrl, registration)).status).toBe(200)
  }
  return { content: randomContent(size), grant, signed: await sign(ingestUrl, grant) }
}

export const codeOf = async (response: Response): Promise<string> => {
  const text = await response.text()
  return `${response.status} ${response.ok ? "" : (JSON.parse(text) as { code: string }).code}`.trim()
}

/** Asks for the offset, sends the rest, and reads the file back. */
export const goOn = async ({
  content,
  signed,
  grant,
}: Given): Promise<{ readonly offset: number; readonly serverData: unknown }> => {
  const offset = await offsetOf(signed)
  const response = await putRaw(signed, content.subarray(offset), offset)
  expect(response.status).toBe(200)
  const { fileHash, url, serverData } = await response.json()
  expect(fileHash).toBe(createHash("sha256").update(content).digest("hex"))
  const read = await fetch(url)
  expect(read.status, `GET of ${grant.key}`).toBe(200)
  expect(Buffer.compare(Buffer.from(await read.arrayBuffer()), content)).toBe(0)
  return { offset, serverData }
}

/** A PUT over a socket of its own that the ingest has begun to read, has sent `bytes` of its body and says nothing more. */
export const startBody = async ({ signed, content }: Given, bytes: number): Promise<Socket> => {
  const url = new URL(signed)
  const socket = connect(Number(url.port), url.hostname)
  socket.on("error", () => {})
  onTestFinished(() => void socket.destroy())
  const head = [
    `PUT ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    "content-type: application/octet-stream",
    `content-length: ${content.length}`,
    `range: ${formatUploadRange(0)}`,
    "expect: 100-continue",
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  expect(await statusOf(socket)).toBe("HTTP/1.1 100 Continue")
  await new Promise<void>((resolve) => socket.write(content.subarray(0, bytes), () => resolve()))
  return socket
}

/** The status line of what a socket is answered; empty when it is closed without. */
export const statusOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString().split("\r\n", 1)[0]!))
    socket.once("close", () => resolve(""))
  })
