import type { TypedFileRoute } from "../protocol/files/file-route.ts"
import type { UploadResult } from "../protocol/messages.ts"
import { isRetryable } from "../protocol/errors/problem-code.ts"
import type { TraceContext } from "../protocol/trace-context.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { cancelStored } from "../transfer/cancel-stored.ts"
import { createGate } from "../transfer/gate.ts"
import { createProgress } from "./progress.ts"
import { openEntry } from "./resume/open-entry.ts"
import type { Fetch } from "../transfer/reply.ts"
import { toHandlerUrl, type UploadHeaders } from "./request-urls.ts"
import type { RetryOptions } from "../transfer/retry.ts"
import { startTask } from "./task.ts"
import { transfer } from "../transfer/transfer.ts"
import type { UploadEvent } from "./upload-event.ts"
import type { BaseUploadOptions } from "./upload-options.ts"
import type { UploadOutcome } from "./upload-outcome.ts"
import type { ResumeStore } from "./resume/resume-store.ts"
import { createUploadUrls, type UploadItem } from "./upload-urls.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** A running upload of one or several files. Without a file, its methods mean all of them. */
export interface Upload<Route extends TypedFileRoute<any>, File extends UploadableFile = UploadableFile> {
  /**
   * How the file ended. A pause is an end too: call it again after `resumeUpload`.
   *
   * Fails: only for a file that is not part of the upload (BAD_REQUEST); how the upload ended is in the outcome.
   */
  done(file: File): Promise<UploadOutcome<Route, File>>
  /** How all files ended, in the order they were given. */
  done(): Promise<Array<UploadOutcome<Route, File>>>
  /** Stops what is running or waiting; stored bytes stay. */
  pauseUpload(file?: File): void
  /** Resumes what is paused or has failed, from where the stored bytes end. */
  resumeUpload(file?: File): void
  /** Cancels for good what is not done; what is stored of it is removed. */
  abortUpload(file?: File): void
}

/** What an upload needs from its uploader and route. */
export interface UploadSettings {
  readonly url: string | URL | undefined
  readonly slug: string
  readonly input: unknown
  readonly headers: ReadonlyArray<UploadHeaders | undefined>
  /** For the ingest; for the app it is part of `headers`. */
  readonly trace: TraceContext | undefined
  readonly concurrency: number
  readonly fetch: Fetch
  readonly credentials: RequestInit["credentials"] | undefined
  readonly retry: RetryOptions
  readonly resumeStore: ResumeStore | undefined
}

/** The options of the caller, whatever the route. */
export interface StartOptions<File extends UploadableFile> extends BaseUploadOptions<File> {
  readonly onEvent?: ((event: UploadEvent<TypedFileRoute, File>) => void) | undefined
}

