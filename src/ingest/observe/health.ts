import * as Effect from "effect/Effect"
import { type Answer, toJsonAnswer } from "../../http/answer.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { Readiness } from "./readiness.ts"
import type { Service } from "../service.ts"

const headers = { "cache-control": "no-store" }

/** `GET /health`: the process lives and answers. It checks nothing else. */
export const respondHealth = (): Answer => toJsonAnswer({ status: "ok" }, headers)

const explain = ({ ingest, catalog, store }: Readiness): string | undefined => {
  if (ingest === "stopping") return "The ingest is stopping and takes no more uploads. Send them to another one."
  const failing = [...(catalog === "ok" ? [] : ["the catalog"]), ...(store === "ok" ? [] : ["the blob store"])]
  return failing.length === 0
    ? undefined
    : `The ingest cannot write to ${failing.join(" and ")}: look at its log, and whether the data folder is still there, the disk has room beyond the reserve (--minimum-free) and may be written to, or whether the database or the bucket answers.`
}

/**
 * `GET /ready`: whether uploads can be taken.
 *
 * Shape:  200 `{ "status": "ready", "checks": { "ingest": "ok", "catalog": "ok", "store": "ok" } }`.
 * Fails:  INGEST_UNAVAILABLE, the checks as `data`.
 */
export const respondReady = Effect.fnUntraced(function* (service: Service) {
  const checks = yield* Effect.promise(() => service.checkReadiness())
  const detail = explain(checks)
  if (detail === undefined) return toJsonAnswer({ status: "ready", checks }, headers)
  return yield* new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail,
    data: { checks: { ...checks } },
    headers: { "retry-after": "1" },
  })
})
