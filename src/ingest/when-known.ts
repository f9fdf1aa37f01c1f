import * as Effect from "effect/Effect"
import type { MaybePromise } from "../protocol/signature.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import { attempt } from "./attempt.ts"

/** Most answers are available at once; only the others need a turn of the event loop. */
export const whenKnown = <A>(answer: MaybePromise<A>): Effect.Effect<A> =>
  answer instanceof Promise ? Effect.promise(() => answer) : Effect.succeed(answer)

/** The same for an answer that the ports may refuse: that is a refusal of the request, and anything else a defect. */
export const whenAnswered = <A>(answer: MaybePromise<A>): Effect.Effect<A, Rejected> =>
  answer instanceof Promise ? attempt(() => answer) : Effect.succeed(answer)
