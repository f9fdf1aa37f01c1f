import type { TypedFileRoute, TypedFileRouter } from "../protocol/file-route.ts"
import { UploadError } from "../protocol/upload-error.ts"
import type { Uploader } from "../client/generate-uploader.ts"
import type { Upload } from "../client/upload.ts"
import type { UploadEvent } from "../client/upload-event.ts"
import type { DoneUpload, UploadOutcome } from "../client/upload-outcome.ts"
import { createOutcomeReporter } from "./report-outcomes.ts"
import type { UploadComponentOptions } from "./upload-component-options.ts"
import { createUploadItem } from "./upload-item.ts"
import { isActive, type UploadItem } from "./upload-state.ts"
import type { UploadStore } from "./upload-store.ts"

type Outcome = UploadOutcome<TypedFileRoute, File>

/** Options of a component whose router is not known by type. */
export type AnyComponentOptions = UploadComponentOptions<TypedFileRouter, string> & { readonly input?: unknown }

/** Moves the files of a component, and keeps its store up to date. */
export interface UploadRunner {
  /** Uploads listed files in one request. Fails: never. */
  readonly run: (items: ReadonlyArray<UploadItem>, input: unknown) => Promise<Array<Outcome>>
  readonly pause: (item: UploadItem) => void
  readonly resume: (item: UploadItem) => void
  readonly abort: (item: UploadItem) => void
  /** Tells the page how a file ended. */
  readonly report: (outcome: Outcome) => void
}

const toUploadError = (cause: unknown): UploadError =>
  UploadError.is(cause)
    ? cause
    : new UploadError({ code: "BAD_REQUEST", message: cause instanceof Error ? cause.message : String(cause), cause })

/** What an event changes of a file. */
const toPatch = (event: UploadEvent<TypedFileRoute, File>): Partial<UploadItem> => {
  switch (event.type) {
    case "begin":
      return { status: "uploading", waitingFor: undefined }
    case "progress":
      return { status: "uploading", waitingFor: undefined, loaded: event.loaded, progress: event.progress }
    case "wait":
      return { status: "waiting", waitingFor: event.reason }
    case "end": {
      const { outcome, file } = event
      return outcome.status === "done"
        ? { status: "done", result: outcome, progress: 100, loaded: file.size, waitingFor: undefined }
        : { status: outcome.status, error: outcome.error, canRetry: outcome.status === "failed" }
    }
  }
}

/** @param options the component's latest; `settled` is called when nothing of an upload is on its way any more */
export const createUploadRunner = (
  uploader: Uploader<TypedFileRouter>,
  store: UploadStore,
  options: () => AnyComponentOptions,
  settled: () => void,
): UploadRunner => {
  const uploads = new Map<string, Upload<TypedFileRoute, File>>()
  const report = createOutcomeReporter(options)
  const isPending = (item: UploadItem) => isActive(item) || item.status === "paused"

  /** Lets the page have its say over the files. Files that are changed one by one keep their place in the list. */
  const prepare = async (items: ReadonlyArray<UploadItem>): Promise<ReadonlyArray<UploadItem>> => {
    const { onBeforeUploadBegin } = options()
    if (onBeforeUploadBegin === undefined) return items
    const files = [...(await onBeforeUploadBegin(items.map(({ file }) => file)))]
    const isOneByOne = files.length === items.length
    const prepared = files.flatMap((file, index): ReadonlyArray<UploadItem> => {
      const before = items.find((item) => item.file === file) ?? (isOneByOne ? items[index]! : undefined)
      if (before === undefined) return [{ ...createUploadItem(file), status: "queued" }]
      const listed = store.find(before.id)
      return listed === undefined ? [] : [{ ...listed, file }] // else it was removed meanwhile
    })
    store.count(prepared)
    const ids = new Set(items.map(({ id }) => id))
    store.setFiles(
      isOneByOne
        ? store.get().files.map((item) => prepared.find(({ id }) => id === item.id) ?? item)
        : [...store.get().files.filter(({ id }) => !ids.has(id)), ...prepared],
    )
    return prepared.filter(({ status }) => status === "queued")
  }

  const send = (items: ReadonlyArray<UploadItem>, input: unknown): Promise<Array<Outcome>> => {
    const { endpoint, headers } = options()
    const idOf = new Map(items.map(({ file, id }) => [file, id]))
    const ids = new Set(idOf.values())
    let results: Array<DoneUpload<TypedFileRoute, File>> = []
    const end = (outcome: Outcome) => {
      if (outcome.status === "done") results.push(outcome)
      else report(outcome)
      if (store.get().files.some((item) => ids.has(item.id) && isPending(item))) return
      const place = (file: File) => items.findIndex((item) => item.file === file)
      const told = results.toSorted((a, b) => place(a.file) - place(b.file))
      results = []
      if (told.length > 0) options().onClientUploadComplete?.(told)
      settled()
    }
    const upload = uploader.createUpload(endpoint, {
      files: items.map(({ file }) => file),
      input,
      headers,
      onUploadBegin: (event) => options().onUploadBegin?.(event),
      onUploadProgress: (progress) => options().onUploadProgress?.(progress),
      onEvent: (event) => {
        const id = idOf.get(event.file)!
        const isResumed = store.find(id)?.status === "queued"
        // The pause of a file that goes on again by now is history.
        if (event.type === "end" && event.outcome.status === "paused" && isResumed) return
        store.change(id, toPatch(event))
        if (event.type === "end") end(event.outcome)
      },
    })
    for (const { id } of items) uploads.set(id, upload)
    return upload.done()
  }

  return {
    report,
    run: async (items, input) => {
      if (items.length === 0) return []
      const ids = new Set(items.map(({ id }) => id))
      for (const id of ids) uploads.delete(id)
      store.count(items)
      const queued = { status: "queued", error: undefined, progress: 0, loaded: 0 } as const
      store.setFiles(store.get().files.map((item) => (ids.has(item.id) ? { ...item, ...queued } : item)))
      try {
        const prepared = await prepare(items)
        return prepared.length === 0 ? [] : await send(prepared, input)
      } catch (cause) {
        const error = toUploadError(cause)
        const status = error.code === "ABORTED" ? "aborted" : "failed"
        return items.map(({ id, file }) => {
          const outcome = { status, file, error } as const
          store.change(id, { status, error })
          report(outcome)
          return outcome
        })
      }
    },
    pause: ({ id, file }) => {
      const upload = uploads.get(id)
      if (upload === undefined) return // the page still prepares it
      // At once, so that it can be resumed at once; the event follows.
      store.change(id, { status: "paused" })
      upload.pauseUpload(file)
    },
    resume: ({ id, file }) => {
      store.change(id, { status: "queued", error: undefined })
      uploads.get(id)?.resumeUpload(file)
    },
    abort: ({ id, file }) => {
      const upload = uploads.get(id)
      if (upload !== undefined) return upload.abortUpload(file)
      // still being prepared
      const error = new UploadError({ code: "ABORTED", message: "The upload was aborted." })
      store.change(id, { status: "aborted", error })
      report({ status: "aborted", file, error })
    },
  }
}
