import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { createHash } from "node:crypto"

/** What the peer saw of one request. */
export interface SeenRequest {
  readonly at: "app" | "ingest"
  readonly method: string
  /** Name of the file at the ingest, slug at the app. */
  readonly name: string
  readonly headers: IncomingMessage["headers"]
  /** JSON at the app; null at the ingest. */
  readonly body: unknown
}

/** What happens to one request instead of the right answer. */
export type Fault =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** Stores so many bytes of the body, then breaks the connection. */
  | { readonly cutAfter: number }
  /** Does the work, then breaks the connection instead of answering. */
  | "lose-answer"
  /** Waits for the promise with the whole body stored, then answers as ever. */
  | { readonly hold: Promise<unknown> }
  /** Takes so many bytes, then waits for the promise before it reads on. */
  | { readonly stallAfter: number; readonly until: Promise<unknown> }

interface StoredBytes {
  readonly name: string
  readonly size: number
  readonly type: string
  url: string
  /** URLs that are refused from now on, the one in force too. */
  readonly expired: Set<string>
  chunks: Array<Buffer>
  length: number
  /** The connection that is writing. The newest wins. */
  writer?: Socket
}

interface UploadBody {
  readonly files: ReadonlyArray<{ readonly name: string; readonly size: number; readonly type: string }>
}

interface RenewBody {
  readonly urls: ReadonlyArray<string>
}

const listen = async (listener: RequestListener): Promise<{ origin: string; close: () => Promise<void> }> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const send = (response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body))
}

/**
 * The client's peer: an app and an ingest on two ports, written from docs/protocol.md §5 and §10 alone, on which faults
 * can be queued. The wire names are spelt out here on purpose: this side shares nothing with the code under test.
 */
