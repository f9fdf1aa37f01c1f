import type { TypedFileRoute } from "../protocol/files/file-route.ts"
import type { UploadResult } from "../protocol/messages.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadOutcome } from "./upload-outcome.ts"
import { untilAborted } from "../transfer/until-aborted.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

type Outcome<File extends UploadableFile> = UploadOutcome<TypedFileRoute, File>

/** The upload of one file: running → done, failed, aborted or paused; a failed or paused one can run again. */
export interface Task<File extends UploadableFile> {
  readonly file: File
  /** Whether it runs, or is paused and may run again. */
  readonly isPending: () => boolean
  /** The outcome of the latest run. */
  readonly outcome: () => Promise<Outcome<File>>
  /** Runs again; does nothing unless paused or failed. */
  readonly resume: () => void
  /** Has no effect unless it is running or, to abort it, paused. */
  readonly stop: (status: "aborted" | "paused", cause?: unknown) => void
}

const toUploadError = (cause: unknown): UploadError =>
  UploadError.is(cause)
    ? cause
    : new UploadError({ code: "INTERNAL_ERROR", message: "The upload failed, see `cause`.", cause })

const stopError = (status: "aborted" | "paused", cause: unknown): UploadError =>
  new UploadError({ code: status.toUpperCase() as "ABORTED" | "PAUSED", message: `The upload is ${status}.`, cause })

/**
 * Starts the upload of one file.
 *
 * @param work does the upload, from the next microtask on; its result is ignored once its signal is aborted
 * @param onEnd called at the end of every run
 */
export const startTask = <File extends UploadableFile>(
  file: File,
  work: (signal: AbortSignal) => Promise<UploadResult>,
  onEnd: (end: Outcome<File>) => void,
): Task<File> => {
  let status: "running" | Outcome<File>["status"]
  let controller: AbortController
  let outcome: Promise<Outcome<File>>

  /** @param before has to end, and be reported, first */
  const run = async (before?: Promise<unknown>): Promise<Outcome<File>> => {
    controller = new AbortController()
    const { signal } = controller
    status = "running"
    const worked = Promise.resolve(before).then(() => {
      signal.throwIfAborted()
      return work(signal)
    })
    let end: Outcome<File>
    try {
      // A stop is an outcome at once, even while connections are still closing.
      end = { ...(await untilAborted(signal, worked)), status: "done", file }
    } catch (cause) {
      const error = toUploadError(signal.aborted ? signal.reason : cause)
      end = { status: signal.aborted ? (error.code.toLowerCase() as "aborted" | "paused") : "failed", file, error }
    }
    // A stop has set the status itself, and after a pause another run may have begun.
    if (!signal.aborted || end.status === "done") status = end.status
    onEnd(end)
    return end
  }

  outcome = run()
  return {
    file,
    isPending: () => status === "running" || status === "paused",
    outcome: () => outcome,
    resume: () => {
      if (status === "paused" || status === "failed") outcome = run(outcome)
    },
    stop: (to, cause) => {
      const error = stopError(to, cause)
      if (status === "running") {
        status = to
        controller.abort(error)
      } else if (status === "paused" && to === "aborted") {
        status = to
        const end = { status, file, error } as const
        outcome = Promise.resolve(end)
        onEnd(end)
      }
    },
  }
}
