import * as Effect from "effect/Effect"
import { ClaimedFilesSchema, ClaimFilesRequestSchema } from "../../schema/rest.ts"
import { announceDeletion } from "../upkeep/announce-deletion.ts"
import { attempt } from "../attempt.ts"
import { filesMissing, unknownApiKey } from "../refusals.ts"
import { defineOperation } from "./operation.ts"

/** Source: docs/protocol.md §10. */
export const claimFiles = defineOperation({
  summary: "Claim files",
  description:
    "Files of a route with the option `claim` are `Pending` until they are claimed, and are deleted when nobody does. All " +
    "of them are claimed or none: where one is missing the answer is 404, and its `data` lists all that are. A file that " +
    "is still being uploaded can be claimed; to claim one twice is no error. `replaces` are deleted in the same step. With `owner` the files of others are missing, and none of them is replaced; with `slug` those are missing that have come through another file route. Files of several routes are claimed together by `claims`.",
  request: ClaimFilesRequestSchema,
  answer: ClaimedFilesSchema,
  example: {
    request: { fileKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"], replaces: ["kE2xQm7PzVnYq1uT6yKdJ5vF"] },
    answer: { success: true, claimedCount: 1, replacedCount: 1 },
  },
  needsFiles: true,
  act: Effect.fnUntraced(function* ({ service, app }, { fileKeys, claims = [], replaces = [], owner, slug }) {
    const slugs = new Map(claims.flatMap((each) => each.fileKeys.map((key) => [key, each.slug] as const)))
    const keys = fileKeys === undefined ? [...slugs.keys()] : [...new Set(fileKeys)]
    const claim = {
      appId: app.id,
      keys,
      replaces: [...new Set(replaces)].map((fileKey) => ({ fileKey })),
      owner,
      slug: fileKeys === undefined ? slugs : slug,
      now: service.now(),
      appSince: app.since,
    }
    const claimed = yield* attempt(() => service.catalog.claimFiles(claim))
    if (claimed.kind === "unknownApp") return yield* unknownApiKey()
    if (claimed.kind === "missing") return yield* filesMissing(claimed.keys)
    announceDeletion(service, claimed.replaced, claimed.replaced.length)
    return { success: true, claimedCount: keys.length, replacedCount: claimed.replaced.length } as const
  }),
})
