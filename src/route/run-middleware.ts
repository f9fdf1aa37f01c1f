import * as Effect from "effect/Effect"
import type { Json } from "../protocol/json.ts"
import type { FileDescriptor } from "../protocol/messages.ts"
import type { Call, NamedRoute } from "./app.ts"
import { parseInput } from "./parse-input.ts"
import { callUserCode } from "./user-code.ts"
import type { RenewedUpload } from "./builder/user-code-arguments.ts"

/**
 * Validates the input, then asks the route's middleware whether these files may come: its return value is the metadata.
 *
 * Fails: `Rejected`, code INVALID_INPUT or whatever the middleware threw as an `UploadError`.
 */
export const runMiddleware = Effect.fnUntraced(function* (
  { request, native }: Call,
  { slug, definition }: NamedRoute,
  files: ReadonlyArray<FileDescriptor>,
  untrusted: Json | undefined,
  renewal?: ReadonlyArray<RenewedUpload>,
) {
  const input = yield* parseInput(slug, definition.input, untrusted)
  const { middleware } = definition
  const metadata =
    middleware === undefined
      ? {}
      : yield* callUserCode({ hook: "middleware", slug }, () =>
          middleware({ ...native, request, input, files, ...(renewal && { renewal }) }),
        )
  return { input, metadata }
})
