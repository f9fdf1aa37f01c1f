import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import type { Registration, RegistrationQuery, SealedRegistration } from "../protocol/messages.ts"
import { HttpUrl } from "./http-url.ts"
import { Json } from "./json.ts"

const FileKey = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]+$/), Schema.isMaxLength(limits.fileKey))

/** Source: docs/protocol.md §4. */
const RegistrationId = Schema.optionalKey(
  Schema.Union([
    Schema.String.check(
      Schema.isPattern(/^[\w-]{1,64}$/, { message: "Expected 1 to 64 characters of A-Z a-z 0-9 _ -" }),
    ),
    Schema.Undefined,
  ]),
)

const Time = Schema.Number.check(
  Schema.makeFilter((ms: number) => (Number.isSafeInteger(ms) && ms >= 0) || "Expected ms since the epoch"),
)

/** Source: docs/protocol.md §6. */
export const RegistrationSchema: Schema.Codec<Registration> = Schema.Struct({
  id: RegistrationId,
  sentAt: Schema.optionalKey(Schema.Union([Time, Schema.Undefined])),
  expires: Schema.optionalKey(Schema.Union([Time, Schema.Undefined])),
  fileKeys: Schema.Array(FileKey).check(
    Schema.isMinLength(1, { message: "Expected at least one file key" }),
    Schema.isMaxLength(limits.filesPerRequest, { message: `Expected at most ${limits.filesPerRequest} file keys` }),
  ),
  metadata: Json,
  callbackUrl: HttpUrl.check(Schema.isMaxLength(limits.callbackUrl)),
  callbackSlug: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.slug)),
  awaitServerData: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Undefined])),
  isDev: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Undefined])),
})

const Text = Schema.optionalKey(Schema.Union([Schema.String, Schema.Undefined]))

/** Source: docs/protocol.md §4. */
export const SealedRegistrationSchema: Schema.Codec<SealedRegistration> = Schema.Struct({
  metadata: Json,
  callbackUrl: HttpUrl.check(Schema.isMaxLength(limits.callbackUrl)),
  callbackSlug: Schema.optionalKey(
    Schema.Union([Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.slug)), Schema.Undefined]),
  ),
  awaitServerData: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Undefined])),
  traceparent: Text,
  tracestate: Text,
})

/** Source: docs/protocol.md §6. */
export const RegistrationQuerySchema: Schema.Codec<RegistrationQuery> = Schema.Struct({
  files: Schema.Array(Schema.Struct({ key: FileKey, id: RegistrationId })).check(
    Schema.isMinLength(1, { message: "Expected at least one file" }),
    Schema.isMaxLength(limits.filesPerRequest, { message: `Expected at most ${limits.filesPerRequest} files` }),
  ),
})
