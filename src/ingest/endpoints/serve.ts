import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { parseReadUrl, wantsDownload, wantsHeld } from "../../protocol/signing/read-grant.ts"
import type { Acl, CacheRule } from "../../protocol/signing/signed-url.ts"
import { attempt } from "../attempt.ts"
import { verifyUrlOf } from "../access/authorise.ts"
import { sendFile } from "../download/send-file.ts"
import { findProgramRefusal, type Keeping, toFileHeaders } from "../requests/file-headers.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { isReadable, isReviewable } from "../storage/readable.ts"
import { isOverdue } from "../storage/upload-rules.ts"
import type { Service } from "../service.ts"
import { whenKnown } from "../when-known.ts"
import { fileNotFound } from "../refusals.ts"

/** The readable file with a key; also one that is held, where the URL wants that. */
const findByKey = (service: Service, key: string, mayBeHeld = false): Effect.Effect<FileRecord, Rejected> =>
  /^[A-Za-z0-9_-]+$/.test(key)
    ? Effect.flatMap(
        attempt(() => service.catalog.get(key)),
        (upload) =>
          isReadable(upload, service.now()) || (mayBeHeld && isReviewable(upload))
            ? Effect.succeed(upload.file)
            : Effect.fail(fileNotFound()),
      )
    : Effect.fail(fileNotFound())

/** The file of an app under a key or, where there is none, a custom id. */
const findOfApp = Effect.fnUntraced(function* (service: Service, appId: string, id: string) {
  const app = yield* whenKnown(service.apps.byId(appId))
  if (app !== undefined && isKeyOf(id, app.encodedId)) {
    const file = yield* Effect.catch(findByKey(service, id), (rejected) =>
      rejected.code === "NOT_FOUND" ? Effect.succeed(null) : Effect.fail(rejected),
    )
    if (file?.appId === appId) return file
  }
  // The same for an app that does not exist: the time of the answer must not reveal it.
  const file = yield* attempt(() => service.catalog.findByCustomId(appId, id, "readable", service.now()))
  const isThere = app !== undefined && file !== null && !isOverdue(file, service.now())
  return isThere ? file : yield* fileNotFound()
})

/** The ACL in effect: a file that waits to be claimed, or for a verdict, is private, whatever it says itself. */
const toAcl = ({ claimBy, hold, acl }: FileRecord, defaultAcl: Acl): Acl =>
  claimBy === null && !hold ? (acl ?? defaultAcl) : "private"

const forbidden = (isPublic: boolean) =>
  new Rejected({
    code: "FORBIDDEN",
    detail: isPublic
      ? "The URL is not as its app has signed it. Use it exactly as it was issued."
      : "The file is private. Ask the app for a signed URL, and use it exactly as it was issued.",
  })

/**
 * Checks that the caller may read the file: everybody, or the holder of a signed URL that has not expired. So does whoever wants it
 * offered in another way, under another name perhaps, than it is stored. A file that is held exists only for the holder of a URL
 * that says so. Returns the ACL, and what the URL says.
 */
const authoriseRead = Effect.fnUntraced(function* (service: Service, file: FileRecord, url: string) {
  const needsGrant = wantsDownload(url)
  if (!needsGrant && file.acl === "public-read" && file.claimBy === null && !file.hold)
    return { acl: file.acl, until: Infinity }
  const app = yield* whenKnown(service.apps.byId(file.appId))
  const acl = toAcl(file, (app ?? service.settings).defaultAcl)
  const isPublic = acl === "public-read"
  if (!needsGrant && isPublic) return { acl, until: Infinity }
  const verified = yield* verifyUrlOf(app, url)
  const grant = verified === undefined ? undefined : parseReadUrl(verified.signed)
  if (file.hold && grant?.held !== true) return yield* fileNotFound()
  if (grant === undefined) return yield* forbidden(isPublic)
  if (grant.expires <= service.now()) {
    return yield* new Rejected({ code: "EXPIRED_URL", detail: "The URL has expired. Ask the app for a new one." })
  }
  return { acl, until: grant.expires, download: grant.download }
})

/** Sends a file to whoever may read it. @param cache what its URL says */
const sendTo = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  file: FileRecord,
  url: string,
  cache: CacheRule,
) {
  const { acl, until, download = false } = yield* authoriseRead(service, file, url)
  // A name that its URL says is not kept for longer than that.
  const keeping: Keeping = { acl, cache: download === false ? cache : "revalidate" }
  const offered: FileRecord =
    download === false
      ? file
      : { ...file, contentDisposition: "attachment", name: download === true ? file.name : download }
  // From elsewhere it could be read after a verdict.
  const reader = file.hold ? undefined : { keeping, until }
  return yield* sendFile(service, request, offered, toFileHeaders(offered, keeping, service.now()), reader)
})

/**
 * `GET` and `HEAD /f/<key>`.
 *
 * @param url the public base URL and the path and query as received: what a signed URL's signature covers
 *
 * Source: docs/protocol.md §10.
 */
export const respondFile = Effect.fnUntraced(function* (service: Service, request: Incoming, key: string, url: string) {
  const refusal = findProgramRefusal(request.headers)
  if (refusal !== undefined) return yield* refusal
  const file = yield* findByKey(service, key, wantsHeld(url))
  // A catalog that was written for an older version knows nothing of it.
  return yield* sendTo(service, request, file, url, file.cache ?? service.settings.defaultCache)
})

/** `GET` and `HEAD /a/<appId>/<key or customId>`. Source: docs/protocol.md §10. */
export const respondAppFile = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  appId: string,
  id: string,
  url: string,
) {
  const refusal = findProgramRefusal(request.headers)
  if (refusal !== undefined) return yield* refusal
  const file = yield* findOfApp(service, appId, id)
  // The id may come to mean another file.
  return yield* sendTo(service, request, file, url, "revalidate")
})
