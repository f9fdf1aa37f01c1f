import type { UploadRecord } from "./catalog/records.ts"
import { isHeld } from "./is-held.ts"
import { isOverdue } from "./upload-rules.ts"

/** Whether an app knows of a file: a client-side file that none has registered belongs to no app yet, whatever its URL says. */
const isKnown = ({ file, registration }: UploadRecord): boolean => file.slug === null || registration !== null

/** Whether a file can be read: it has arrived and is not held, its time has not passed, and an app knows of it. */
export const isReadable = (upload: UploadRecord | null, now: number): upload is UploadRecord =>
  upload?.file.status === "Uploaded" && !upload.file.hold && !isOverdue(upload.file, now) && isKnown(upload)

/** Whether a file waits for a verdict, and its app may look at it meanwhile. */
export const isReviewable = (upload: UploadRecord | null): upload is UploadRecord =>
  upload !== null && isHeld(upload, upload.file.id) && isKnown(upload)
