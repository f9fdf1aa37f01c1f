import type { RouteErrorData, RouteServerData, TypedFileRoute } from "../protocol/files/file-route.ts"
import type { StoredFile } from "../protocol/messages.ts"
import type { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** An {@link UploadError} whose `data` is the output of the route's error formatter. */
export type RouteUploadError<Route extends TypedFileRoute<any>> = UploadError & {
  readonly data: RouteErrorData<Route> | undefined
}

/** The file is stored and, if the route awaits it, the app has handled it. */
export interface DoneUpload<Route extends TypedFileRoute<any>, File extends UploadableFile> extends StoredFile {
  readonly status: "done"
  /** The file that was given to the upload. */
  readonly file: File
  /** What the route's `onUploadComplete` returned; null where the route does not await it. */
  readonly serverData: RouteServerData<Route>
  /** The route holds the file and does not await the verdict: it is stored, and still being checked. */
  readonly isHeld?: boolean | undefined
}

/** Why a file is not stored: refused, failed after all retries (`failed`), or stopped by the page. */
export interface UnfinishedUpload<Route extends TypedFileRoute<any>, File extends UploadableFile> {
  /**
   * - `failed`: `error.code` says why, `error.detail` what to do about it.
   * - `aborted`: by `signal` or `abortUpload`; `error.code` is ABORTED.
   * - `paused`: by `pauseUpload`; `resumeUpload` resumes it; `error.code` is PAUSED.
   */
  readonly status: "failed" | "aborted" | "paused"
  /** The file that was given to the upload. */
  readonly file: File
  readonly error: RouteUploadError<Route>
}

/** How the upload of one file ended: check `status` first. */
export type UploadOutcome<Route extends TypedFileRoute<any>, File extends UploadableFile = UploadableFile> =
  DoneUpload<Route, File> | UnfinishedUpload<Route, File>
