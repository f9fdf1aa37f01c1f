import * as Effect from "effect/Effect"
import type { DeleteFilesRequest, FileReference } from "../../protocol/rest-messages.ts"
import { DeletedFilesSchema, DeleteFilesRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import type { Service } from "../service.ts"
import { deleted } from "../upload/writers.ts"
import { defineOperation } from "./operation.ts"

const toReferences = (request: DeleteFilesRequest): ReadonlyArray<FileReference> =>
  "fileKeys" in request
    ? request.fileKeys.map((fileKey) => ({ fileKey }))
    : request.customIds.map((customId) => ({ customId }))

/** The files are `Deleting`: whoever still has to do with them is told, and their bytes go soon. */
const announce = ({ writers, changes, devStreams, wakeHousekeeping }: Service, keys: ReadonlyArray<string>): void => {
  for (const key of keys) {
    writers.stop(key, deleted())
    changes.notify(key)
    // Its event will not come any more.
    devStreams.acknowledge(key)
  }
  if (keys.length > 0) wakeHousekeeping()
}

/** Source: docs/protocol.md §10. */
export const deleteFiles = defineOperation({
  summary: "Delete files",
  description:
    "Files in any state, by key or by custom id; a custom id means all files that have it. They cannot be read any more " +
    "when this answers; their bytes go soon after. An upload under way is stopped, and callbacks still due are not sent. " +
    "Files there are not count for nothing.",
  request: DeleteFilesRequestSchema,
  answer: DeletedFilesSchema,
  example: { request: { fileKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"] }, answer: { success: true, deletedCount: 1 } },
  act: ({ service, app }, request) => {
    const files = toReferences(request)
    const keys = attempt(() => service.catalog.deleteFiles({ appId: app.id, files, now: service.now() }))
    return Effect.map(keys, (found) => {
      announce(service, found)
      return { success: true, deletedCount: found.length } as const
    })
  },
})
