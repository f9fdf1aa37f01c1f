import * as Effect from "effect/Effect"
import { attempt } from "./attempt.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import type { MaybePromise } from "../protocol/signing/signature.ts"

/**
 * Most answers are available at once; only the others need a turn of the event loop.
 *
 * Fails: as {@link attempt} does.
 */
export const whenKnown = <A>(answer: MaybePromise<A>): Effect.Effect<A, Rejected> =>
  answer instanceof Promise ? attempt(() => answer) : Effect.succeed(answer)
