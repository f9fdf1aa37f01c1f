import * as Effect from "effect/Effect"
import { decodeBase64Url, encodeBase64Url } from "../../protocol/base64.ts"
import { FilePageSchema, ListFilesRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { listLevel } from "./list-level.ts"
import { listedFileExample, toListedFile } from "./listed-file.ts"
import { defineOperation } from "./operation.ts"

const defaultLimit = 500

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The cursor of a page in the order of the paths. */
const toPathCursor = ({ id, path }: Pick<FileRecord, "id" | "path">): string =>
  `${id}.${encodeBase64Url(encoder.encode(path ?? ""))}`

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
    "`owner` and `prefix` are those that the app has given its files; with `prefix` the order is that of the paths. With " +
    "`folders` a page has only what is right in the folder `prefix` (or at the top, without one), and the folders in it.",
  request: ListFilesRequestSchema,
  answer: FilePageSchema,
  example: {
    request: { limit: 2, status: "Uploaded", owner: "user-7" },
    answer: {
      hasMore: false,
      nextCursor: null,
      files: [listedFileExample],
    },
  },
  size: (body) => {
    const { limit, offset } = (body ?? {}) as { readonly limit?: unknown; readonly offset?: unknown }
    // To pass by a file takes some of the time that it takes to list it.
    return (typeof limit === "number" ? limit : defaultLimit) + (typeof offset === "number" ? offset : 0)
  },
  act: ({ service, app }, { limit = defaultLimit, offset, cursor, status, owner, prefix, folders }) => {
    const which = { appId: app.id, status, owner }
    const toPage = (listed: ReadonlyArray<FileRecord>, nextCursor: string | null) => ({
      hasMore: nextCursor !== null,
      nextCursor,
      files: listed.map((file) => toListedFile(file, app.defaultAcl)),
    })
    const after = cursor?.includes(".") ? readPathCursor(cursor) : undefined
    if (folders === true) {
      const listing = { ...which, prefix: prefix ?? "" }
      return Effect.map(
        attempt(() => listLevel(service.catalog, listing, after, limit)),
        (level) => ({
          ...toPage(level.files, level.end === null ? null : toPathCursor(level.end)),
          folders: level.folders,
        }),
      )
    }
    // One more than requested shows whether there are more.
    const more = limit + 1
    const page = attempt(() =>
      prefix === undefined
        ? service.catalog.list({
            ...which,
            limit: more,
            offset,
            before: cursor === undefined ? undefined : Number(cursor),
          })
        : service.catalog.listByPath({ ...which, limit: more, prefix, after }),
    )
    const toCursor = (file: FileRecord) => (prefix === undefined ? String(file.id) : toPathCursor(file))
    return Effect.map(page, (found) => {
      const listed = found.slice(0, limit)
      return toPage(listed, found.length > limit ? toCursor(listed.at(-1)!) : null)
    })
  },
})
