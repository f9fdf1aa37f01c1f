import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { BlobStoreError } from "./blob-store.ts"

/** SQLite's code for a database that cannot grow. Source: sqlite.org/rescode.html#full. */
const sqliteFull = 13

const isFull = (cause: unknown): boolean =>
  cause instanceof BlobStoreError
    ? cause.reason === "full"
    : cause instanceof Error && "errcode" in cause && cause.errcode === sqliteFull

/** What the caller can be told of a failing store or catalog; undefined for what nobody foresaw. */
const explain = (cause: unknown): Rejected | undefined => {
  if (cause instanceof Rejected) return cause
  if (isFull(cause)) {
    return new Rejected({
      code: "INGEST_UNAVAILABLE",
      detail: "The ingest's storage is full. What has arrived is kept; try again later.",
      cause,
    })
  }
  if (!(cause instanceof BlobStoreError) || cause.reason !== "fenced") return undefined
  return new Rejected({
    code: "LOCKED",
    detail: "A newer request has taken this upload over. Ask for the offset again, then go on.",
    cause,
  })
}

/** Runs asynchronous code that talks to the ports: `Rejected` is a failure, a store's refusal becomes one, all else is a defect. */
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
