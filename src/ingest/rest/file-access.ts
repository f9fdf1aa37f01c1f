import * as Effect from "effect/Effect"
import { names } from "../../protocol/names.ts"
import type { FileAccessRequest } from "../../protocol/rest-messages.ts"
import { signReadUrl } from "../../protocol/signing/read-grant.ts"
import { FileAccessRequestSchema, FileAccessSchema } from "../../schema/rest.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import type { Catalog, FileRecord } from "../storage/catalog/catalog.ts"
import { isReadable, isReviewable } from "../storage/readable.ts"
import { isOverdue } from "../storage/upload-rules.ts"
import { type Call, defineOperation } from "./operation.ts"
import { fileNotFound } from "../refusals.ts"

/** Seconds. */
const defaultTtl = 60 * 60

/** The readable file of an app, by its key also one that is held where that is asked for; null when there is none. */
const find = async (
  catalog: Catalog,
  appId: string,
  request: FileAccessRequest,
  now: number,
): Promise<FileRecord | null> => {
  if ("customId" in request) {
    const file = await catalog.findByCustomId(appId, request.customId, "readable", now)
    return file === null || isOverdue(file, now) ? null : file
  }
  const upload = await catalog.get(request.fileKey)
  const isThere = isReadable(upload, now) || (request.held === true && isReviewable(upload))
  return isThere && upload.file.appId === appId ? upload.file : null
}

/** For an app that has called with an active key, so there is a key to sign with. */
const toUrl = async (
  { service, app, origin }: Call,
  { key }: FileRecord,
  { expiresIn = defaultTtl, download, held }: FileAccessRequest,
): Promise<string> =>
  signReadUrl(
    `${origin}/${names.path.file}/${key}`,
    { expires: service.now() + expiresIn * 1000, download, held },
    app.signers[0]!,
  )

/** Source: docs/protocol.md §10. */
export const requestFileAccess = defineOperation({
  summary: "Get a URL that reads a private file",
  description:
    "Anybody who has the URL can read the file until it expires, so treat it as a secret. `expiresIn` is in seconds, an hour by " +
    "default. With `download` browsers save the file: `true` under its own name, a text under that one. A custom id means the newest `Uploaded` file that has it. With `held`, and a file key, the URL reads a file that is `Held`, too. With `owner` the file of somebody else is not found. Works for public files too.",
  request: FileAccessRequestSchema,
  answer: FileAccessSchema,
  example: {
    request: { fileKey: "kE2xQm7PzVnYb9tR4wLcH3sD", expiresIn: 600 },
    answer: {
      url: `https://ingest.example.com/${names.path.file}/kE2xQm7PzVnYb9tR4wLcH3sD?${names.query.expires}=1767226200000&${names.query.signature}=hmac-sha256%3D7f3a…`,
    },
  },
  needsFiles: true,
  act: Effect.fnUntraced(function* (call, request) {
    const { service, app } = call
    if (request.held === true && "customId" in request) {
      return yield* new Rejected({
        code: "BAD_REQUEST",
        detail: "A held file is read by its key: held needs a fileKey.",
      })
    }
    const file = yield* attempt(() => find(service.catalog, app.id, request, service.now()))
    const isOthers = request.owner !== undefined && file?.owner !== request.owner
    if (file === null || isOthers) return yield* fileNotFound()
    return { url: yield* Effect.promise(() => toUrl(call, file, request)) }
  }),
})
