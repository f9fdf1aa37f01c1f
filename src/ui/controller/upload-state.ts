import type { TypedFileRoute } from "../../protocol/files/file-route.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import type { DoneUpload, RouteUploadError } from "../../client/upload-outcome.ts"
import type { InterruptedUpload } from "../../client/resume/resume-store.ts"
import type { AcceptedKind } from "../files/accepted-files.ts"

/**
 * The state of one file: picked → queued → uploading → processing → done, failed or aborted. `waiting` is an upload
 * that makes no progress now; `processing` is between the last byte and the app's answer; `resumeUpload` resumes a
 * file that is `paused`, or `failed` where `canRetry`.
 */
export type FileStatus =
  "picked" | "queued" | "uploading" | "waiting" | "processing" | "paused" | "done" | "failed" | "aborted"

/** One file and its state. A new object at every change. */
export interface UploadItem<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** Unique in its component. */
  readonly id: string
  /** Safe to show: characters that would disguise it are replaced. The original is `file.name`. */
  readonly name: string
  /** Where it was in a chosen or dropped folder, with its name: `holiday/2024/a.jpg`. Unchanged; undefined without one. */
  readonly path?: string | undefined
  /** Bytes; undefined for a file that was stored before and whose size is unknown. */
  readonly size: number | undefined
  /** Media type; empty where it is not known. */
  readonly type: string
  /** The file to upload; undefined for a file that was stored before. */
  readonly file: File | undefined
  readonly status: FileStatus
  /** Whole percent, 0…100; 100 only once the server has confirmed the file. */
  readonly progress: number
  /** Bytes sent. */
  readonly loaded: number
  /**
   * A small picture for an `<img>`: a thumbnail once it is made, or the one that the app gave for a file that was
   * stored before.
   */
  readonly previewUrl: string | undefined
  /** Pixels of the thumbnail; undefined for a picture that the app gave. */
  readonly previewSize?: { readonly width: number; readonly height: number } | undefined
  /** Why there is no progress, when `waiting`. */
  readonly waitingFor?: "retry" | "offline" | "locked" | undefined
  /** When the next attempt is made, ms since the epoch, when `waiting` for a `retry`. */
  readonly retryAt?: number | undefined
  /** Whether it is being checked, when `processing` or `done`: the app holds it, and nobody reads it before the verdict. */
  readonly isHeld?: boolean | undefined
  /** When `failed`; when `waiting`, why the last attempt failed. */
  readonly error?: RouteUploadError<Route> | undefined
  /** Whether a retry makes sense, when `failed`. */
  readonly canRetry?: boolean | undefined
  /** Key of the stored file, when `done`. */
  readonly key?: string | undefined
  /** When `done` by an upload of this page. */
  readonly result?: DoneUpload<Route, File> | undefined
}

/** The state of all files together. */
export type UploadStatus = "idle" | "picked" | "uploading" | "paused" | "done" | "failed"

/** Files and bytes in figures. */
export interface UploadSummary {
  /** Files of the upload that is running or ran last, without cancelled ones. `done`, `bytes` and `loaded` refer to these. */
  readonly total: number
  readonly done: number
  /** Listed as failed, including those that were refused before anything was sent. */
  readonly failed: number
  /** Failed files that can be retried. */
  readonly canRetry: number
  /** In progress: queued, being sent, waiting or processing. */
  readonly active: number
  /** Active files that are sent and wait for the app. */
  readonly processing: number
  /** Those of them that are being checked. */
  readonly checking: number
  /** Active files that wait for the network. */
  readonly offline: number
  /** Active files that wait for their next attempt, because the previous one has failed. */
  readonly retrying: number
  readonly picked: number
  readonly paused: number
  readonly bytes: number
  readonly loaded: number
}

/** Files that are still required for an upload. */
export interface MissingFiles {
  readonly kind: AcceptedKind
  /** How many more have to be chosen. */
  readonly count: number
}

/** Files that were removed and can be restored: `undo`. */
export interface RemovedFiles<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** As they were; never empty. */
  readonly files: ReadonlyArray<UploadItem<Route>>
  /** Ids of the list that they were in. */
  readonly order: ReadonlyArray<string>
  /** Id of the file that was stored in their place, where a field takes one: it is removed when they are restored. */
  readonly replacedBy?: string | undefined
}

/** Ids of files by ids of components. */
export type NearFiles = ReadonlyMap<string, ReadonlySet<string>>

/** How a drop would end: how many of the files could be added. */
export interface DragVerdict {
  /** `over`: all of them, as far as is known; `partly`: some; `refused`: none. */
  readonly fit: "over" | "partly" | "refused"
  readonly count: number
  readonly taken: number
  /** Why the others cannot be added: `type` where none has an accepted type, otherwise `count`. */
  readonly reason: "type" | "count" | undefined
}

/** Everything there is to show. A new object at every change; equal parts of it stay the same. */
export interface UploadState<Route extends TypedFileRoute<any> = TypedFileRoute> {
  readonly status: UploadStatus
  readonly files: ReadonlyArray<UploadItem<Route>>
  /** Whether any file is queued, uploading or waiting. */
  readonly isUploading: boolean
  /** Whole percent of the files of the upload that is running or ran last, 0…100. */
  readonly progress: number
  /** Bytes per second over the last seconds; undefined as long as that is not known, and when nothing is sent. */
  readonly speed: number | undefined
  /** Seconds until all bytes are sent at this speed. */
  readonly timeLeft: number | undefined
  readonly summary: UploadSummary
  /** Why the picked files cannot be uploaded yet: there are too few of them. */
  readonly missing: MissingFiles | undefined
  /** The route's configuration; undefined until that is known. */
  readonly routeConfig: RouteConfig | undefined
  /** False until `routeConfig` is known or could not be loaded. */
  readonly isReady: boolean
  readonly isDisabled: boolean
  /** Whether files are dragged over the drop target. */
  readonly isDragActive: boolean
  /** What would happen if they were dropped now. */
  readonly drag?: DragVerdict | undefined
  /** Uploads of this route that a reload interrupted and that nothing has resumed yet. */
  readonly interrupted: ReadonlyArray<InterruptedUpload>
  /**
   * Ids of the files whose rows are near to the visible part, by the id of a component that lists more than 40: it
   * only shows the names of the others until they come near. Undefined as long as that is not measured.
   */
  readonly near?: NearFiles | undefined
  /** The files removed last, as long as they can be restored; `undo` restores them, and shows the previous removal. */
  readonly removed: RemovedFiles<Route> | undefined
  /** A file that was chosen to resume an interrupted upload, and is another file: `answerOtherFile` says what to do. */
  readonly otherFile?: { readonly id: string; readonly files: ReadonlyArray<File> } | undefined
}

/** Whether the upload of a file is in progress. */
export const isActive = ({ status }: UploadItem): boolean =>
  status === "queued" || status === "uploading" || status === "waiting" || status === "processing"

/** Whether everything in progress is sent, and only the app has not answered yet. */
export const isProcessing = ({ active, processing }: UploadSummary): boolean => active > 0 && active === processing

/** Whole seconds until the next attempt; undefined where none is waited for, or the wait is too short to be shown. */
export const toSecondsLeft = ({ status, retryAt }: UploadItem): number | undefined => {
  if (status !== "waiting" || retryAt === undefined) return undefined
  const seconds = Math.ceil((retryAt - Date.now()) / 1000)
  return seconds > 1 ? seconds : undefined
}
