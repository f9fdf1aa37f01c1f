import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type {
  DeletedFiles,
  DeletedSelection,
  DeleteFilesRequest,
  FileReference,
  FileSelection,
} from "../../protocol/rest-messages.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import { DeletedFilesSchema, DeletedSelectionSchema, DeleteFilesRequestSchema } from "../../schema/rest.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { attempt } from "../attempt.ts"
import { findShortage } from "../find-shortage.ts"
import { sizeKey, sizeSelection } from "../storage/quota.ts"
import { announceDeletion } from "../upkeep/announce-deletion.ts"
import { tooManyDeletions, tooManyExpected, unknownApiKey } from "../refusals.ts"
import { type Call, countNamed, defineOperation } from "./operation.ts"

/**
 * How many files are marked in one transaction, while nobody else is served. Of a deletion by owner or prefix they are marked
 * before the answer: most owners have fewer.
 */
const step = 500

const toReferences = (request: Exclude<DeleteFilesRequest, FileSelection>): ReadonlyArray<FileReference> =>
  "fileKeys" in request
    ? request.fileKeys.map((fileKey) => ({ fileKey }))
    : request.customIds.map((customId) => ({ customId }))

const deleteListed = Effect.fnUntraced(function* (
  { service, app }: Call,
  request: Exclude<DeleteFilesRequest, FileSelection>,
) {
  // A key of another app is treated as one that does not exist, now and later.
  const meant = toReferences(request).filter((file) => !("fileKey" in file) || isKeyOf(file.fileKey, app.encodedId))
  // With an owner keys without a file are nobody's, and nothing is remembered of them.
  const listed = request.owner === undefined ? meant.flatMap((file) => ("fileKey" in file ? [file.fileKey] : [])) : []
  const keys = [...new Set(listed)]
  const bytes = keys.reduce((sum, key) => sum + sizeKey(key), 0)
  // Below the reserve only what frees room is done.
  const shortage = keys.length === 0 ? undefined : yield* findShortage(service.space, bytes)
  const files =
    shortage === undefined
      ? meant
      : (yield* attempt(() => service.catalog.getMany(keys))).map(({ file }) => ({ fileKey: file.key }))
  const bounds = { expectedFiles: service.settings.maxExpectedFiles }
  const deletedKeys: Array<string> = []
  // A custom id means any number of files: others are served between two steps.
  const limit = "fileKeys" in request ? undefined : step
  for (let isDone = false; !isDone;) {
    const deleted = yield* attempt(() =>
      service.catalog.deleteFiles({
        appId: app.id,
        files,
        owner: request.owner,
        now: service.now(),
        limit,
        bounds,
        appSince: app.since,
      }),
    )
    if (deleted === "tooMany") return yield* tooManyExpected(service.settings)
    isDone = deleted.length !== limit
    for (const key of deleted) deletedKeys.push(key)
    announceDeletion(service, deleted, deleted.length)
  }
  // Of keys without a file their writers are told, but only where anybody's are meant.
  announceDeletion(service, keys, 0)
  if (shortage !== undefined && files.length < keys.length) return yield* shortage
  return { success: true, deletedCount: deletedKeys.length, deletedKeys } as const
})

/** How many files are looked at to see whether a deletion frees room. */
const fewFiles = 50

/** Whether any file of a selection is there. */
const isAnyThere = ({ service, app }: Call, { owner, prefix }: FileSelection) => {
  const page = { appId: app.id, owner, limit: fewFiles }
  return Effect.map(
    attempt(() =>
      prefix === undefined ? service.catalog.list(page) : service.catalog.listByPath({ ...page, prefix }),
    ),
    (files) => files.some(({ status }) => status !== "Deleting"),
  )
}

const deleteSelected = Effect.fnUntraced(function* (call: Call, { owner, prefix }: FileSelection) {
  const { service, app } = call
  const selection = { ...(owner !== undefined && { owner }), ...(prefix !== undefined && { prefix }) } as FileSelection
  const shortage = yield* findShortage(service.space, sizeSelection(selection))
  if (shortage !== undefined && !(yield* isAnyThere(call, selection))) return yield* shortage
  const deleted = yield* attempt(() =>
    service.catalog.deleteMatching({
      appId: app.id,
      selection,
      now: service.now(),
      limit: step,
      bounds: { expectedFiles: service.settings.maxExpectedFiles },
      appSince: app.since,
    }),
  )
  if (deleted.kind === "unknownApp") return yield* unknownApiKey()
  if (deleted.kind === "tooMany") return yield* tooManyDeletions()
  const { deletion, keys } = deleted
  announceDeletion(service, keys, keys.length)
  const { id, doneAt, deletedCount } = deletion
  return { success: true, deletedCount, deletionId: String(id), isDone: doneAt !== null } as const
})

/** Whether a body, which is not checked yet, names no files but means those of an owner or below a prefix. */
const isSelection = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  !("fileKeys" in body || "customIds" in body) &&
  ("owner" in body || "prefix" in body)

/** Source: docs/protocol.md §10. */
export const deleteFiles = defineOperation({
  summary: "Delete files",
  description:
    "Files in any state, by key or by custom id; a custom id means all files that have it. They cannot be read any more " +
    "when this answers; their bytes go soon after. An upload under way is stopped, and callbacks still due are not sent. " +
    "A key that was registered or signed and not uploaded yet is closed as well, but not counted. Files that do not " +
    "exist are ignored; `deletedKeys` tells which did. With `owner` others' files are treated as files that do not exist, and " +
    "so are keys without a file.\n\n" +
    "By `owner`, `prefix` of the path, or both: any number of files. None of them can be read from this answer on; the ingest " +
    "marks them step by step, and goes on by itself until `listDeletions` says that it is done.",
  request: DeleteFilesRequestSchema,
  answer: Schema.Union([DeletedFilesSchema, DeletedSelectionSchema]),
  example: {
    request: { fileKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"] },
    answer: { success: true, deletedCount: 1, deletedKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"] },
  },
  size: (body) => (isSelection(body) ? step : countNamed(body)),
  act: (call, request): Effect.Effect<DeletedFiles | DeletedSelection, Rejected> =>
    "fileKeys" in request || "customIds" in request ? deleteListed(call, request) : deleteSelected(call, request),
})