/** Calls a listener. An error that it throws is uncaught, as in any event listener, and does not affect the upload. */
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
  options: StartOptions<File>,
  settings: UploadSettings,
): Upload<TypedFileRoute, File> => {
  const enter = createGate(settings.concurrency)
  const emit = (event: UploadEvent<TypedFileRoute, File>) => notify(options.onEvent, event)
  const files = [...options.files]
  const report = createProgress(files, (progress) => {
    notify(options.onUploadProgress, progress)
    emit({ type: "progress", ...progress })
  })

  let opening: Promise<unknown> | undefined
  /** All at once, so that one request covers all files without a kept URL. */
  const openEntries = () =>
    (opening ??= Promise.all(
      items.map(async (item) => {
        const { slug, input, resumeStore } = settings
        const { href: url } = toHandlerUrl(settings.url)
        item.entry = await openEntry(resumeStore, { url, slug, input, file: item.file })
        item.upload = item.entry.kept
      }),
    ))

  /** Whether every file has ended. */
  let isOver = false

  const items = files.map((file, index) => {
    let hasBegun = false
    let isElsewhere = false

    const work = async (signal: AbortSignal): Promise<UploadResult> => {
      await openEntries()
      // A file that has ended meanwhile is not asked for.
      signal.throwIfAborted()
      let hasContact = false
      let isWaiting = false
      const entry = item.entry!
      let isStored = Boolean(item.upload) || (await urls.presign(item))

      const send = () => {
        signal.throwIfAborted()
        return transfer({
          ...settings,
          file,
          isStored,
          signal,
          url: () => item.upload!.url,
          renew: (refused) => urls.renew(item, refused),
          onStart: (offset) => {
            if (!hasBegun) notify(options.onUploadBegin, { file })
            // After a wait nothing else might tell for long that bytes are sent again: those that were counted before are not counted twice.
            if (!hasContact || (isWaiting && offset < file.size)) emit({ type: "begin", file, offset })
            hasBegun = hasContact = true
            isWaiting = false
          },
          onProgress: (loaded) => {
            if (signal.aborted) return
            report(index, loaded)
            entry.advance(loaded)
          },
          onWait: (wait) => {
            isWaiting = wait.reason !== "app"
            emit({ type: "wait", file, isHeld: item.upload!.isHeld, ...wait })
          },
        })
      }
      const endsIt = (error: unknown): boolean => !signal.aborted && !isRetryable((error as UploadError).code)
      const sendOrRestart = async () => {
        isElsewhere = false
        try {
          return await enter(send)
        } catch (error) {
          if (!isStored || hasContact || !endsIt(error)) throw error
          // What is remembered of it is of no more use.
          await entry.forget()
          item.upload = undefined
          // What this visit has begun was cancelled elsewhere: that is said, and whoever tries again begins anew.
          if (!entry.kept && (error as UploadError).code === "ABORTED") throw error
        }
        isStored = await urls.presign(item)
        return enter(send)
      }
      try {
        return await entry.exclusively(sendOrRestart, signal, () => {
          isElsewhere = true
          emit({ type: "wait", file, reason: "locked" })
        })
      } catch (error) {
        // A page that has shown the failure and is reloaded at once must not offer to resume the file.
        if (!isElsewhere && endsIt(error)) await entry.forget()
        throw error
      }
    }

    const onEnd = (outcome: UploadOutcome<TypedFileRoute, File>) => {
      if (outcome.status === "done") report(index, file.size, true)
      const isLast = outcome.status === "done" || outcome.status === "aborted"
      // Another tab's upload is not ours to forget.
      if (isLast && !isElsewhere) {
        void item.entry?.forget()
        // Nobody goes on with what is stored of it; without this the ingest keeps it, and its place in quotas, for a day.
        const hasBytes = item.upload && (hasBegun || item.entry!.kept)
        if (hasBytes && outcome.status === "aborted") void cancelStored(settings.fetch, item.upload!.url)
      }
      emit({ type: "end", file, outcome })
      // Searched from the end: the files sent last are found at once, even among ten thousand.
      if (isOver || items.findLast((each) => each.isPending())) return
      isOver = true
      urls.cancel()
      options.signal?.removeEventListener("abort", abortAll)
    }
    const item: UploadItem<File> = startTask(file, work, onEnd)
    return item
  })
  const urls = createUploadUrls(items, settings, (item, wait) => {
    if (item.isPending()) emit({ type: "wait", file: item.file, ...wait })
  })

  const byFile = new Map<File, typeof items>()
  for (const item of items) byFile.set(item.file, [...(byFile.get(item.file) ?? []), item])
  const chosen = (file?: File) => (file ? (byFile.get(file) ?? []) : items)
  const stop = (status: "aborted" | "paused", file?: File) => {
    for (const item of chosen(file)) item.stop(status, options.signal?.reason)
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
    const some = chosen(file)
    if (!file) return Promise.all(some.map((item) => item.outcome()))
    if (some[0]) return some[0].outcome()
    throw new UploadError({ code: "BAD_REQUEST", message: `${file.name} is not in this upload.` })
  }

  return {
    done,
    pauseUpload: (file) => stop("paused", file),
    resumeUpload: (file) => {
      isOver = false
      for (const item of chosen(file)) item.resume()
      listen()
    },
    abortUpload: (file) => stop("aborted", file),
  }
}
