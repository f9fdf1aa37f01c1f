import type { FileEventType } from "../../protocol/files/file-events.ts"
import type { FileRecord, RegistrationRecord } from "./catalog/records.ts"
import { isOverdue } from "./upload-rules.ts"

/** A file, and what it is registered with. */
export interface Known {
  readonly file: FileRecord
  readonly registration: Pick<RegistrationRecord, "registeredAt"> | null
}

/** What endpoints know of a file; `unknown` before there is one, and before an app knows of it. */
type Stage = "unknown" | "Uploading" | "Held" | "Stored" | "Failed" | "Deleting"

const stageOf = (known: Known | undefined): Stage => {
  if (known === undefined || (known.file.slug !== null && known.registration === null)) return "unknown"
  const { status, hold } = known.file
  if (status !== "Uploaded") return status
  return hold ? "Held" : "Stored"
}

const waitsForClaim = (known: Known | undefined): boolean =>
  known !== undefined && (known.file.claimWithin !== null || known.file.claimBy !== null)

const latest = (...moments: ReadonlyArray<number | null | undefined>): number =>
  moments.reduce<number>((found, moment) => Math.max(found, moment ?? 0), 0)

/**
 * What endpoints hear of a change of a file, each with its time, in the order in which they hear it.
 *
 * The triggers of the SQLite catalog say the same (`migrations/15-endpoints.ts`).
 */
export const decideEvents = (
  before: Known | undefined,
  now: Known,
): ReadonlyArray<{ readonly type: FileEventType; readonly at: number }> => {
  const { file, registration } = now
  const [former, stage] = [stageOf(before), stageOf(now)]
  const wasKept = former === "Held" || former === "Stored"
  const registeredAt = registration?.registeredAt
  const arrivedAt = latest(file.uploadedAt, file.releasedAt, registeredAt)
  const endedAt = latest(file.endedAt, registeredAt)
  const events: Array<{ type: FileEventType; at: number }> = []
  if (stage === "Held" && !wasKept) events.push({ type: "held", at: arrivedAt })
  if (stage === "Stored" && former === "Held") events.push({ type: "released", at: file.releasedAt! })
  if (stage === "Stored" && former !== "Stored") events.push({ type: "uploaded", at: arrivedAt })
  if (waitsForClaim(before) && !waitsForClaim(now) && stage !== "Failed" && stage !== "Deleting") {
    events.push({ type: "claimed", at: file.claimedAt! })
  }
  if (stage === "Failed" && former !== "Failed") {
    events.push({ type: file.failure?.code === "REJECTED" ? "rejected" : "failed", at: endedAt })
  }
  if (stage === "Deleting" && wasKept) {
    events.push({ type: isOverdue(file, file.endedAt!) ? "expired" : "deleted", at: file.endedAt! })
  }
  return events
}
