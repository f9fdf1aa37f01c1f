import type { UploadRecord } from "./catalog-records.ts"
import { isOverdue } from "./upload-rules.ts"

/**
 * Whether a file can be read: it has arrived and is not held, its time has not passed, and an app knows of it. A
 * client-side file that no app has registered belongs to no app yet, whatever its URL says.
 */
export const isReadable = (upload: UploadRecord | null, now: number): upload is UploadRecord =>
  upload?.file.status === "Uploaded" &&
  !upload.file.hold &&
  !isOverdue(upload.file, now) &&
  (upload.file.slug === null || upload.registration !== null)
