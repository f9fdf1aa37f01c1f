import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { UsageInfoSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import { defineOperation } from "./operation.ts"

/** Source: docs/protocol.md §10. */
export const getUsageInfo = defineOperation({
  summary: "Get how much the app's files take",
  description: "Counts the files that are `Uploaded`. `limitBytes` is the app's quota, or null if there is none.",
  request: Schema.Record(Schema.String, Schema.Unknown),
  answer: UsageInfoSchema,
  example: { request: {}, answer: { totalBytes: 18_230, filesUploaded: 1, limitBytes: 1_073_741_824 } },
  act: ({ service, app }) =>
    Effect.map(
      attempt(() => service.catalog.usage(app.id)),
      ({ files, storedBytes }) => ({
        totalBytes: storedBytes,
        filesUploaded: files,
        limitBytes: app.quota ?? null,
      }),
    ),
})
