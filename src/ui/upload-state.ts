import type { TypedFileRoute } from "../protocol/file-route.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { DoneUpload, RouteUploadError } from "../client/upload-outcome.ts"
import type { InterruptedUpload } from "../client/upload-sessions.ts"

/**
 * Where one file is: picked → queued → uploading → done, failed or aborted. `waiting` is uploading while nothing
 * moves; `paused`, and `failed` where `canRetry`, go on with `resumeUpload`.
 */
export type FileStatus = "picked" | "queued" | "uploading" | "waiting" | "paused" | "done" | "failed" | "aborted"

/** One file and its state. A new object at every change. */
export interface UploadItem<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** Unique in the page. */
  readonly id: string
  readonly file: File
  readonly status: FileStatus
  /** Whole percent, 0…100; 100 only once the server has confirmed the file. */
  readonly progress: number
  /** Bytes sent. */
  readonly loaded: number
  /** An object URL of an image, for an `<img>`. */
  readonly previewUrl: string | undefined
  /** Why nothing moves, when `waiting`. */
  readonly waitingFor?: "retry" | "offline" | "locked" | undefined
  /** When `failed`. */
  readonly error?: RouteUploadError<Route> | undefined
  /** Whether trying once more makes sense, when `failed`. */
  readonly canRetry?: boolean | undefined
  /** When `done`. */
  readonly result?: DoneUpload<Route, File> | undefined
}

/** Of all files together. */
export type UploadStatus = "idle" | "picked" | "uploading" | "paused" | "done" | "failed"

/** All there is to show. A new object at every change, equal parts of it the same. */
export interface UploadState<Route extends TypedFileRoute<any> = TypedFileRoute> {
  readonly status: UploadStatus
  readonly files: ReadonlyArray<UploadItem<Route>>
  /** Whether any file is queued, uploading or waiting. */
  readonly isUploading: boolean
  /** Whole percent of the files of the upload that runs or ran last, 0…100. */
  readonly progress: number
  /** What the route takes; undefined until that is known. */
  readonly routeConfig: RouteConfig | undefined
  /** False until `routeConfig` is known or could not be had. */
  readonly isReady: boolean
  readonly isDisabled: boolean
  /** Whether files are held over the drop target. */
  readonly isDragActive: boolean
  /** Uploads of this route that a reload interrupted and nothing goes on with yet. */
  readonly interrupted: ReadonlyArray<InterruptedUpload>
}

/** Whether a file is on its way. */
export const isActive = ({ status }: UploadItem): boolean =>
  status === "queued" || status === "uploading" || status === "waiting"

/** What matters most among the files: something on its way, then waiting for the user, then how it ended. */
export const toStatus = (files: ReadonlyArray<UploadItem>): UploadStatus => {
  if (files.some(isActive)) return "uploading"
  for (const status of ["paused", "picked", "failed", "done"] as const) {
    if (files.some((item) => item.status === status)) return status
  }
  return "idle"
}

/** Whole percent of some files together; 100 only if every one is done. */
export const toProgress = (files: ReadonlyArray<UploadItem>): number => {
  const counted = files.filter(({ status }) => status !== "aborted" && status !== "picked")
  if (counted.length === 0) return 0
  if (counted.every(({ status }) => status === "done")) return 100
  const size = counted.reduce((sum, { file }) => sum + file.size, 0)
  const loaded = counted.reduce((sum, item) => sum + item.loaded, 0)
  return size === 0 ? 0 : Math.min(99, Math.floor((loaded / size) * 100))
}
