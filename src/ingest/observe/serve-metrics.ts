import * as Effect from "effect/Effect"
import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"
import type { DevStreams } from "../delivery/dev-streams.ts"
import type { Readers } from "../download/readers.ts"
import { metricsMediaType } from "./metric-registry.ts"
import type { Metrics } from "./metrics.ts"
import { watchProcess } from "./process-metrics.ts"

/**
 * Who may read the metrics: nobody, everybody who reaches the ingest, or clients that send `authorization: Bearer
 * <token>`. The address of the client is no criterion: behind a proxy on the same machine all requests come from
 * there.
 */
export type MetricsAccess = "off" | "open" | { readonly token: string }

/** `GET /metrics`. */
export interface MetricsEndpoint {
  /** The metrics in Prometheus' text format. Fails: UNAUTHORIZED. */
  readonly respond: (request: Incoming) => Effect.Effect<Answer, Rejected>
  readonly close: () => void
}

/** How many deliveries of a kind are counted at most. */
const countLimit = 10_000

/** Whether a request may read, in constant time for any token. Fails: throws `TypeError` on a token that is too short. */
const createGuard = (access: Exclude<MetricsAccess, "off">): ((request: Incoming) => boolean) => {
  if (access === "open") return () => true
  if (access.token.length < 16) {
    throw new TypeError("INVALID_CONFIG: the token for the metrics must be at least 16 characters long.")
  }
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto")
  const digest = (text: string) => createHash("sha256").update(text).digest()
  const expected = digest(`Bearer ${access.token}`)
  return ({ headers }) => timingSafeEqual(digest(headers.get("authorization") ?? ""), expected)
}

/** Makes the endpoint; undefined where nobody may read. Fails: throws `TypeError` on a token that is too short. */
export const createMetricsEndpoint = (
  access: MetricsAccess,
  {
    metrics,
    catalog,
    devStreams,
    readers,
  }: {
    readonly metrics: Metrics
    readonly catalog: Catalog
    readonly devStreams: DevStreams
    readonly readers: Readers
  },
): MetricsEndpoint | undefined => {
  if (access === "off") return undefined
  const isAllowed = createGuard(access)
  const process = watchProcess(metrics)

  /**
   * Reads the values that change by themselves, when the metrics are read. Unknown counts are NaN, because an old
   * number would be wrong.
   */
  const refresh = async (): Promise<void> => {
    process.read()
    metrics.devStreams.set(devStreams.count())
    metrics.activeReaders.set(readers.count())
    const counts = [
      [metrics.deliveries, catalog.countDeliveries],
      [metrics.endpointEvents, catalog.countEvents],
    ] as const
    for (const [metric, count] of counts) {
      const { pending, dead } = await count(countLimit).catch(() => ({ pending: Number.NaN, dead: Number.NaN }))
      metric.cell("pending").set(pending)
      metric.cell("dead").set(dead)
    }
  }

  return {
    respond: Effect.fnUntraced(function* (request) {
      if (!isAllowed(request)) {
        return yield* new Rejected({
          code: "UNAUTHORIZED",
          detail: "The metrics need the header `authorization: Bearer <token>` with the token the operator has set.",
          headers: { "www-authenticate": "Bearer" },
        })
      }
      yield* Effect.promise(refresh)
      const headers = { "content-type": metricsMediaType, "cache-control": "no-store" }
      return { status: 200, headers, body: metrics.render() }
    }),
    close: process.close,
  }
}
