import * as Schema from "effect/Schema"
import type {
  CallbackEvent,
  CallbackResult,
  DevStreamEvent,
  ErrorEvent,
  FailedFile,
  StoredFile,
} from "../protocol/messages.ts"
import { Json } from "./json.ts"

const base = {
  id: Schema.String.check(Schema.isMinLength(1)),
  sentAt: Schema.Number,
  attempt: Schema.Number,
  origin: Schema.String,
  slug: Schema.String,
  metadata: Json,
  labels: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({ owner: Schema.NullOr(Schema.String), path: Schema.NullOr(Schema.String) }),
      Schema.Undefined,
    ]),
  ),
}

const described = {
  key: Schema.String,
  name: Schema.String,
  size: Schema.Number,
  type: Schema.String,
  customId: Schema.NullOr(Schema.String),
}

const FailedFileSchema: Schema.Codec<FailedFile> = Schema.Struct(described)

const StoredFileSchema: Schema.Codec<StoredFile> = Schema.Struct({
  ...described,
  url: Schema.String,
  fileHash: Schema.String,
  uploadedAt: Schema.Number,
})

/** Source: docs/protocol.md §8. */
export const CallbackEventSchema: Schema.Codec<CallbackEvent> = Schema.Struct({
  ...base,
  status: Schema.Literal("uploaded"),
  file: StoredFileSchema,
})

/** Source: docs/protocol.md §8. */
export const ErrorEventSchema: Schema.Codec<ErrorEvent> = Schema.Struct({
  ...base,
  status: Schema.Literal("failed"),
  fileKey: Schema.String,
  file: Schema.optionalKey(Schema.Union([FailedFileSchema, Schema.Undefined])),
  error: Schema.Struct({ code: Schema.String, message: Schema.String }),
})

/** Source: docs/protocol.md §7. */
export const DevStreamEventSchema: Schema.Codec<DevStreamEvent> = Schema.Struct({
  payload: Schema.String,
  signature: Schema.String,
  hook: Schema.String,
  traceparent: Schema.optionalKey(Schema.Union([Schema.String, Schema.Undefined])),
})

const resultBase = {
  fileKey: Schema.String,
  eventId: Schema.optionalKey(Schema.Union([Schema.String, Schema.Undefined])),
  attempt: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Undefined])),
}

/** Source: docs/protocol.md §9. */
export const CallbackResultSchema: Schema.Codec<CallbackResult> = Schema.Union([
  Schema.Struct({ ...resultBase, error: Schema.String }),
  Schema.Struct({ ...resultBase, callbackData: Json }),
])
