import type { UploadError } from "../protocol/upload-error.ts"
import type { UploadItem } from "./upload-state.ts"

/** What tells one file from another, also after a reload. */
type FileIdentity = Pick<File, "name" | "size" | "lastModified">

export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified

let count = 0

/** Lists a file: as picked, or as failed with the error that keeps it from being sent. Images get a preview. */
export const createUploadItem = (file: File, error?: UploadError): UploadItem => ({
  id: `${++count}`,
  file,
  status: error === undefined ? "picked" : "failed",
  progress: 0,
  loaded: 0,
  previewUrl: error === undefined && file.type.startsWith("image/") ? URL.createObjectURL?.(file) : undefined,
  error,
})
