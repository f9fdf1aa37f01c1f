import * as Effect from "effect/Effect"
import { logDebug } from "../../server-kit/logging.ts"
import { announceVerdicts } from "../upkeep/announce-verdicts.ts"
import { attempt } from "../attempt.ts"
import type { Metrics } from "../observe/metrics.ts"
import { createEventId } from "../event-id.ts"
import type { Service } from "../service.ts"
import type { JudgeHeld } from "./scanner.ts"

/** Makes what gives the verdicts of a scanner. */
export const createJudgeHeld =
  (
    service: Pick<
      Service,
      "catalog" | "changes" | "devStreams" | "dispatcher" | "limitedLog" | "now" | "readers" | "wakeHousekeeping"
    >,
    { scans }: Pick<Metrics, "scans">,
  ): JudgeHeld =>
  ({ id, key, appId }, verdict) =>
    Effect.gen(function* () {
      scans.cell(verdict.kind).add()
      const judged = yield* attempt(() =>
        service.catalog.judgeHeld({
          appId,
          files: [{ key, id }],
          verdict: verdict.kind === "clean" ? { kind: "release" } : { kind: "reject", reason: verdict.reason },
          now: service.now(),
          createEventId,
        }),
      )
      announceVerdicts(service, judged)
      if (judged.length === 0) return false
      if (verdict.kind === "clean") yield* logDebug("A file is clean, and released.", { key })
      else {
        const found = verdict.name ?? verdict.reason
        service.limitedLog.log("rejected", appId, "A file was rejected.", () => [
          { key, app: appId, ...(found !== undefined && { found }) },
        ])
      }
      return true
    }).pipe(Effect.uninterruptible)
