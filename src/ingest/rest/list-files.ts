import * as Effect from "effect/Effect"
import type { ListedFile } from "../../protocol/rest-messages.ts"
import type { Acl } from "../../protocol/signed-url.ts"
import { FilePageSchema, ListFilesRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import type { FileRecord } from "../storage/catalog.ts"
import { toStoredMediaType } from "../stored-media-type.ts"
import { defineOperation } from "./operation.ts"

const defaultLimit = 500

const toListedFile = (file: FileRecord, defaultAcl: Acl): ListedFile => {
  const { id, key, customId, name, size, status, acl, uploadedAt } = file
  const type = toStoredMediaType(file.type)
  return { id: String(id), key, customId, name, size, type, status, acl: acl ?? defaultAcl, uploadedAt }
}

/** Source: docs/protocol.md §10. */
export const listFiles = defineOperation({
  summary: "List files, newest first",
  description:
    "One page of the app's files. Give `nextCursor` of a page as `cursor` to get the next one: every page costs the same, " +
    "and files that are added or deleted meanwhile do not shift it. `offset` costs as much as reading the files that it skips.",
  request: ListFilesRequestSchema,
  answer: FilePageSchema,
  example: {
    request: { limit: 2, status: "Uploaded" },
    answer: {
      hasMore: false,
      nextCursor: null,
      files: [
        {
          id: "41",
          key: "kE2xQm7PzVnYb9tR4wLcH3sD",
          customId: "avatar-of-7",
          name: "me.png",
          size: 18_230,
          type: "image/png",
          status: "Uploaded",
          acl: "public-read",
          uploadedAt: 1_767_225_600_000,
        },
      ],
    },
  },
  act: ({ service, app }, { limit = defaultLimit, offset, cursor, status }) => {
    const before = cursor === undefined ? undefined : Number(cursor)
    // One more than requested shows whether there are more.
    const page = attempt(() => service.catalog.list({ appId: app.id, limit: limit + 1, offset, before, status }))
    return Effect.map(page, (found) => {
      const files = found.slice(0, limit).map((file) => toListedFile(file, app.defaultAcl))
      const hasMore = found.length > limit
      return { hasMore, nextCursor: hasMore ? files.at(-1)!.id : null, files }
    })
  },
})
