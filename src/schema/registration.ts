import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import type { Registration } from "../protocol/messages.ts"
import { HttpUrl } from "./http-url.ts"
import { Json } from "./json.ts"

/** Source: docs/protocol.md §6. */
export const RegistrationSchema: Schema.Codec<Registration> = Schema.Struct({
  fileKeys: Schema.Array(
    Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]+$/), Schema.isMaxLength(limits.fileKey)),
  ).check(
    Schema.isMinLength(1, { message: "Expected at least one file key" }),
    Schema.isMaxLength(limits.filesPerRequest, { message: `Expected at most ${limits.filesPerRequest} file keys` }),
  ),
  metadata: Json,
  callbackUrl: HttpUrl,
  callbackSlug: Schema.String.check(Schema.isMinLength(1)),
  awaitServerData: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Undefined])),
  isDev: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Undefined])),
})
