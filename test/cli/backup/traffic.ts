import { createHash, randomBytes } from "node:crypto"
import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { createFileKey, createSigner, encodeAppId, names, signUploadUrl, type Token } from "../../../src/protocol.ts"

/** A file a client has sent, and when the ingest had said so. */
export interface SentFile {
  readonly key: string
  readonly hash: string
  /** The tick at which the upload was answered, at which its deletion was asked for, and at which that was answered. */
  readonly stored: number
  deletes?: number
  deleted?: number
}

const pool = randomBytes(4 * 1024 * 1024)

/** Grows with everything that any traffic has an answer to. */
let tick = 0

/** Uploads and deletions that go on until they are told to stop. */
export interface Traffic {
  /** Grows with everything that happens. */
  readonly tick: () => number
  /** Ends it, once what is under way has been answered. */
  readonly stop: () => Promise<void>
}

const sign = async (token: Token, url: string, size: number, name: string) => {
  const key = createFileKey(encodeAppId(token.appId))
  const grant = { key, appId: token.appId, expires: Date.now() + 3_600_000, name, size, type: "text/plain" }
  return { key, signed: await signUploadUrl(url, grant, createSigner(token.apiKey)) }
}

/** Sends one file from the app's own hand. */
export const upload = async (token: Token, url: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const { key, signed } = await sign(token, url, bytes.length, "file.txt")
  const answer = await fetch(signed, { method: "PUT", body: bytes, headers: { range: "bytes=0-" } })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.text()
  return key
}

/** Begins an upload and breaks off after half of it, of which the ingest keeps what came; gives its URL. */
export const beginUpload = async (token: Token, url: string, bytes: Uint8Array): Promise<string> => {
  const { signed } = await sign(token, url, bytes.length, "half.txt")
  for (let wait = 200; ; wait *= 2) {
    const sent = request(signed, { method: "PUT", headers: { "content-length": bytes.length, range: "bytes=0-" } })
    sent.on("error", () => {})
    await new Promise<void>((resolve) => sent.write(bytes.subarray(0, bytes.length / 2), () => resolve()))
    await sleep(wait)
    sent.destroy()
    await sleep(wait)
    const head = await fetch(signed, { method: "HEAD" })
    if (head.status === 200 && Number(head.headers.get(names.header.rangeStart)) > 0) return signed
  }
}

export const remove = async ({ apiKey }: Token, url: string, key: string): Promise<void> => {
  const answer = await fetch(`${url}/${names.path.api}/deleteFiles`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify({ fileKeys: [key] }),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.text()
}

/**
 * So many clients at once, each uploading one file after the other and deleting every third one. */
export const startTraffic = (token: Token, url: string, clients: number, files: Array<SentFile>): Traffic => {
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      // Two of three are blobs, the others small enough for the catalog.
      const size = turn % 3 === 0 ? 1024 : 70_000 + ((turn * 7919) % 200_000)
      const start = Math.floor(Math.random() * (pool.length - size))
      const bytes = new Uint8Array(pool.subarray(start, start + size))
      const key = await upload(token, url, bytes)
      const file: SentFile = { key, hash: createHash("sha256").update(bytes).digest("hex"), stored: ++tick }
      files.push(file)
      if (turn % 3 !== 1) continue
      file.deletes = ++tick
      await remove(token, url, key)
      file.deleted = ++tick
    }
  }
  const running = Promise.all(Array.from({ length: clients }, run))
  // It is awaited when the traffic is stopped; until then a failure must not count as unhandled.
  running.catch(() => {})
  return {
    tick: () => tick,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