export const startPeer = async () => {
  const seen: Array<SeenRequest> = []
  const preflights: Array<string> = []
  const stored = new Map<string, StoredBytes>()
  const faults = new Map<string, Array<Fault>>()
  const pages = new Map<string, { type: string; body: string }>()
  const serverData = new Map<string, unknown>()
  const watchers = new Set<() => void>()
  const stillborn = new Set<string>()
  /** What stands in front of the ingest: the largest body it takes, and whether it closes the connection of a larger one. */
  const between: { limit: number; isMute: boolean; largestAppend?: string } = { limit: Infinity, isMute: false }
  let inFlight = 0
  let keys = 0

  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const note = (request: SeenRequest) => {
    seen.push(request)
    changed()
  }
  const nextFault = (method: string, name: string): Fault | undefined => faults.get(`${method} ${name}`)?.shift()

  const ingest = await listen(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*")
    response.setHeader("access-control-expose-headers", "x-sluice-range-start, x-sluice-largest-append, retry-after")
    if (between.largestAppend !== undefined) response.setHeader("x-sluice-largest-append", between.largestAppend)
    if (request.method === "OPTIONS") {
      preflights.push(new URL(request.url!, ingest.origin).searchParams.get("x-sluice-file-name")!)
      return send(response, 204, undefined, {
        "access-control-allow-methods": "PUT, POST, DELETE, HEAD",
        "access-control-allow-headers": "range, content-type, traceparent",
      })
    }
    const key = new URL(request.url!, ingest.origin).pathname.slice(1)
    const file = stored.get(key)
    const received = ingest.origin + request.url
    if (file === undefined || (received !== file.url && !file.expired.has(received))) {
      return send(response, 403, { code: "INVALID_SIGNATURE", detail: "Not the URL that was issued." })
    }
    const method = request.method!
    note({ at: "ingest", method, name: file.name, headers: request.headers, body: null })
    if (Number(request.headers["content-length"] ?? 0) > between.limit) {
      if (between.isMute) return void request.socket.destroy()
      response.setHeader("server", "nginx/1.29.0")
      const page = "<html><head><title>413 Request Entity Too Large</title></head></html>"
      send(response, 413, page, { "content-type": "text/html" })
      // As nginx does for a while: who is cut off within its body may never read the answer.
      return void request.resume()
    }
    if (file.expired.has(received)) {
      return send(response, 403, { code: "EXPIRED_URL", detail: "Too late.", status: 403 })
    }
    const fault = nextFault(method, file.name)
    if (typeof fault === "object" && "status" in fault) {
      await readAll(request)
      return send(response, fault.status, fault.body, fault.headers)
    }
    // A connection whose reader waits does not notice that the other side has gone.
    if (file.writer !== request.socket) file.writer?.destroy()
    delete file.writer
    if (method === "DELETE") return send(response, 204)
    if (method === "HEAD") return send(response, 200, undefined, { "x-sluice-range-start": String(file.length) })

    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "bytes=0-")?.[1])
    if (start !== file.length && file.length !== file.size) {
      await readAll(request)
      const body = { code: "RANGE_MISMATCH", detail: `Go on at ${file.length}.` }
      return send(response, 409, body, { "x-sluice-range-start": String(file.length) })
    }
    file.writer = request.socket
    const gone = once(response, "close")
    inFlight++
    changed()
    try {
      const limit =
        typeof fault !== "object"
          ? Infinity
          : "cutAfter" in fault
            ? fault.cutAfter
            : "stallAfter" in fault
              ? fault.stallAfter
              : Infinity
      let received = 0
      for await (const chunk of request as AsyncIterable<Buffer>) {
        const part = typeof fault === "object" && "cutAfter" in fault ? chunk.subarray(0, limit - received) : chunk
        if (file.writer !== request.socket) return
        if (file.length < file.size) {
          file.chunks.push(part)
          file.length += part.length
        }
        received += part.length
        changed()
        if (received >= limit && typeof fault === "object") {
          if ("cutAfter" in fault) return void request.socket.destroy()
          if ("until" in fault) await Promise.race([fault.until, gone])
        }
      }
      if (typeof fault === "object" && "hold" in fault) await Promise.race([fault.hold, gone])
      if (fault === "lose-answer" || (typeof fault === "object" && "cutAfter" in fault)) {
        return void request.socket.destroy()
      }
      if (file.length < file.size) {
        const body = { code: "RANGE_MISMATCH", detail: `Go on at ${file.length}.` }
        return send(response, 409, body, { "x-sluice-range-start": String(file.length) })
      }
      const { name, size, type } = file
      const fileHash = createHash("sha256").update(Buffer.concat(file.chunks)).digest("hex")
      const url = `${ingest.origin}/f/${key}`
      send(response, 200, {
        key,
        name,
        size,
        type,
        customId: null,
        url,
        fileHash,
        uploadedAt: 1,
        serverData: serverData.get(name) ?? null,
      })
    } catch {
      // the client went away
    } finally {
      inFlight--
      changed()
    }
  })

  const app = await listen(async (request, response) => {
    const url = new URL(request.url!, app.origin)
    const page = pages.get(url.pathname)
    if (page) return send(response, 200, page.body, { "content-type": page.type })
    if (url.pathname !== "/api/sluice")
      return send(response, 404, "<h1>Not found</h1>", { "content-type": "text/html" })
    const slug = url.searchParams.get("slug") ?? ""
    const text = (await readAll(request)).toString()
    const action = url.searchParams.get("actionType") ?? ""
    if (request.method !== "POST" || !["upload", "renew"].includes(action)) return send(response, 405)
    const body = JSON.parse(text) as UploadBody | RenewBody
    const method = action === "renew" ? "RENEW" : "POST"
    note({ at: "app", method, name: slug, headers: request.headers, body })
    const fault = nextFault(method, slug)
    if (fault === "lose-answer") return void request.socket.destroy()
    if (typeof fault === "object" && "status" in fault) return send(response, fault.status, fault.body, fault.headers)
    if (typeof fault === "object" && "hold" in fault) await fault.hold
    // What is signed in one request expires in one moment, and no two requests are of one moment.
    const expires = Date.now() + 3_600_000 + seen.length
    const sign = (key: string, name: string) =>
      `${ingest.origin}/${key}?expires=${expires}&x-sluice-file-name=${encodeURIComponent(name)}&signature=hmac-sha256%3Dtest`
    if ("urls" in body) {
      const entries = body.urls.map((old) => [...stored].find(([, file]) => file.url === old))
      if (!entries.every((entry) => entry !== undefined)) {
        return send(response, 403, { code: "INVALID_SIGNATURE", detail: "Not a URL of this app." })
      }
      const renewed = entries.map(([key, file]) => {
        file.expired.add(file.url)
        file.url = sign(key, file.name)
        return { key, url: file.url, name: file.name, customId: null }
      })
      return send(response, 200, renewed)
    }
    const presigned = body.files.map(({ name, size, type }) => {
      const key = `key${keys++}`
      const signed = sign(key, name)
      stored.set(key, {
        name,
        size,
        type,
        url: signed,
        expired: new Set(stillborn.delete(name) ? [signed] : []),
        chunks: [],
        length: 0,
      })
      return { key, url: signed, name, customId: null, ...(name === "held" && { isHeld: true }) }
    })
    return send(response, 200, presigned)
  })

  const find = (name: string) => [...stored.values()].findLast((file) => file.name === name)

  return {
    /** Where the route handler is. */
    url: `${app.origin}/api/sluice`,
    origin: app.origin,
    seen,
    /** The files for which a page asked the ingest first whether it may send a request. */
    preflights,
    serverData,
    between,
    /** Serves a page or script of the app. */
    serve: (path: string, type: string, body: string) => pages.set(path, { type, body }),
    /** Queues what happens to the next requests of a method for a file (at the ingest) or a slug (POST, RENEW at the app); a POST of a file is one at the ingest. */
    fail: (method: "PUT" | "HEAD" | "POST" | "RENEW", name: string, ...queue: Array<Fault>) => {
      faults.set(`${method} ${name}`, [...(faults.get(`${method} ${name}`) ?? []), ...queue])
    },
    /** `PUT bytes=0-`, `HEAD`, … of a file, in the order they came. */
    trace: (name: string) =>
      seen
        .filter((request) => request.name === name)
        .map(({ method, headers }) => (headers.range ? `${method} ${headers.range}` : method)),
    bytesOf: (name: string) => Buffer.concat(find(name)?.chunks ?? []),
    /** Stores bytes ahead of the client, as an earlier visit would have. */
    preload: (name: string, bytes: Buffer) => {
      Object.assign(find(name)!, { chunks: [bytes], length: bytes.length })
    },
    /** Lets the URLs in force of some files expire, or the first one of a file that is yet to come. */
    expire: (...names: ReadonlyArray<string>) => {
      for (const name of names) {
        const file = find(name)
        if (file) file.expired.add(file.url)
        else stillborn.add(name)
      }
    },
    /** Makes the ingest know nothing of a file, and the app not own its URL. */
    lose: (name: string) => {
      for (const [key, file] of stored) if (file.name === name) stored.delete(key)
    },
    keyOf: (name: string) => [...stored].findLast(([, file]) => file.name === name)?.[0],
    storedOf: (name: string) => find(name)?.length ?? 0,
    get inFlight() {
      return inFlight
    },
    /** Resolves as soon as the condition holds; it is looked at after every event here. */
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close: async () => {
      await Promise.all([app.close(), ingest.close()])
    },
  }
}

export type Peer = Awaited<ReturnType<typeof startPeer>>
