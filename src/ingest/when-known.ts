import * as Effect from "effect/Effect"
import type { MaybePromise } from "../protocol/signature.ts"

/** Most answers are available at once; only the others need a turn of the event loop. */
export const whenKnown = <A>(answer: MaybePromise<A>): Effect.Effect<A> =>
  answer instanceof Promise ? Effect.promise(() => answer) : Effect.succeed(answer)
