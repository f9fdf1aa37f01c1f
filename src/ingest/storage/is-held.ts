import type { UploadRecord } from "./catalog/records.ts"

/** Whether a file waits for a verdict: the one with this id, and no newer one of its key. */
export const isHeld = (upload: UploadRecord | null, id: number): upload is UploadRecord =>
  upload?.file.id === id && upload.file.status === "Uploaded" && upload.file.hold
