import type { PostFailed } from "../../server-kit/post-json.ts"
import { rateLimitAdvice } from "../../server-kit/rate-limit-advice.ts"
import { envName, names } from "../../protocol/names.ts"
import { createBoundedMap } from "../bounded-map.ts"

const remedies = {
  forbidden: `Set ${envName("callbackUrl")} of the app to a URL that the ingest may call, or have its operator allow this one (--callback-networks any).`,
  failed: `Set ${envName("callbackUrl")} to where the ingest reaches the route handler, and let its path through any login in front of it. The ingest's operator sees more with \`${names.word} doctor\`.`,
} as const

/** A callback, by its event, and where it went. */
export interface CallbackTarget {
  /** `evt_…` */
  readonly eventId: string
  readonly appId: string
  readonly origin: string
}

/** What an app should know about its callbacks: why the last one did not reach its route handler, for the same destination. */
export interface RefusedCallbacks {
  readonly remember: (callback: CallbackTarget, failure: PostFailed) => void
  /** One has reached its route handler. */
  readonly forget: (callback: CallbackTarget) => void
  /** Whether the last attempt at an event got no answer from the app: no connection, one that broke, or a proxy that says so. */
  readonly foundNobody: (eventId: string) => boolean
  /** Whether a callback of an app has reached a route handler at this origin since the ingest began. */
  readonly wasReached: (appId: string, origin: string) => boolean
  /** One line of ASCII; undefined where there is nothing to report. */
  readonly find: (appId: string, origin: string) => string | undefined
}

/**
 * Whether a callback reached a route handler that reports the problem in its own log, because it cannot fix it. What
 * the handler refuses (a signature, a clock, a route it does not have) it answers and does not log.
 */
export const isHandled = ({ status, body = "", reported }: PostFailed): boolean =>
  reported !== undefined || (status !== undefined && status >= 500 && body.includes(names.problemType))

/** Whether somebody in front of the route handler has counted callbacks, and found too many. */
export const isRateLimited = ({ status, body = "", reported }: PostFailed): boolean =>
  status === 429 && reported === undefined && !body.includes(names.problemType)

/** Whether there was no connection, it broke, or a proxy in front of the app says so: the app itself has not decided anything. */
const isUnanswered = (failure: PostFailed): boolean =>
  failure.reason === "network" || (/^50[234]$/.test(String(failure.status)) && !isHandled(failure))

/** What an app may read of an answer that it did not give itself: nothing at all from a host that only the ingest reaches. */
const describe = (failure: PostFailed): string => {
  if (failure.reason === "forbidden") return failure.message.slice(0, 512)
  if (failure.status === undefined) return "There was no answer."
  const isOurs = failure.body?.includes(names.problemType) === true
  const code = isOurs ? (/"code":"([A-Z_]+)"/.exec(failure.body ?? "")?.[1] ?? "") : ""
  return `The answer was ${[failure.status, code].join(" ").trim()}${isOurs ? "" : ", which is not the route handler's"}.`
}

/** How many are remembered. For an older event, a client is only told that its callback failed. */
const most = 10_000

/**
 * Keeps, for each app, why its callbacks do not arrive, because no callback can tell it. One reason for each app,
 * until the ingest stops.
 */
export const createRefusedCallbacks = (): RefusedCallbacks => {
  const last = new Map<string, { readonly origin: string; readonly failure: PostFailed; readonly count: number }>()
  const reached = createBoundedMap<true>(most)
  const unanswered = createBoundedMap<true>(most)
  const toPlace = (appId: string, origin: string) => `${appId} ${origin}`
  const of = (appId: string, origin: string) => {
    const found = last.get(appId)
    return found?.origin === origin ? found : undefined
  }
  return {
    remember: ({ eventId, appId, origin }, failure) => {
      last.set(appId, { origin, failure, count: (of(appId, origin)?.count ?? 0) + 1 })
      if (isUnanswered(failure)) unanswered.set(eventId, true)
      else unanswered.delete(eventId)
    },
    forget: ({ eventId, appId, origin }) => {
      reached.set(toPlace(appId, origin), true)
      unanswered.delete(eventId)
      if (of(appId, origin)) last.delete(appId)
    },
    foundNobody: unanswered.has,
    wasReached: (appId, origin) => reached.has(toPlace(appId, origin)),
    find: (appId, origin) => {
      const found = of(appId, origin)
      if (found === undefined) return undefined
      const { failure, count } = found
      const remedy = isRateLimited(failure)
        ? rateLimitAdvice
        : remedies[failure.reason === "forbidden" ? "forbidden" : "failed"]
      const times = count === 1 ? "" : ` (${count} in a row failed)`
      return `${describe(failure)} This was the last callback to ${origin}${times}. ${remedy}`.replaceAll(
        /[^ -~]/g,
        "?",
      )
    },
  }
}
