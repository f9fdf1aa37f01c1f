import type { PostFailed } from "../../server-kit/post-json.ts"
import type { AttemptRecord } from "../storage/catalog/catalog.ts"

type Next = Exclude<AttemptRecord["outcome"], "delivered">

/** Up to a fifth more or less, so that events of one outage do not all come back at the same moment. */
const jitter = (delay: number): number => Math.round(delay * (0.8 + 0.4 * Math.random()))

/** The longest wait that an answer can ask for, ms: a wrong one holds an event up no longer. */
const longestWait = 60 * 60 * 1000

/** The wait that an answer asks for, ms, and never less: seconds, or a date by the clock of whoever sent it. */
const toWait = ({ status, headers }: PostFailed, now: number): number => {
  if (status !== 429 && status !== 503) return 0
  const value = headers?.get("retry-after")?.trim() ?? ""
  const wait = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers?.get("date") ?? "") || now)
  return wait > 0 ? Math.round(Math.min(wait, longestWait) * (1 + Math.random() / 5)) : 0
}

/** What follows a failed attempt that was the nth retry of its schedule. Source: docs/protocol.md §8. */
export const judgeRetry = (retry: number, now: number, retries: ReadonlyArray<number>, wait = 0): Next => {
  const delay = retries[retry]
  return delay === undefined ? "dead" : { retryAt: now + Math.max(jitter(delay), wait) }
}

/** The same for an attempt whose answer may say when to come again, or that nobody should. */
export const judgeFailure = (failure: PostFailed, retry: number, now: number, retries: ReadonlyArray<number>): Next =>
  failure.status === 410 ? "dead" : judgeRetry(retry, now, retries, toWait(failure, now))

/** When the next attempt is made, for the log. */
export const tellNext = (next: Next): string => (next === "dead" ? "given up" : new Date(next.retryAt).toISOString())
