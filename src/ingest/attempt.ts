import * as Effect from "effect/Effect"
import { Rejected } from "../server-kit/rejected.ts"
import { BlobStoreError } from "./storage/blob-store.ts"
import { CatalogError } from "./storage/catalog/catalog.ts"
import { storageFails, storageFull } from "./refusals.ts"

/** What the caller can be told of a failing store or catalog; undefined for unexpected errors. */
const explain = (cause: unknown): Rejected | undefined => {
  if (cause instanceof Rejected) return cause
  if (!BlobStoreError.is(cause) && !CatalogError.is(cause)) return undefined
  switch (cause.reason) {
    case "fenced":
      return new Rejected({
        code: "LOCKED",
        detail: "A newer request has taken this upload over. Ask for the offset again, then resume.",
        cause,
      })
    case "full":
      return storageFull(cause)
    case "busy":
    case "io":
      return storageFails(cause)
    default:
      return undefined
  }
}

/**
 * Runs asynchronous code that calls the ports: a `Rejected` is a failure, a refusal of theirs becomes one, and anything
 * else is a defect.
 */
export const attempt = <A>(evaluate: () => Promise<A>): Effect.Effect<A, Rejected> =>
  Effect.flatten(
    Effect.promise(() =>
      evaluate().then(
        (value): Effect.Effect<A, Rejected> => Effect.succeed(value),
        (cause: unknown) => {
          const rejected = explain(cause)
          return rejected === undefined ? Effect.die(cause) : Effect.fail(rejected)
        },
      ),
    ),
  )
