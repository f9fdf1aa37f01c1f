import { create as createContentDisposition } from "content-disposition"
import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { isKeyOf } from "../protocol/key.ts"
import { defaultMediaType, parseMediaType } from "../protocol/media-type.ts"
import { names } from "../protocol/names.ts"
import { parseByteRange } from "../protocol/range.ts"
import type { Acl } from "../protocol/signed-url.ts"
import { attempt } from "./attempt.ts"
import { verifyUrlOf, whenKnown } from "./authorise.ts"
import { toBlobName } from "./storage/blob-name.ts"
import type { FileRecord } from "./storage/catalog.ts"
import { isNotModified, isRangeFresh } from "./preconditions.ts"
import type { Service } from "./service.ts"

const notFound = () => new Rejected({ code: "NOT_FOUND", detail: "There is no such file." })

/** Types a browser would run script of, in the ingest's own origin. */
const isScriptable = (type: string): boolean =>
  /^(text\/html|application\/xhtml\+xml|(text|application)\/(xml|xsl)|text\/cache-manifest|multipart\/.*|message\/.*)$|\+xml$/.test(
    type,
  )

/** The file under a key that can be read. */
const findByKey = (service: Service, key: string): Effect.Effect<FileRecord, Rejected> =>
  /^[A-Za-z0-9_-]+$/.test(key)
    ? Effect.flatMap(
        attempt(() => service.catalog.get(key)),
        (upload) => (upload?.file.status === "Uploaded" ? Effect.succeed(upload.file) : Effect.fail(notFound())),
      )
    : Effect.fail(notFound())

/** The file of an app under a key or, where there is none, a custom id. */
const findOfApp = Effect.fnUntraced(function* (service: Service, appId: string, id: string) {
  const app = yield* whenKnown(service.apps.byId(appId))
  if (app === undefined) return yield* notFound()
  if (isKeyOf(id, app.encodedId)) {
    const file = yield* Effect.catch(findByKey(service, id), () => Effect.succeed(null))
    if (file?.appId === appId) return file
  }
  const file = yield* attempt(() => service.catalog.findByCustomId(appId, id))
  return file ?? (yield* notFound())
})

/** Lets pass who may read the file: everybody, or the holder of a signed URL that has not expired. Gives its ACL. */
const authoriseRead = Effect.fnUntraced(function* (service: Service, file: FileRecord, url: string) {
  if (file.acl === "public-read") return file.acl
  const app = yield* whenKnown(service.apps.byId(file.appId))
  const acl = file.acl ?? (app ?? service.settings).defaultAcl
  if (acl === "public-read") return acl
  const forbidden = new Rejected({
    code: "FORBIDDEN",
    detail: "The file is private. Ask the app for a signed URL, and use it exactly as it was issued.",
  })
  if (app === undefined) return yield* forbidden
  const signed = yield* verifyUrlOf(app, url)
  if (!signed.ok) return yield* forbidden
  const expires = new URLSearchParams(signed.value.slice(signed.value.indexOf("?") + 1)).get(names.query.expires)
  if (expires === null || !/^\d{1,16}$/.test(expires)) return yield* forbidden
  if (Number(expires) <= service.now()) {
    return yield* new Rejected({ code: "EXPIRED_URL", detail: "The URL has expired. Ask the app for a new one." })
  }
  return acl
})

const toHeaders = (file: FileRecord, acl: Acl): Record<string, string> => {
  const parsed = parseMediaType(file.type)
  const type = parsed === undefined || !/^[\x20-\x7e]*$/.test(file.type) ? defaultMediaType : file.type
  const isActive = isScriptable(parsed ?? defaultMediaType)
  const disposition = file.contentDisposition ?? (isActive ? "attachment" : "inline")
  return {
    "content-type": type,
    "content-disposition": createContentDisposition(file.name, { type: disposition }),
    "x-content-type-options": "nosniff",
    ...(isActive ? { "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'" } : undefined),
    "accept-ranges": "bytes",
    // An id stands for the same bytes for ever.
    etag: `"${file.fileHash || `${file.id}-${file.createdAt}`}"`,
    "last-modified": new Date(file.uploadedAt ?? 0).toUTCString(),
    "cache-control": acl === "public-read" ? "public, no-cache" : "private, no-cache",
  }
}

/** Bytes `start` to `end`, both included, from wherever they are kept. */
const readContent = async (
  { catalog, store }: Service,
  file: FileRecord,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> => {
  if (!file.isInline) return store.read(toBlobName(file), { start, end })
  const content = await catalog.readContent(file.id)
  if (content === null) throw notFound()
  return content.subarray(start, end + 1) as Uint8Array<ArrayBuffer>
}

/** Sends a file, or the one range of it that was asked for. */
const send = Effect.fnUntraced(function* (service: Service, request: Request, file: FileRecord, acl: Acl) {
  const headers = toHeaders(file, acl)
  if (isNotModified(request.headers, headers.etag!, file.uploadedAt ?? 0)) {
    delete headers["content-type"]
    return new Response(null, { status: 304, headers })
  }
  const asked = isRangeFresh(request.headers, headers.etag!, file.uploadedAt ?? 0) ? request.headers.get("range") : null
  const range = parseByteRange(asked, file.size)
  if (range === "unsatisfiable") {
    return yield* new Rejected({
      code: "BAD_REQUEST",
      status: 416,
      detail: `The file has ${file.size} bytes; the range lies beyond.`,
      headers: { "content-range": `bytes */${file.size}` },
    })
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  headers["content-length"] = String(end - start + 1)
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${file.size}`
  const isEmpty = request.method === "HEAD" || file.size === 0
  const body = isEmpty ? null : yield* attempt(() => readContent(service, file, start, end))
  return new Response(body as BodyInit | null, { status: range === undefined ? 200 : 206, headers })
})

/**
 * `GET` and `HEAD /f/<key>`.
 *
 * @param url the public base URL and the path and query as received: what a signed URL's signature covers
 *
 * Source: docs/protocol.md §10.
 */
export const respondFile = Effect.fnUntraced(function* (service: Service, request: Request, key: string, url: string) {
  const file = yield* findByKey(service, key)
  const acl = yield* authoriseRead(service, file, url)
  return yield* send(service, request, file, acl)
})

/** `GET` and `HEAD /a/<appId>/<key or customId>`. Source: docs/protocol.md §10. */
export const respondAppFile = Effect.fnUntraced(function* (
  service: Service,
  request: Request,
  appId: string,
  id: string,
  url: string,
) {
  const file = yield* findOfApp(service, appId, id)
  const acl = yield* authoriseRead(service, file, url)
  return yield* send(service, request, file, acl)
})
