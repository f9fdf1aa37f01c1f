import * as Effect from "effect/Effect"
import { decodeBase64Url, encodeBase64Url } from "../../protocol/base64.ts"
import { FilePageSchema, ListFilesRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { toListedFile } from "./listed-file.ts"
import { defineOperation } from "./operation.ts"

const defaultLimit = 500

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The cursor of a page in the order of the paths. */
const toPathCursor = ({ id, path }: FileRecord): string => `${id}.${encodeBase64Url(encoder.encode(path ?? ""))}`

const readPathCursor = (cursor: string) => {
  const [id, path] = cursor.split(".", 2)
  return { id: Number(id), path: decoder.decode(decodeBase64Url(path!)) }
}

/** Source: docs/protocol.md §10. */
export const listFiles = defineOperation({
  summary: "List files, newest first",
  description:
    "One page of the app's files. Give `nextCursor` of a page as `cursor` to get the next one: every page costs the same, " +
    "and files that are added or deleted meanwhile do not shift it. `offset` costs as much as reading the files that it skips. " +
    "`owner` and `prefix` are those that the app has given its files; with `prefix` the order is that of the paths.",
  request: ListFilesRequestSchema,
  answer: FilePageSchema,
  example: {
    request: { limit: 2, status: "Uploaded", owner: "user-7" },
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
          owner: "user-7",
          path: "avatars/me.png",
          expiresAt: null,
          claimBy: null,
          error: null,
        },
      ],
    },
  },
  act: ({ service, app }, { limit = defaultLimit, offset, cursor, status, owner, prefix }) => {
    // One more than requested shows whether there are more.
    const which = { appId: app.id, limit: limit + 1, status, owner }
    const page = attempt(() => {
      if (prefix === undefined) {
        const before = cursor === undefined ? undefined : Number(cursor)
        return service.catalog.list({ ...which, offset, before })
      }
      const after = cursor === undefined ? undefined : readPathCursor(cursor)
      return service.catalog.listByPath({ ...which, prefix, after })
    })
    const toCursor = (file: FileRecord) => (prefix === undefined ? String(file.id) : toPathCursor(file))
    return Effect.map(page, (found) => {
      const listed = found.slice(0, limit)
      const hasMore = found.length > limit
      const files = listed.map((file) => toListedFile(file, app.defaultAcl))
      return { hasMore, nextCursor: hasMore ? toCursor(listed.at(-1)!) : null, files }
    })
  },
})
