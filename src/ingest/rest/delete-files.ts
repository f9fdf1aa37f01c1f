import * as Effect from "effect/Effect"
import type { DeleteFilesRequest, FileReference } from "../../protocol/rest-messages.ts"
import { DeletedFilesSchema, DeleteFilesRequestSchema } from "../../schema/rest.ts"
import { isKeyOf } from "../../protocol/key.ts"
import { attempt } from "../attempt.ts"
import { announceDeletion } from "../announce-deletion.ts"
import { tooManyExpected } from "../refusals.ts"
import { defineOperation } from "./operation.ts"

const toReferences = (request: DeleteFilesRequest): ReadonlyArray<FileReference> =>
  "fileKeys" in request
    ? request.fileKeys.map((fileKey) => ({ fileKey }))
    : request.customIds.map((customId) => ({ customId }))

/** Source: docs/protocol.md §10. */
export const deleteFiles = defineOperation({
  summary: "Delete files",
  description:
    "Files in any state, by key or by custom id; a custom id means all files that have it. They cannot be read any more " +
    "when this answers; their bytes go soon after. An upload under way is stopped, and callbacks still due are not sent. " +
    "A key that was registered or signed and not uploaded yet is closed as well, but not counted. Files that do not " +
    "exist are ignored; `deletedKeys` tells which did.",
  request: DeleteFilesRequestSchema,
  answer: DeletedFilesSchema,
  example: {
    request: { fileKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"] },
    answer: { success: true, deletedCount: 1, deletedKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"] },
  },
  act: Effect.fnUntraced(function* ({ service, app }, request) {
    // A key of another app is treated as one that does not exist, now and later.
    const files = toReferences(request).filter((file) => !("fileKey" in file) || isKeyOf(file.fileKey, app.encodedId))
    const bounds = { expectedFiles: service.settings.maxExpectedFiles }
    const found = yield* attempt(() =>
      service.catalog.deleteFiles({ appId: app.id, files, now: service.now(), bounds, appSince: app.since }),
    )
    if (found === "tooMany") return yield* tooManyExpected(service.settings)
    announceDeletion(
      service,
      [...found, ...files.flatMap((file) => ("fileKey" in file ? [file.fileKey] : []))],
      found.length,
    )
    return { success: true, deletedCount: found.length, deletedKeys: found } as const
  }),
})
