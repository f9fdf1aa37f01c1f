import type { StandardSchemaV1 } from "@standard-schema/spec"
import * as Effect from "effect/Effect"
import { Rejected } from "../server-kit/rejected.ts"
import { callUserCode } from "./user-code.ts"

const describeIssue = (issue: StandardSchemaV1.Issue): string => {
  const path = (issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return path.length === 0 ? `input: ${issue.message}` : `input.${path.join(".")}: ${issue.message}`
}

/**
 * Validates what the client sent along by the route's schema; `undefined` where the route has none.
 *
 * Fails:  `Rejected`, code INVALID_INPUT; its cause is the list of issues, for the error formatter.
 * Source: docs/protocol.md §5; https://standardschema.dev
 */
export const parseInput = (
  slug: string,
  schema: StandardSchemaV1 | undefined,
  input: unknown,
): Effect.Effect<unknown, Rejected> =>
  schema === undefined
    ? Effect.undefined
    : Effect.flatMap(
        callUserCode({ hook: "input", slug }, () => schema["~standard"].validate(input)),
        (result) =>
          result.issues === undefined
            ? Effect.succeed(result.value)
            : Effect.fail(
                new Rejected({
                  code: "INVALID_INPUT",
                  detail: result.issues.slice(0, 5).map(describeIssue).join("; "),
                  cause: result.issues,
                }),
              ),
      )
