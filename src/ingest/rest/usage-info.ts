import * as Effect from "effect/Effect"
import { UsageInfoRequestSchema, UsageInfoSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import { defineOperation } from "./operation.ts"

/** Source: docs/protocol.md §10. */
export const getUsageInfo = defineOperation({
  summary: "Get how much the app's files take",
  description:
    "Counts the files that are `Uploaded`, `Pending` or `Held`, of the app or of one owner. `announcedBytes` are those of uploads " +
    "under way, which quotas count as well. `limitBytes` is the app's quota, or null if there is none; it is null for an owner.",
  request: UsageInfoRequestSchema,
  answer: UsageInfoSchema,
  example: {
    request: {},
    answer: { totalBytes: 18_230, filesUploaded: 1, announcedBytes: 0, limitBytes: 1_073_741_824 },
  },
  act: ({ service: { catalog }, app }, { owner }) =>
    Effect.map(
      attempt(() => (owner === undefined ? catalog.usage(app.id) : catalog.usageOfOwner(app.id, owner))),
      ({ files, storedBytes, announcedBytes }) => ({
        totalBytes: storedBytes,
        filesUploaded: files,
        announcedBytes,
        limitBytes: owner === undefined ? (app.quota ?? null) : null,
      }),
    ),
})
