import type { TypedFileRoute } from "../protocol/file-route.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { DoneUpload, RouteUploadError } from "../client/upload-outcome.ts"
import type { InterruptedUpload } from "../client/resume/resume-store.ts"
import type { AcceptedKind } from "./accepted-files.ts"

/**
 * Where one file is: picked → queued → uploading → processing → done, failed or aborted. `waiting` is uploading while
 * nothing moves; `processing` is between the last byte and the app's answer; `paused`, and `failed` where `canRetry`, go
 * on with `resumeUpload`.
 */
export type FileStatus =
  "picked" | "queued" | "uploading" | "waiting" | "processing" | "paused" | "done" | "failed" | "aborted"

/** One file and its state. A new object at every change. */
export interface UploadItem<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** Unique in its component. */
  readonly id: string
  /** As it may be shown: what would disguise it is taken out. The file's own is `file.name`. */
  readonly name: string
  /** Where it was in a chosen or dropped folder, with its name: `holiday/2024/a.jpg`. As it is; undefined without one. */
  readonly path?: string | undefined
  /** Bytes; undefined of a file that was stored before and nothing says how large it is. */
  readonly size: number | undefined
  /** Media type; empty where it is not known. */
  readonly type: string
  /** What is uploaded; undefined of a file that was stored before. */
  readonly file: File | undefined
  readonly status: FileStatus
  /** Whole percent, 0…100; 100 only once the server has confirmed the file. */
  readonly progress: number
  /** Bytes sent. */
  readonly loaded: number
  /** A small picture for an `<img>`: a thumbnail once it is made, or what the app gave for a file that was stored before. */
  readonly previewUrl: string | undefined
  /** Pixels of the thumbnail; undefined of a picture that the app gave. */
  readonly previewSize?: { readonly width: number; readonly height: number } | undefined
  /** Why nothing moves, when `waiting`. */
  readonly waitingFor?: "retry" | "offline" | "locked" | undefined
  /** When the next try is made, ms since the epoch, when `waiting` for a `retry`. */
  readonly retryAt?: number | undefined
  /** When `failed`; when `waiting`, why the last try failed. */
  readonly error?: RouteUploadError<Route> | undefined
  /** Whether trying once more makes sense, when `failed`. */
  readonly canRetry?: boolean | undefined
  /** Key of the stored file, when `done`. */
  readonly key?: string | undefined
  /** When `done` by an upload of this page. */
  readonly result?: DoneUpload<Route, File> | undefined
}

/** Of all files together. */
export type UploadStatus = "idle" | "picked" | "uploading" | "paused" | "done" | "failed"

/** Files and bytes in figures. */
export interface UploadSummary {
  /** Files of the upload that runs or ran last; what was cancelled is left out. `done`, `bytes` and `loaded` are of these. */
  readonly total: number
  readonly done: number
  /** Listed as failed, those that were refused before anything was sent among them. */
  readonly failed: number
  /** Those of the failed that can be tried again. */
  readonly canRetry: number
  /** On their way: queued, being sent, waiting or processing. */
  readonly active: number
  /** Those of the active that are sent and wait for the app. */
  readonly processing: number
  /** Those of the active that wait for the network. */
  readonly offline: number
  /** Those of the active that wait for their next try, as the one before has failed. */
  readonly retrying: number
  readonly picked: number
  readonly paused: number
  readonly bytes: number
  readonly loaded: number
}

/** Files that an upload lacks. */
export interface MissingFiles {
  readonly kind: AcceptedKind
  /** How many more have to be chosen. */
  readonly count: number
}

/** Files that were removed and can come back: `undo`. */
export interface RemovedFiles<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** As they were; never empty. */
  readonly files: ReadonlyArray<UploadItem<Route>>
  /** Ids of the list that they were in. */
  readonly order: ReadonlyArray<string>
  /** Id of the file that was stored in their place, where a field takes one: it goes when they come back. */
  readonly replacedBy?: string | undefined
}

/** Ids of files by ids of components. */
export type NearFiles = ReadonlyMap<string, ReadonlySet<string>>

/** How a drag would end: how many of the files could be added. */
export interface DragVerdict {
  /** `over`: all of them, as far as is known; `partly`: some; `refused`: none. */
  readonly fit: "over" | "partly" | "refused"
  readonly count: number
  readonly taken: number
  /** What keeps the others out: `type` where none is of a type that is taken, else `count`. */
  readonly reason: "type" | "count" | undefined
}

/** All there is to show. A new object at every change, equal parts of it the same. */
export interface UploadState<Route extends TypedFileRoute<any> = TypedFileRoute> {
  readonly status: UploadStatus
  readonly files: ReadonlyArray<UploadItem<Route>>
  /** Whether any file is queued, uploading or waiting. */
  readonly isUploading: boolean
  /** Whole percent of the files of the upload that runs or ran last, 0…100. */
  readonly progress: number
  /** Bytes per second over the last seconds; undefined as long as that is not known, and when nothing moves. */
  readonly speed: number | undefined
  /** Seconds until all bytes are sent at this speed. */
  readonly timeLeft: number | undefined
  readonly summary: UploadSummary
  /** Why the picked files cannot be uploaded yet: there are too few of them. */
  readonly missing: MissingFiles | undefined
  /** What the route takes; undefined until that is known. */
  readonly routeConfig: RouteConfig | undefined
  /** False until `routeConfig` is known or could not be had. */
  readonly isReady: boolean
  readonly isDisabled: boolean
  /** Whether files are held over the drop target. */
  readonly isDragActive: boolean
  /** How it would end if they were dropped now. */
  readonly drag?: DragVerdict | undefined
  /** Uploads of this route that a reload interrupted and nothing goes on with yet. */
  readonly interrupted: ReadonlyArray<InterruptedUpload>
  /**
   * Ids of the files whose rows are near to what is seen, by the id of the component that lists more than 40: it shows
   * names alone of the others until somebody comes near. Undefined as long as nothing tells.
   */
  readonly near?: NearFiles | undefined
  /** What was removed last, as long as it can come back; `undo` brings it, and shows what was removed before that. */
  readonly removed: RemovedFiles<Route> | undefined
  /** What was chosen to go on with an interrupted upload, and is another file: `answerOtherFile` says what to do. */
  readonly otherFile?: { readonly id: string; readonly files: ReadonlyArray<File> } | undefined
}

/** Whether a file is on its way. */
export const isActive = ({ status }: UploadItem): boolean =>
  status === "queued" || status === "uploading" || status === "waiting" || status === "processing"

/** Whether all that is on its way is sent, and only the app has not answered yet. */
export const isProcessing = ({ active, processing }: UploadSummary): boolean => active > 0 && active === processing

/** Whole seconds until the next try; undefined where none is waited for, or not for long enough to be worth a word. */
export const toSecondsLeft = ({ status, retryAt }: UploadItem): number | undefined => {
  if (status !== "waiting" || retryAt === undefined) return undefined
  const seconds = Math.ceil((retryAt - Date.now()) / 1000)
  return seconds > 1 ? seconds : undefined
}
