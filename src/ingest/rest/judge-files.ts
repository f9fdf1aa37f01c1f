import * as Effect from "effect/Effect"
import {
  RejectedFilesSchema,
  RejectFilesRequestSchema,
  ReleasedFilesSchema,
  ReleaseFilesRequestSchema,
} from "../../schema/rest.ts"
import { announceVerdicts } from "../upkeep/announce-verdicts.ts"
import { attempt } from "../attempt.ts"
import { createEventId } from "../event-id.ts"
import type { HoldVerdict } from "../storage/catalog/holds.ts"
import { type Call, defineOperation } from "./operation.ts"

/** Returns the keys of the files that were held. */
const judge = Effect.fnUntraced(function* (
  { service, app }: Call,
  fileKeys: ReadonlyArray<string>,
  verdict: HoldVerdict,
) {
  const judged = yield* attempt(() =>
    service.catalog.judgeHeld({
      appId: app.id,
      files: [...new Set(fileKeys)].map((key) => ({ key })),
      verdict,
      now: service.now(),
      createEventId,
      appSince: app.since,
    }),
  )
  announceVerdicts(service, judged)
  return judged.map(({ file }) => file.key)
})

const exampleKey = "kE2xQm7PzVnYb9tR4wLcH3sD"

/** Source: docs/protocol.md §10. */
export const releaseFiles = defineOperation({
  summary: "Release held files",
  description:
    "Files of a route with the option `hold` are `Held`, and only a URL with `held` reads them, until they are released or rejected. " +
    "Released ones are `Uploaded` (or `Pending`), and the app's callback is sent. Files that are not held are ignored; " +
    "`releasedKeys` tells which were.",
  request: ReleaseFilesRequestSchema,
  answer: ReleasedFilesSchema,
  example: {
    request: { fileKeys: [exampleKey] },
    answer: { success: true, releasedCount: 1, releasedKeys: [exampleKey] },
  },
  act: (call, { fileKeys }) =>
    Effect.map(
      judge(call, fileKeys, { kind: "release" }),
      (releasedKeys) => ({ success: true, releasedCount: releasedKeys.length, releasedKeys }) as const,
    ),
})

/** Source: docs/protocol.md §10. */
export const rejectFiles = defineOperation({
  summary: "Reject held files",
  description:
    "Files that are `Held` become `Failed` with the code `REJECTED`: their bytes are removed, the app's error callback is " +
    "sent, and whoever sent the file is told the reason. Files that are not held are ignored; `rejectedKeys` tells which were.",
  request: RejectFilesRequestSchema,
  answer: RejectedFilesSchema,
  example: {
    request: { fileKeys: [exampleKey], reason: "The picture shows somebody who has not agreed to it." },
    answer: { success: true, rejectedCount: 1, rejectedKeys: [exampleKey] },
  },
  act: (call, { fileKeys, reason }) =>
    Effect.map(
      judge(call, fileKeys, { kind: "reject", reason }),
      (rejectedKeys) => ({ success: true, rejectedCount: rejectedKeys.length, rejectedKeys }) as const,
    ),
})
