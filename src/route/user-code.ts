import * as Effect from "effect/Effect"
import { toWebRequest } from "../http/incoming.ts"
import { logError } from "../server-kit/logging.ts"
import { Rejected } from "../server-kit/rejected.ts"
import type { Json } from "../protocol/json.ts"
import { isProblemCode } from "../protocol/errors/problem-code.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { Call, NamedRoute } from "./app.ts"
import type { UserCode } from "./describe-thrown.ts"

const logThrown = (code: UserCode, thrown: unknown, attributes: object = {}): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => import("./describe-thrown.ts")),
    ({ describeThrown }) => {
      const { message, details } = describeThrown(code, thrown)
      return logError(message, attributes, details)
    },
  )

const toJson = (value: unknown): Json | undefined => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

/** What a thrown `UploadError` says, and whether its `data` is JSON. */
interface Refusal {
  readonly rejected: Rejected
  readonly isJson: boolean
}

/**
 * Reads a thrown `UploadError`, and copies what is to be sent: whatever it has may throw when it is read.
 *
 * @returns undefined for anything else, and for one that cannot be read
 */
const readRefusal = (thrown: unknown): Refusal | undefined => {
  try {
    if (!UploadError.is(thrown) || !isProblemCode(thrown.code)) return undefined
    const { code, status } = thrown
    // Whoever made it may have put anything there.
    const message: unknown = thrown.message
    let data: Json | undefined
    let isJson = true
    try {
      data = toJson(thrown.data)
    } catch {
      isJson = false
    }
    const own = status >= 400 && status <= 599 ? status : undefined
    return { rejected: new Rejected({ code, detail: String(message), status: own, data, cause: thrown }), isJson }
  } catch {
    return undefined
  }
}

/**
 * A thrown `UploadError` is a refusal with its own message; anything else is logged, only here and once, and callers
 * cannot read it.
 */
const toFailure = (code: UserCode, thrown: unknown): Effect.Effect<never, Rejected> => {
  const refusal = readRefusal(thrown)
  if (refusal !== undefined) {
    const failed = Effect.fail(refusal.rejected)
    if (refusal.isJson) return failed
    const message = `${code.hook} of route ${JSON.stringify(code.slug)} threw an UploadError whose data is no JSON: it is left out.`
    return Effect.andThen(logError(message, {}), failed)
  }
  return Effect.suspend(() => {
    const id = crypto.randomUUID()
    const detail = `The app's ${code.hook} failed. Its log has it under ${id}.`
    return Effect.andThen(logThrown(code, thrown, { id }), Effect.fail(new Rejected({ code: "ROUTE_FAILED", detail })))
  })
}

/** Recognises any kind of promise: those of another realm, and the thenables that query builders return. */
const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function"

/**
 * Calls a function of the app, synchronous or not.
 *
 * Fails: `Rejected` where it threw an `UploadError`; with ROUTE_FAILED, which clients do not retry, where it threw
 *        anything else: what it did before that may not be done twice.
 *
 * @param read takes what is needed out of what it returned, whose parts may throw when they are read
 */
export const callUserCode = <A, B = A>(
  code: UserCode,
  call: () => A | PromiseLike<A>,
  read: (returned: A) => B = (returned) => returned as unknown as B,
): Effect.Effect<B, Rejected> =>
  Effect.suspend(() => {
    try {
      const result = call()
      return isPromiseLike(result)
        ? Effect.catch(
            Effect.tryPromise({ try: () => Promise.resolve(result).then(read), catch: (thrown) => ({ thrown }) }),
            ({ thrown }) => toFailure(code, thrown),
          )
        : Effect.succeed(read(result))
    } catch (thrown) {
      return toFailure(code, thrown)
    }
  })

/**
 * The arguments of a function of the app: what the adapter adds, what this function gets, and the request as the Web
 * API's class, which is made when it is first asked for.
 */
export const toArguments = <A extends object>(
  { native, request }: Call,
  own: A,
): object & A & { readonly request: Request } => ({
  ...native,
  ...own,
  get request() {
    return toWebRequest(request)
  },
})

const toUploadError = (rejected: Rejected): UploadError =>
  UploadError.is(rejected.cause)
    ? rejected.cause
    : new UploadError({
        code: rejected.code,
        message: rejected.detail,
        status: rejected.status,
        data: rejected.data,
        cause: rejected.cause,
      })

/** Lets the route that failed put its own `data` into the problem. A formatter that throws is logged and ignored. */
export const formatError = ({ slug, definition }: NamedRoute, rejected: Rejected): Effect.Effect<never, Rejected> => {
  const { errorFormatter } = definition
  // Callers must not see what user code threw.
  const isOpaque = rejected.code === "ROUTE_FAILED" && rejected.cause === undefined
  if (errorFormatter === undefined || isOpaque) return Effect.fail(rejected)
  return Effect.suspend(() => {
    try {
      return Effect.fail(
        new Rejected({
          code: rejected.code,
          detail: rejected.detail,
          status: rejected.status,
          headers: rejected.headers,
          cause: rejected.cause,
          data: toJson(errorFormatter(toUploadError(rejected))),
        }),
      )
    } catch (thrown) {
      return Effect.andThen(logThrown({ hook: "errorFormatter", slug }, thrown), Effect.fail(rejected))
    }
  })
}
