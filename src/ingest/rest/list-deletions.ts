import * as Effect from "effect/Effect"
import { DeletionsSchema, ListDeletionsRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import { defineOperation } from "./operation.ts"

/** How many are listed where the request does not say. */
const defaultLimit = 500

/** Source: docs/protocol.md §10. */
export const listDeletions = defineOperation({
  summary: "List deletions of many files",
  description:
    "Deletions by owner or prefix, newest first: those that are not done, and those that were asked for in the last 7 days.",
  request: ListDeletionsRequestSchema,
  answer: DeletionsSchema,
  example: {
    request: {},
    answer: {
      deletions: [
        { id: "7", owner: "user-7", prefix: null, askedAt: 1767225600000, doneAt: 1767225601200, deletedCount: 1204 },
      ],
    },
  },
  act: ({ service: { catalog }, app }, { limit = defaultLimit }) =>
    Effect.map(
      attempt(() => catalog.listDeletions(app.id, limit)),
      (deletions) => ({ deletions: deletions.map((each) => ({ ...each, id: String(each.id) })) }),
    ),
})
