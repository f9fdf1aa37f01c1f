import type { TypedFileRoute } from "../protocol/files/file-route.ts"
import type { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadProgress } from "./progress.ts"
import type { UploadOutcome } from "./upload-outcome.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/**
 * What happens to the files of an upload, in order: for each file `begin`, then any number of `progress` and `wait`,
 * then `end`; the same again after a pause or a failure that is resumed. A `wait` may come before `begin` (the app
 * cannot be reached, another tab has the file), and `end` without it. `begin` comes again when bytes are sent after a `wait`.
 */
export type UploadEvent<Route extends TypedFileRoute<any>, File extends UploadableFile = UploadableFile> =
  /** Bytes are about to be sent; `offset` of them, as far as is known, are already stored. */
  | { readonly type: "begin"; readonly file: File; readonly offset: number }
  | ({ readonly type: "progress" } & UploadProgress<File>)
  /**
   * Nothing moves for now.
   *
   * - `retry`: the next try is `delay` ms away, unless `retryNow` is called; `error` says what went wrong.
   * - `offline`: until the browser is online again, or `retryNow` is called.
   * - `locked`: until another tab has ended its upload of the same file.
   * - `app`: all bytes were sent a second ago. As a rule the file is stored by now, and the app is asked what it makes of
   *   it; what lies in buffers on the way cannot be seen. Only where the runtime tells how far it is: browsers, Node.
   *
   * `isHeld`: the app holds the file until somebody has looked at it, so that its answer may take a while.
   */
  | {
      readonly type: "wait"
      readonly file: File
      readonly reason: "retry" | "offline" | "locked" | "app"
      readonly delay?: number | undefined
      readonly error?: UploadError | undefined
      readonly retryNow?: (() => void) | undefined
      readonly isHeld?: boolean | undefined
    }
  /** The file is done, failed, aborted or paused. */
  | { readonly type: "end"; readonly file: File; readonly outcome: UploadOutcome<Route, File> }
