import * as Data from "effect/Data"
import type { Json } from "../protocol/json.ts"
import type { Refusal } from "../protocol/errors/outcome.ts"
import type { ProblemCode } from "../protocol/errors/problem.ts"

/**
 * The caller has to change something: the request is answered with a problem document of this code.
 *
 * `detail` is sent; `cause` never leaves the server.
 */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly code: ProblemCode
  readonly detail: string
  /** Overrides the status of the code. */
  readonly status?: number | undefined
  readonly data?: Json | undefined
  /** Added to the answer: `allow`, `retry-after`, … */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly cause?: unknown
  /** Whether nothing is wrong, and the caller only has to ask again: whoever runs the server need not look. */
  readonly isUsual?: boolean | undefined
}> {
  override get message(): string {
    return this.detail
  }
}

/** A refusal of the protocol as the failure of an effect. */
export const toRejected = (refusal: Refusal): Rejected => new Rejected({ code: refusal.code, detail: refusal.detail })
