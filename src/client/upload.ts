import type { TypedFileRoute } from "../protocol/file-route.ts"
import type { PresignedUpload, UploadResult } from "../protocol/messages.ts"
import type { TraceContext } from "../protocol/trace-context.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { createGate } from "./gate.ts"
import { createProgress } from "./progress.ts"
import type { Fetch } from "./reply.ts"
import { requestUrls, type UploadHeaders } from "./request-urls.ts"
import type { RetryOptions } from "./retry.ts"
import { startTask, type Task } from "./task.ts"
import { transfer } from "./transfer.ts"
import type { BaseUploadOptions } from "./upload-options.ts"
import type { UploadOutcome } from "./upload-outcome.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** A running upload of one or several files. Without a file, its methods mean all of them. */
export interface Upload<Route extends TypedFileRoute<any>, File extends UploadableFile = UploadableFile> {
  /**
   * How the file ended. A pause is an end too: after `resumeUpload` ask again.
   *
   * Fails: only for a file that is no part of the upload (BAD_REQUEST); how the upload went is in the outcome.
   */
  done(file: File): Promise<UploadOutcome<Route, File>>
  /** How all files ended, in the order they were given. */
  done(): Promise<Array<UploadOutcome<Route, File>>>
  /** Stops what runs or waits; stored bytes stay. */
  pauseUpload(file?: File): void
  /** Goes on with what is paused or has failed, from where the stored bytes end. */
  resumeUpload(file?: File): void
  /** Stops for good what is not done. */
  abortUpload(file?: File): void
}

/** What an upload knows of its uploader and route. */
export interface UploadSettings {
  readonly url: string | URL | undefined
  readonly slug: string
  readonly input: unknown
  readonly headers: ReadonlyArray<UploadHeaders | undefined>
  /** For the ingest; among `headers` for the app. */
  readonly trace: TraceContext | undefined
  readonly concurrency: number
  readonly fetch: Fetch
  readonly retry: RetryOptions
}

/** Calls a listener. What it throws is an uncaught error, as in any event listener, and does not touch the upload. */
const notify = <Event>(listener: ((event: Event) => void) | undefined, event: Event): void => {
  try {
    listener?.(event)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Starts an upload; see {@link Upload}. */
export const startUpload = <File extends UploadableFile>(
  options: BaseUploadOptions<File>,
  settings: UploadSettings,
): Upload<TypedFileRoute, File> => {
  const enter = createGate(settings.concurrency)
  const files = [...options.files]
  const report = createProgress(files, (progress) => notify(options.onUploadProgress, progress))
  let request: AbortController | undefined
  let urls: Promise<ReadonlyArray<PresignedUpload>> | undefined

  /** One request for all files. A failed one is forgotten, so that `resumeUpload` asks again. */
  const getUrls = () => {
    if (urls !== undefined) return urls
    request = new AbortController()
    urls = requestUrls({ ...settings, files, signal: request.signal }).catch((error: unknown) => {
      urls = undefined
      throw error
    })
    return urls
  }

  const tasks = files.map((file, index): Task<File> => {
    let hasBegun = false
    const work = async (isResumed: boolean, signal: AbortSignal): Promise<UploadResult> => {
      const { url } = (await getUrls())[index]!
      return enter(() => {
        signal.throwIfAborted()
        if (!hasBegun) notify(options.onUploadBegin, { file })
        hasBegun = true
        const onProgress = (loaded: number) => {
          if (!signal.aborted) report(index, loaded)
        }
        return transfer({ ...settings, file, url, isResumed, signal, onProgress })
      })
    }
    return startTask(file, work, (end) => {
      if (end.status === "done") report(index, file.size, true)
      if (tasks.some((task) => task.isPending())) return
      request?.abort()
      options.signal?.removeEventListener("abort", abortAll)
    })
  })

  const chosen = (file: File | undefined) => (file === undefined ? tasks : tasks.filter((task) => task.file === file))
  const stop = (status: "aborted" | "paused", file?: File) => {
    for (const task of chosen(file)) task.stop(status, options.signal?.reason)
  }
  const abortAll = () => stop("aborted")
  const listen = () => {
    options.signal?.addEventListener("abort", abortAll)
    if (options.signal?.aborted) abortAll()
  }
  listen()

  function done(file: File): Promise<UploadOutcome<TypedFileRoute, File>>
  function done(): Promise<Array<UploadOutcome<TypedFileRoute, File>>>
  async function done(file?: File) {
    if (file === undefined) return Promise.all(tasks.map((task) => task.outcome()))
    const [task] = chosen(file)
    if (task) return task.outcome()
    throw new UploadError({ code: "BAD_REQUEST", message: `${file.name} is not part of this upload.` })
  }

  return {
    done,
    pauseUpload: (file) => stop("paused", file),
    resumeUpload: (file) => {
      for (const task of chosen(file)) task.resume()
      listen()
    },
    abortUpload: (file) => stop("aborted", file),
  }
}
