import type { StandardSchemaV1 } from "@standard-schema/spec"
import * as Effect from "effect/Effect"
import type { Json } from "../protocol/json.ts"
import type { FileDescriptor } from "../protocol/messages.ts"
import { Rejected } from "../server-kit/rejected.ts"
import type { Call, NamedRoute } from "./app.ts"
import type { RenewedUpload } from "./builder/user-code-arguments.ts"
import { callUserCode, toArguments } from "./user-code.ts"

const describeIssue = (issue: StandardSchemaV1.Issue): string => {
  const path = (issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return path.length === 0 ? `input: ${issue.message}` : `input.${path.join(".")}: ${issue.message}`
}

/**
 * Validates the client's input with the route's schema; `undefined` where the route has none.
 *
 * Fails:  `Rejected`, code INVALID_INPUT; its cause is the list of issues, for the error formatter.
 * Source: docs/protocol.md §5; https://standardschema.dev
 */
const parseInput = (
  slug: string,
  schema: StandardSchemaV1 | undefined,
  input: unknown,
): Effect.Effect<unknown, Rejected> =>
  schema === undefined
    ? Effect.undefined
    : Effect.flatMap(
        callUserCode(
          { hook: "input", slug },
          () => schema["~standard"].validate(input),
          (result) =>
            result.issues === undefined
              ? { value: result.value }
              : { cause: result.issues, detail: result.issues.slice(0, 5).map(describeIssue).join("; ") },
        ),
        (read) =>
          "value" in read ? Effect.succeed(read.value) : Effect.fail(new Rejected({ code: "INVALID_INPUT", ...read })),
      )

/**
 * Validates the input, then asks the route's middleware whether these files are allowed: its return value is the
 * metadata.
 *
 * Fails: `Rejected`, code INVALID_INPUT or whatever the middleware threw as an `UploadError`.
 */
export const runMiddleware = Effect.fnUntraced(function* (
  call: Call,
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
          middleware(toArguments(call, { input, files, ...(renewal && { renewal }) })),
        )
  return { input, metadata }
})
