import type { UploadRecord } from "./catalog-records.ts"

/**
 * Whether a file can be read: it has arrived, and an app knows of it. A client-side file that no app has registered
 * belongs to no app yet, whatever its URL says.
 */
export const isReadable = (upload: UploadRecord | null): upload is UploadRecord =>
  upload?.file.status === "Uploaded" && (upload.file.slug === null || upload.registration !== null)
