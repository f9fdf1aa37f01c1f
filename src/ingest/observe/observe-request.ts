import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import type { Write } from "../../server-kit/logging.ts"
import { toProblemAnswer } from "../../server-kit/problem-answer.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import { names } from "../../protocol/names.ts"
import { parseTraceContext, traceIdOf } from "../../protocol/trace-context.ts"
import type { LimitedLog } from "./limited-log.ts"
import type { Metrics } from "./metrics.ts"
import { isOutage } from "./outage.ts"
import type { Span, Tracing } from "./tracing.ts"

/** What observers need to know about a request. */
export interface Subject {
  /** The path with placeholders for what varies: it has few values, so that it can be a metric's label. */
  readonly route: string
  /** Whose file it is, when the path says so. */
  readonly key?: string | undefined
  /** Whether it transfers bytes of files; `in` and `out` as seen from the ingest. */
  readonly moves?: "in" | "out" | undefined
  /** For operators: it answers even while the ingest closes, and belongs to no trace. */
  readonly isOperational?: true
}

interface Observers {
  readonly metrics: Metrics
  readonly write: Write
  readonly limitedLog: Pick<LimitedLog, "log">
  /** Whether the log takes entries of level Debug. */
  readonly isDebugged: boolean
  readonly tracing: Tracing | undefined
}

/** How a request ended. */
interface Ending {
  readonly status: number
  readonly answer?: Answer
  readonly rejected?: Rejected | undefined
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "POST", "OPTIONS", "DELETE", "PATCH"])

/** How many characters of a reason, which may quote what a client sent, are logged. */
const longestReason = 500

const shorten = (text: string): string => (text.length <= longestReason ? text : `${text.slice(0, longestReason)}…`)

/**
 * Makes the function that runs a request's step under observation: it is counted, timed, logged and, where traces are
 * recorded, gets a span. A refusal becomes its problem document here, so that all of these see how it ended.
 */
export const createRequestObserver = ({ metrics, write, limitedLog, isDebugged, tracing }: Observers) => {
  /** What operators ask for every few seconds, and could not be answered the last time: that is logged once. */
  const failing = new Set<string>()
  return (
    request: Incoming,
    { route, key, moves, isOperational }: Subject,
    respond: (span: Span | undefined) => Effect.Effect<Answer, Rejected>,
  ): Effect.Effect<Answer> => {
    const startedAt = performance.now()
    const method = methods.has(request.method) ? request.method : "OTHER"
    const isUpload = moves === "in" && (method === "PUT" || method === "POST")
    if (isUpload) metrics.activeUploads.add()
    const isTraced = isOperational !== true && method !== "OPTIONS"
    const span = (isTraced ? tracing : undefined)?.start({
      name: `${method} ${route}`,
      kind: "server",
      parent: parseTraceContext(request.headers),
      attributes: { "http.request.method": method, "http.route": route, [`${names.word}.file_key`]: key },
    })

    const toDetails = ({ status, answer, rejected }: Ending, ms: number): ReadonlyArray<unknown> => {
      const trace = span?.context ?? parseTraceContext(request.headers)
      const bytes = isUpload ? request.headers.get("content-length") : answer?.headers["content-length"]
      const facts = {
        method,
        route,
        ...(key !== undefined && { key }),
        status,
        ...(rejected !== undefined && { code: rejected.code, reason: shorten(rejected.detail) }),
        ms: Math.round(ms * 10) / 10,
        ...(typeof bytes === "string" && { bytes: Number(bytes) }),
        ...(trace !== undefined && { trace: traceIdOf(trace) }),
      }
      const cause = status >= 500 ? rejected?.cause : undefined
      // Of an outage the first cause is in its own entry.
      return cause === undefined || (isOutage(cause) && !isDebugged) ? [facts] : [facts, cause]
    }

    const log = (ending: Ending, code: string, ms: number): void => {
      const { status, rejected } = ending
      if (isOperational && status < 500) failing.delete(route)
      if (isOperational && failing.has(route)) {
        if (isDebugged) write("Debug", "A request could not be served.", toDetails(ending, ms))
      } else if (status < 400 || rejected?.isUsual === true) {
        if (isDebugged) write("Debug", "A request was answered.", toDetails(ending, ms))
      } else if (status < 500) {
        limitedLog.log("refused", code, "A request was refused.", () => toDetails(ending, ms))
      } else if (status === 500) {
        // Unexpected errors are logged by the fetch handler, with their cause and the id that this client was told.
        write("Warning", "A request could not be served.", toDetails(ending, ms))
      } else {
        if (isOperational) failing.add(route)
        limitedLog.log("unserved", code, "A request could not be served.", () => toDetails(ending, ms))
      }
    }

    const end = (ending: Ending): void => {
      const { status, answer, rejected } = ending
      const ms = performance.now() - startedAt
      const code = rejected?.code ?? (status === 500 ? "INTERNAL_ERROR" : "")
      if (isUpload) metrics.activeUploads.add(-1)
      metrics.requests.cell(method, route, String(status), code).add()
      metrics.requestDuration.cell(method, route).observe(ms / 1000)
      if (moves === "out" && method === "GET" && status < 300) {
        metrics.sentBytes.add(Number(answer?.headers["content-length"] ?? 0))
      }
      log(ending, code, ms)
      span?.annotate({ "http.response.status_code": status, ...(code !== "" && { "error.type": code }) })
      span?.end(status >= 500 ? code : undefined)
    }

    return Effect.matchCauseEffect(respond(span), {
      onSuccess: (answer) => {
        end({ status: answer.status, answer })
        return Effect.succeed(answer)
      },
      onFailure: (cause) => {
        const rejected = cause.reasons.find(Cause.isFailReason)?.error
        if (rejected === undefined) {
          end({ status: 500 })
          return Effect.failCause(cause as Cause.Cause<never>)
        }
        const answer = toProblemAnswer(rejected)
        end({ status: answer.status, answer, rejected })
        return Effect.succeed(answer)
      },
    })
  }
}
