/**
 * A server of S3 for tests, in this process: one bucket, in memory. It verifies signatures and payloads, and refuses what S3
 * refuses. `checks.ts` holds it to a real server. What it can do wrong is told to it by {@link Double.onRequest}.
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { S3Settings } from "../../../../src/ingest/storage/s3/client/s3-settings.ts"
import { type Account, type Refused, verifySignature } from "./verify-signature.ts"

/** An object that is stored. */
export interface DoubleObject {
  readonly bytes: Buffer
  /** How many there were, where they were not kept. */
  readonly discarded?: number
  /** In quotes. */
  readonly etag: string
  /** When it was put, ms since the epoch; now where a test does not say. */
  readonly modifiedAt?: number
  /** What was said of it when it was put: `x-amz-meta-…` and its value. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A multipart upload that is neither completed nor aborted. */
export interface DoubleUpload {
  readonly key: string
  readonly initiatedAt: number
  readonly parts: Map<number, DoubleObject>
}

/** A request whose head has arrived. */
export interface DoubleRequest {
  /** By the name that S3 gives it: `UploadPart`. */
  readonly operation: string
  /** "" for requests of the bucket. */
  readonly key: string
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  /** Of the part, if it is one. */
  readonly partNumber: number
  /** How many requests of this operation there were before. */
  readonly count: number
}

/** What goes wrong with a request. */
export type Fault =
  /** It is refused: nothing happens. */
  | {
      readonly kind: "answer"
      readonly status: number
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
      /** In the place of XML. */
      readonly text?: string
    }
  /** Nothing happens, and the answer is a 200 with an `<Error>`. */
  | { readonly kind: "error-inside"; readonly code: string }
  /** The connection breaks before anything happens. */
  | { readonly kind: "cut" }
  /** It happens, and the connection breaks before the answer. */
  | { readonly kind: "lose-answer" }
  /** It happens, and the connection breaks within the body of the answer, after so many bytes. */
  | { readonly kind: "cut-answer"; readonly after: number }
  /** It happens, and within the body of the answer nothing comes any more, after so many bytes. */
  | { readonly kind: "stall-answer"; readonly after: number }
  /** It happens, and its answer comes a byte at a time, so many ms apart, after the first bytes. */
  | { readonly kind: "drip-answer"; readonly after: number; readonly every: number }
  /** It happens so many ms after all of it has arrived, also where its client is gone by then. */
  | { readonly kind: "late"; readonly by: number }
  /** Nothing happens, and no answer comes. */
  | { readonly kind: "hang" }

/** Looks at each request; may wait, and says what goes wrong. */
export type FaultHandler = (request: DoubleRequest) => Fault | undefined | void | Promise<Fault | undefined | void>

/** A double that is running. */
export interface Double {
  readonly url: string
  /** For a client of it, by path. */
  readonly settings: S3Settings & { readonly credentials: { accessKeyId: string; secretAccessKey: string } }
  readonly objects: Map<string, DoubleObject>
  /** By upload id. */
  readonly uploads: Map<string, DoubleUpload>
  readonly requests: Array<DoubleRequest>
  /** Whom it knows, by access key id. */
  readonly accounts: Record<string, Account>
  /** How far its clock is ahead, ms. */
  skew: number
  /** Most entries of a page of any list. */
  pageSize: number
  /** For benches: bytes of parts of more than 64 KiB are counted and not kept, nor hashed, so that others are what is slow. */
  discardsParts: boolean
  /** Whether it stores bytes that are not those that were signed, as some servers do. */
  acceptsWrongBytes: boolean
  /** Whether pages of any origin may read, and put parts, as a rule of CORS says. */
  allowsPages: boolean
  /** The document of its lifecycle; undefined: it has none. */
  lifecycle: string | undefined
  /** In the place of the handler before; none: all goes well. */
  readonly onRequest: (handler?: FaultHandler) => void
  readonly close: () => Promise<void>
}

const bucket = "double"
const region = "test-1"

/** Hosts below this one name the bucket. */
export const virtualHost = "s3.test"

const sizeOf = ({ bytes, discarded }: DoubleObject): number => discarded ?? bytes.length

const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("hex")

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const toXml = (name: string, inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${inner}</${name}>`

const element = (name: string, value: string | number | boolean): string =>
  `<${name}>${escapeText(String(value))}</${name}>`

/** By the bytes of their UTF-8, as S3 sorts. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The operation of a request, by its method and query. */
const operations: ReadonlyArray<
  readonly [method: string, isOfKey: boolean, parameter: string | undefined, operation: string]
> = [
  ["HEAD", false, undefined, "HeadBucket"],
  ["GET", false, "list-type", "ListObjectsV2"],
  ["GET", false, "lifecycle", "GetBucketLifecycleConfiguration"],
  ["GET", false, "uploads", "ListMultipartUploads"],
  ["POST", true, "uploads", "CreateMultipartUpload"],
  ["PUT", true, "partNumber", "UploadPart"],
  ["POST", true, "uploadId", "CompleteMultipartUpload"],
  ["DELETE", true, "uploadId", "AbortMultipartUpload"],
  ["GET", true, "uploadId", "ListParts"],
  ["PUT", true, undefined, "PutObject"],
  ["GET", true, undefined, "GetObject"],
  ["HEAD", true, undefined, "HeadObject"],
  ["DELETE", true, undefined, "DeleteObject"],
]

/** What a rule of CORS adds that allows all pages to read, and to put parts. */
const pagesAllowed = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, PUT",
  "access-control-allow-headers": "range, x-amz-content-sha256",
  "access-control-expose-headers": "ETag, Content-Range, Content-Length, Accept-Ranges",
  vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
}

/** What a request is answered with. */
interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

const toError = ({ status, code, message }: Refused): Answer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: toXml("Error", element("Code", code) + element("Message", message) + element("RequestId", "double")),
})

const refuse = (status: number, code: string): Answer => toError({ status, code, message: `This is ${code}.` })

/** The bytes of a range; undefined for one that begins behind the end, all for what is no range. */
const cut = (bytes: Buffer, range: string | undefined): readonly [start: number, end: number] | "none" | "all" => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? []
  if (first + last === "" || (first !== "" && last !== "" && Number(last) < Number(first))) return "all"
  const start = first === "" ? Math.max(bytes.length - Number(last), 0) : Number(first)
  const end = first === "" || last === "" ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  return start >= bytes.length || start > end ? "none" : [start, end]
}

export const startDouble = async (): Promise<Double> => {
  const objects: Double["objects"] = new Map()
  const uploads: Double["uploads"] = new Map()
  const requests: Array<DoubleRequest> = []
  let handler: FaultHandler | undefined

  const toObject = (bytes: Buffer): DoubleObject => ({ bytes, etag: `"${md5(bytes)}"` })

  const uploadOf = ({ query, key }: DoubleRequest): DoubleUpload | undefined => {
    const upload = uploads.get(query.get("uploadId") ?? "")
    return upload?.key === key ? upload : undefined
  }

  const getObject = ({ key, headers, query }: DoubleRequest): Answer => {
    const object = objects.get(key)
    if (object === undefined) return refuse(404, "NoSuchKey")
    const { bytes, etag, metadata } = object
    if (headers["if-none-match"] === etag) return { status: 304, headers: { etag } }
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag) return refuse(412, "PreconditionFailed")
    const isOther = headers["if-range"] !== undefined && headers["if-range"] !== etag
    const part = cut(bytes, isOther ? undefined : headers["range"])
    if (part === "none") return refuse(416, "InvalidRange")
    const overrides = [...query]
      .filter(([name]) => name.startsWith("response-"))
      .map(([name, value]) => [name.replace("response-", ""), value] as const)
    const sent = {
      ...metadata,
      etag,
      "accept-ranges": "bytes",
      "content-type": "binary/octet-stream",
      ...Object.fromEntries(overrides),
    }
    if (part === "all") return { status: 200, headers: sent, body: bytes }
    const [start, end] = part
    const contentRange = `bytes ${start}-${end}/${bytes.length}`
    return { status: 206, headers: { ...sent, "content-range": contentRange }, body: bytes.subarray(start, end + 1) }
  }

  /** A page of names behind a mark, and whether there are more. */
  const toPage = (names: ReadonlyArray<string>, prefix: string, after: string, limit: number) => {
    const left = names.filter((name) => name.startsWith(prefix) && byBytes(name, after) > 0).toSorted(byBytes)
    return { page: left.slice(0, limit), isTruncated: left.length > limit }
  }

  const limitOf = (query: URLSearchParams, name: string): number =>
    Math.min(Number(query.get(name) ?? double.pageSize), double.pageSize)

  const nameWriter = (query: URLSearchParams) => (name: string) =>
    query.get("encoding-type") === "url" ? encodeURIComponent(name).replaceAll("%2F", "/").replaceAll("%20", "+") : name

  const listObjects = ({ query }: DoubleRequest): Answer => {
    const write = nameWriter(query)
    const prefix = query.get("prefix") ?? ""
    const limit = limitOf(query, "max-keys")
    const { page, isTruncated } = toPage([...objects.keys()], prefix, query.get("start-after") ?? "", limit)
    const contents = page.map((key) => {
      const { bytes, etag, modifiedAt = Date.now() + double.skew } = objects.get(key)!
      const modified = element("LastModified", new Date(modifiedAt).toISOString())
      return `<Contents>${element("Key", write(key))}${modified}${element("ETag", etag)}${element("Size", bytes.length)}</Contents>`
    })
    const encoding = query.get("encoding-type") === "url" ? element("EncodingType", "url") : ""
    const body = element("Name", bucket) + encoding + element("IsTruncated", isTruncated) + contents.join("")
    return { status: 200, body: toXml("ListBucketResult", body) }
  }

  const listUploads = ({ query }: DoubleRequest): Answer => {
    const write = nameWriter(query)
    const join = (key: string, id: string) => `${key}\u0000${id}`
    const byName = new Map([...uploads].map(([id, upload]) => [join(upload.key, id), { id, ...upload }]))
    const marker = query.get("key-marker")
    const after = marker === null ? "" : join(marker, query.get("upload-id-marker") ?? "\uFFFF")
    const limit = limitOf(query, "max-uploads")
    const { page, isTruncated } = toPage([...byName.keys()], query.get("prefix") ?? "", after, limit)
    const entries = page.map((name) => byName.get(name)!)
    const list = entries.map(({ id, key, initiatedAt }) => {
      const inner = element("Key", write(key)) + element("UploadId", id)
      return `<Upload>${inner}${element("Initiated", new Date(initiatedAt).toISOString())}</Upload>`
    })
    const last = entries.at(-1)
    const next =
      isTruncated && last ? element("NextKeyMarker", write(last.key)) + element("NextUploadIdMarker", last.id) : ""
    const encoding = query.get("encoding-type") === "url" ? element("EncodingType", "url") : ""
    const body = element("IsTruncated", isTruncated) + encoding + next + list.join("")
    return { status: 200, body: toXml("ListMultipartUploadsResult", body) }
  }

  const listParts = (request: DoubleRequest): Answer => {
    const upload = uploadOf(request)
    if (upload === undefined) return refuse(404, "NoSuchUpload")
    const after = Number(request.query.get("part-number-marker") ?? 0)
    const left = [...upload.parts].filter(([number]) => number > after).toSorted(([a], [b]) => a - b)
    const page = left.slice(0, limitOf(request.query, "max-parts"))
    const list = page.map(([number, part]) => {
      const inner = element("PartNumber", number) + element("ETag", part.etag) + element("Size", sizeOf(part))
      return `<Part>${inner}</Part>`
    })
    const isTruncated = page.length < left.length
    const next = isTruncated ? element("NextPartNumberMarker", page.at(-1)![0]) : ""
    return { status: 200, body: toXml("ListPartsResult", element("IsTruncated", isTruncated) + next + list.join("")) }
  }

  const complete = (request: DoubleRequest, body: Buffer): Answer => {
    const upload = uploadOf(request)
    if (upload === undefined) return refuse(404, "NoSuchUpload")
    // The elements of a part come in any order.
    const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => {
      const etag = /<ETag>([^<]+)<\/ETag>/.exec(part)?.[1] ?? ""
      const number = Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1])
      return [number, `"${etag.replaceAll("&quot;", "").replaceAll('"', "")}"`] as const
    })
    if (named.length === 0) return refuse(400, "MalformedXML")
    if (named.some(([number], index) => index > 0 && number <= named[index - 1]![0]))
      return refuse(400, "InvalidPartOrder")
    const parts = named.map(([number, etag]) => {
      const part = upload.parts.get(number)
      return part?.etag === etag ? part : undefined
    })
    if (parts.includes(undefined)) return refuse(400, "InvalidPart")
    const whole = parts as Array<DoubleObject>
    if (whole.slice(0, -1).some((part) => sizeOf(part) < 5 * 1024 * 1024)) return refuse(400, "EntityTooSmall")
    const digests = whole.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex"))
    const etag = `"${md5(Buffer.concat(digests))}-${whole.length}"`
    objects.set(request.key, { bytes: Buffer.concat(whole.map(({ bytes }) => bytes)), etag })
    uploads.delete(request.query.get("uploadId")!)
    return {
      status: 200,
      body: toXml("CompleteMultipartUploadResult", element("Key", request.key) + element("ETag", etag)),
    }
  }

  const isDiscarded = ({ operation, headers }: DoubleRequest): boolean =>
    double.discardsParts && operation === "UploadPart" && Number(headers["content-length"]) > 65_536

  const putPart = (request: DoubleRequest, body: Buffer): Answer => {
    const upload = uploadOf(request)
    if (upload === undefined) return refuse(404, "NoSuchUpload")
    if (!(request.partNumber >= 1 && request.partNumber <= 10_000)) return refuse(400, "InvalidArgument")
    const length = Number(request.headers["content-length"])
    const part = isDiscarded(request) ? { bytes: body, discarded: length, etag: `"${randomUUID()}"` } : toObject(body)
    upload.parts.set(request.partNumber, part)
    return { status: 200, headers: { etag: part.etag } }
  }

  const act: Readonly<Record<string, (request: DoubleRequest, body: Buffer) => Answer>> = {
    HeadBucket: () => ({ status: 200 }),
    GetBucketLifecycleConfiguration: () =>
      double.lifecycle === undefined
        ? refuse(404, "NoSuchLifecycleConfiguration")
        : { status: 200, body: double.lifecycle },
    ListObjectsV2: listObjects,
    ListMultipartUploads: listUploads,
    GetObject: getObject,
    HeadObject: getObject,
    ListParts: listParts,
    UploadPart: putPart,
    CompleteMultipartUpload: complete,
    PutObject: ({ key, headers }, body) => {
      if (headers["if-none-match"] === "*" && objects.has(key)) return refuse(412, "PreconditionFailed")
      const metadata = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")))
      const object = toObject(body)
      objects.set(key, { ...object, ...(Object.keys(metadata).length > 0 && { metadata }) })
      return { status: 200, headers: { etag: object.etag } }
    },
    DeleteObject: ({ key }) => {
      objects.delete(key)
      return { status: 204 }
    },
    CreateMultipartUpload: ({ key }) => {
      const id = randomUUID()
      uploads.set(id, { key, initiatedAt: Date.now() + double.skew, parts: new Map() })
      const inner = element("Bucket", bucket) + element("Key", key) + element("UploadId", id)
      return { status: 200, body: toXml("InitiateMultipartUploadResult", inner) }
    },
    AbortMultipartUpload: (request) => {
      if (uploadOf(request) === undefined) return refuse(404, "NoSuchUpload")
      uploads.delete(request.query.get("uploadId")!)
      return { status: 204 }
    },
  }

  /** Which request this is; undefined for one of another bucket, or of none. */
  const read = ({ method = "", url = "", headers }: IncomingMessage): DoubleRequest | undefined => {
    const [path = "", search = ""] = url.split("?")
    const { host = "" } = headers
    const isVirtual = host.split(":")[0] === `${bucket}.${virtualHost}`
    const rest = isVirtual ? path.slice(1) : /^\/double(?:\/(.*))?$/.exec(path)?.slice(1)[0]
    if (!isVirtual && !/^\/double(\/|$)/.test(path)) return undefined
    const key = decodeURIComponent(rest ?? "")
    const query = new URLSearchParams(search)
    const [, , , operation] =
      operations.find(
        ([verb, isOfKey, parameter]) =>
          verb === method && isOfKey === (key !== "") && (parameter === undefined || query.has(parameter)),
      ) ?? []
    if (operation === undefined) return undefined
    const count = requests.filter((each) => each.operation === operation).length
    const partNumber = Number(query.get("partNumber"))
    return { operation, key, method, target: url, query, partNumber, count, headers: headers as Record<string, string> }
  }

  const send = (request: IncomingMessage, response: ServerResponse, answer: Answer, fault: Fault | undefined): void => {
    const body = Buffer.from(answer.body ?? "")
    response.writeHead(answer.status, {
      date: new Date(Date.now() + double.skew).toUTCString(),
      "x-amz-request-id": "double",
      ...(double.allowsPages && request.headers.origin !== undefined && pagesAllowed),
      ...answer.headers,
      "content-length": body.length,
    })
    if (fault?.kind === "cut-answer" || fault?.kind === "stall-answer") {
      response.write(body.subarray(0, fault.after), () => fault.kind === "cut-answer" && response.destroy())
      response.flushHeaders()
      return
    }
    if (fault?.kind === "drip-answer") {
      response.write(body.subarray(0, fault.after))
      let at = fault.after
      const timer = setInterval(() => {
        response.write(body.subarray(at, ++at))
        if (at < body.length) return
        clearInterval(timer)
        response.end()
      }, fault.every)
      response.on("close", () => clearInterval(timer))
      return
    }
    response.end(request.method === "HEAD" ? undefined : body)
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "OPTIONS") {
      return send(request, response, double.allowsPages ? { status: 200 } : refuse(403, "AccessForbidden"), undefined)
    }
    const arrived = read(request)
    if (arrived === undefined) return send(request, response, refuse(404, "NoSuchBucket"), undefined)
    requests.push(arrived)
    const fault = (await handler?.(arrived)) ?? undefined
    if (fault?.kind === "hang") return
    if (fault?.kind === "cut") return void request.socket.destroy()
    const pieces: Array<Buffer> = []
    const isKept = !isDiscarded(arrived)
    for await (const piece of request) if (isKept) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const proof = verifySignature(arrived, double.accounts, region, Date.now() + double.skew)
    if ("status" in proof) return send(request, response, toError(proof), undefined)
    if (fault?.kind === "answer") {
      const { status, code = "InternalError", headers, text } = fault
      const answer = text === undefined ? refuse(status, code) : { status, body: text }
      return send(request, response, { ...answer, headers: { ...answer.headers, ...headers } }, undefined)
    }
    if (fault?.kind === "error-inside") {
      return send(request, response, { ...refuse(200, fault.code), status: 200 }, undefined)
    }
    const isSized = request.headers["content-length"] !== undefined
    if (request.method === "PUT" && !isSized)
      return send(request, response, refuse(411, "MissingContentLength"), undefined)
    const isWrong =
      isKept && proof.payload !== undefined && proof.payload !== createHash("sha256").update(body).digest("hex")
    if (isWrong && !double.acceptsWrongBytes) {
      return send(request, response, refuse(400, "XAmzContentSHA256Mismatch"), undefined)
    }
    if (fault?.kind === "late") await sleep(fault.by)
    const answer = act[arrived.operation]!(arrived, body)
    if (fault?.kind === "lose-answer") return void request.socket.destroy()
    send(request, response, answer, fault)
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => request.socket.destroy())
  })
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = { accessKeyId: "double-key", secretAccessKey: "double-secret" }

  const double: Double = {
    url,
    settings: { endpoint: url, region, bucket, credentials },
    objects,
    uploads,
    requests,
    accounts: { [credentials.accessKeyId]: { secretAccessKey: credentials.secretAccessKey } },
    skew: 0,
    pageSize: 1000,
    discardsParts: false,
    acceptsWrongBytes: false,
    allowsPages: false,
    lifecycle: undefined,
    onRequest: (next) => {
      handler = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double
}
