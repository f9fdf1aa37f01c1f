import type { DeliveryAttempt, UploadRecord } from "../../ingest.ts"
import { formatSpan } from "../terminal/moment.ts"

/** Something that happened to an upload. */
export interface TimelineEntry {
  /** ms since the epoch. */
  readonly at: number
  readonly stage:
    | "begun"
    | "resumed"
    | "registered"
    | "uploaded"
    | "held"
    | "attempt"
    | "result"
    | "failed"
    | "released"
    | "claimed"
    | "deleting"
    | "next attempt"
    | "expires"
  /** Further details; untrusted text. */
  readonly detail: string
}

const describeAttempt = ({ attempt, latency, status, error, answer }: DeliveryAttempt): string => {
  const outcome = status === null ? (error ?? "no answer") : `answered ${status}${answer ? `: ${answer}` : ""}`
  return `#${attempt}, ${outcome} (${formatSpan(latency)})`
}

/** Whether a file has arrived and waited for a verdict, or waits for it. */
const wasHeld = ({ hold, releasedAt, failure }: UploadRecord["file"]): boolean =>
  hold || releasedAt !== null || failure?.code === "REJECTED"

/** What happened to an upload, in order; what is still to come is at the end. */
export const toTimeline = (
  { file, registration, delivery, result, resultAt }: UploadRecord,
  attempts: ReadonlyArray<DeliveryAttempt>,
): ReadonlyArray<TimelineEntry> => {
  const entries: Array<TimelineEntry> = []
  const add = (at: number | null | undefined, stage: TimelineEntry["stage"], detail: string): void => {
    if (typeof at === "number") entries.push({ at, stage, detail })
  }
  add(file.createdAt, "begun", `${file.name}, ${file.size} bytes, ${file.type}`)
  add(file.resumedAt, "resumed", `last of ${file.epoch} requests that wrote it or asked for its offset`)
  add(registration?.registeredAt, "registered", `${registration?.callbackSlug}, ${registration?.callbackUrl}`)
  add(file.uploadedAt, "uploaded", file.fileHash === "" ? "no SHA-256" : `SHA-256 ${file.fileHash}`)
  if (wasHeld(file)) add(file.uploadedAt, "held", file.hold ? "waits for a verdict" : "")
  add(file.releasedAt, "released", "")
  add(file.claimedAt, "claimed", "")
  for (const attempt of attempts) add(attempt.startedAt, "attempt", describeAttempt(attempt))
  add(resultAt, "result", result === null ? "" : "error" in result ? `error: ${result.error}` : "data")
  const isFailed = file.status === "Failed"
  add(
    file.endedAt,
    isFailed ? "failed" : "deleting",
    file.failure ? `${file.failure.code}: ${file.failure.message}` : "",
  )
  entries.sort((a, b) => a.at - b.at)
  if (delivery?.status === "pending" && registration?.isDev === false) add(delivery.nextAt, "next attempt", "")
  if (file.status === "Uploading") add(file.expires, "expires", "the signed URL")
  return entries
}
