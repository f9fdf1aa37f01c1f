import * as Effect from "effect/Effect"
import type { FileReference, OfOwner } from "../../protocol/rest-messages.ts"
import {
  MovedFilesSchema,
  MoveFilesRequestSchema,
  RenamedFilesSchema,
  RenameFilesRequestSchema,
  UpdateAclRequestSchema,
  UpdatedAclsSchema,
  UpdatedFilesSchema,
  UpdateFilesRequestSchema,
} from "../../schema/rest.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import { catalogOverQuota } from "../refusals.ts"
import type { FileChange } from "../storage/catalog/files.ts"
import { sizeChange } from "../storage/quota.ts"
import { type Call, defineOperation } from "./operation.ts"

const toReference = (update: FileReference): FileReference =>
  "fileKey" in update ? { fileKey: update.fileKey } : { customId: update.customId }

/** How many files one call changes at most, in one transaction: nobody else is served meanwhile. */
const mostFiles = 5000

/** Changes files as each update says, and counts the updates that found one. */
const change = <Update extends FileReference>(
  { service, app }: Call,
  { updates, owner }: OfOwner & { readonly updates: ReadonlyArray<Update> },
  toChange: (update: Update) => Omit<FileChange, "file">,
) =>
  Effect.gen(function* () {
    const changes = updates.map((update) => ({ file: toReference(update), ...toChange(update) }))
    const growth = changes.reduce((sum, each) => sum + sizeChange(each), 0)
    if (growth > 0) yield* attempt(async () => service.space.admit(growth))
    const changed = yield* attempt(() =>
      service.catalog.changeFiles({
        appId: app.id,
        owner,
        now: service.now(),
        mostFiles,
        quota: app.quota,
        changes,
      }),
    )
    if (changed === "tooMany") {
      return yield* new Rejected({
        code: "BAD_REQUEST",
        detail: `These custom ids mean more than ${mostFiles} files. Name fewer of them, or files by their keys. Nothing was changed.`,
      })
    }
    if (changed === "overQuota") return yield* catalogOverQuota("these paths")
    return changed
  })

const whichFiles =
  "Only files that are `Uploaded` or `Pending`, in the order given; a custom id means all files that have it. The count is the " +
  "number of updates that found a file. With `owner` others' files are not found."

/** Source: docs/protocol.md §10. */
export const renameFiles = defineOperation({
  summary: "Rename files",
  description: `Changes the names under which files are downloaded and listed. ${whichFiles}`,
  request: RenameFilesRequestSchema,
  answer: RenamedFilesSchema,
  example: {
    request: { updates: [{ fileKey: "kE2xQm7PzVnYb9tR4wLcH3sD", newName: "portrait.png" }] },
    answer: { success: true, renamedCount: 1 },
  },
  act: (call, request) =>
    Effect.map(
      change(call, request, ({ newName }) => ({ name: newName })),
      (renamedCount) => ({ success: true, renamedCount }) as const,
    ),
})

/** Source: docs/protocol.md §10. */
export const updateACL = defineOperation({
  summary: "Set who may read files",
  description: `Lets everybody read them (\`public-read\`), or only the holders of a signed URL (\`private\`). ${whichFiles}`,
  request: UpdateAclRequestSchema,
  answer: UpdatedAclsSchema,
  example: {
    request: { updates: [{ customId: "avatar-of-7", acl: "private" }] },
    answer: { success: true, updatedCount: 1 },
  },
  act: (call, request) =>
    Effect.map(
      change(call, request, ({ acl }) => ({ acl })),
      (updatedCount) => ({ success: true, updatedCount }) as const,
    ),
})

/** Source: docs/protocol.md §10. */
export const moveFiles = defineOperation({
  summary: "Set where files are filed",
  description: `A path is a label: no bytes are moved, and links to the files stay the same; null takes the path away. ${whichFiles}`,
  request: MoveFilesRequestSchema,
  answer: MovedFilesSchema,
  example: {
    request: { updates: [{ fileKey: "kE2xQm7PzVnYb9tR4wLcH3sD", path: "photos/2026/me.png" }] },
    answer: { success: true, movedCount: 1 },
  },
  act: (call, request) =>
    Effect.map(
      change(call, request, ({ path }) => ({ path })),
      (movedCount) => ({ success: true, movedCount }) as const,
    ),
})

/** Source: docs/protocol.md §10. */
export const updateFiles = defineOperation({
  summary: "Set how long files are kept",
  description: `\`expiresIn\` is in seconds from now; null keeps a file for ever. Nobody reads a file whose time has passed, and the next sweep deletes it. ${whichFiles}`,
  request: UpdateFilesRequestSchema,
  answer: UpdatedFilesSchema,
  example: {
    request: { updates: [{ fileKey: "kE2xQm7PzVnYb9tR4wLcH3sD", expiresIn: 2_592_000 }] },
    answer: { success: true, updatedCount: 1 },
  },
  act: (call, request) =>
    Effect.map(
      change(call, request, ({ expiresIn }) => ({
        removeAt: expiresIn === null ? null : call.service.now() + expiresIn * 1000,
      })),
      (updatedCount) => ({ success: true, updatedCount }) as const,
    ),
})
