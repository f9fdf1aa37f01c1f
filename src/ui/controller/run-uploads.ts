import type { TypedFileRoute, TypedFileRouter } from "../../protocol/files/file-route.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { generateUploader } from "../../client/generate-uploader.ts"
import type { RetryOptions } from "../../transfer/retry.ts"
import type { Upload } from "../../client/upload.ts"
import type { UploadEvent } from "../../client/upload-event.ts"
import type { DoneUpload, UploadOutcome } from "../../client/upload-outcome.ts"
import { keepPath } from "../files/file-paths.ts"
import { belongsToForm } from "../form/belongs-to-form.ts"
import { canRetry } from "./can-retry.ts"
import type { OccupiedUploads } from "./occupied-uploads.ts"
import { isLimitOfRoute, toLimitWords } from "../texts/limit-words.ts"
import { tellDeveloper, tellOperator } from "../diagnosis/tell-operator.ts"
import type { AnyComponentOptions } from "./upload-component-options.ts"
import { type ChosenItem, createUploadItem, describeFile } from "./upload-item.ts"
import type { UploadSetup } from "./upload-setup.ts"
import { isActive, type UploadItem } from "./upload-state.ts"
import type { UploadStore } from "./upload-store.ts"

export type Outcome = UploadOutcome<TypedFileRoute, File>

/** Uploads the files of a component, and keeps its store up to date. */
export interface UploadRunner {
  /** Uploads listed files in one request. Fails: never. */
  readonly run: (items: ReadonlyArray<ChosenItem>, input: unknown) => Promise<Array<Outcome>>
  readonly pause: (item: ChosenItem) => void
  /** @returns false for a file that it does not have */
  readonly resume: (item: ChosenItem) => boolean
  /** Does not wait for the next attempt any longer. Files that wait for the same answer wait together. */
  readonly retryNow: (item: ChosenItem) => void
  readonly abort: (item: ChosenItem) => void
  /** Releases a file that has left the list. */
  readonly forget: (item: UploadItem) => void
}

/** The options of a runner. */
interface RunnerOptions {
  readonly setup: UploadSetup<TypedFileRouter>
  readonly store: UploadStore
  /** Those that may still go on. */
  readonly occupied: OccupiedUploads
  /** The component's latest options. */
  readonly options: () => AnyComponentOptions
  /** Tells the page how a file ended. */
  readonly report: (outcome: Outcome) => void
  /** Asks anew what the route takes. Fails: never. */
  readonly renewRoute: () => Promise<void>
  /** Called when no file of an upload is in progress any more. */
  readonly settled: () => void
  /** Called when a file is stored, before the page is told. */
  readonly stored: (id: string) => void
}

/**
 * How often a file is retried by default: for some four minutes (500 ms, doubling to 30 s, each shortened by up to
 * half), which outlasts a deployment and most tunnels. Users see when the next attempt comes, and can cancel it.
 */
const patience: RetryOptions = { attempts: 16 }

/** ms: a wait this long means that there were attempts before, or that the server demanded it. */
const lasting = 2000

const aborted = () => new UploadError({ code: "ABORTED", message: "The upload was aborted." })

const queued = { status: "queued", error: undefined, progress: 0, loaded: 0 } as const

const toUploadError = (cause: unknown): UploadError =>
  UploadError.is(cause)
    ? cause
    : new UploadError({ code: "BAD_REQUEST", message: cause instanceof Error ? cause.message : String(cause), cause })

/** What was cancelled elsewhere, in another tab say, is cancelled here, and not something that has gone wrong. */
const asCancelled = (outcome: Outcome): Outcome =>
  outcome.status === "failed" && outcome.error.code === "ABORTED" ? { ...outcome, status: "aborted" } : outcome

/** What an event changes in a file's item. */
const toPatch = (event: UploadEvent<TypedFileRoute, File>, item?: UploadItem): Partial<UploadItem> => {
  const { loaded = 0, status } = item ?? {}
  switch (event.type) {
    case "begin":
      return {
        status: "uploading",
        waitingFor: undefined,
        error: undefined,
        ...(event.offset > loaded && { loaded: event.offset }),
      }
    case "progress":
      return {
        // The app is asked once more; no bytes of the file are sent.
        status: status === "processing" && event.loaded === loaded ? status : "uploading",
        waitingFor: undefined,
        error: undefined,
        loaded: event.loaded,
        progress: event.progress,
      }
    case "wait":
      // An app that is unreachable, or has not decided, is asked again: the file waits for it as before.
      return event.reason === "app" ||
        event.error?.code === "CALLBACK_FAILED" ||
        (event.isHeld && event.error?.code === "CALLBACK_TIMEOUT")
        ? { status: "processing", isHeld: event.isHeld, waitingFor: undefined, error: undefined }
        : {
            status: "waiting",
            waitingFor: event.reason,
            error: event.error,
            retryAt: event.delay === undefined ? undefined : Date.now() + event.delay,
          }
    case "end": {
      const { outcome, file } = event
      return outcome.status === "done"
        ? {
            status: "done",
            key: outcome.key,
            result: outcome,
            isHeld: outcome.isHeld,
            progress: 100,
            loaded: file.size,
            waitingFor: undefined,
            error: undefined,
          }
        : {
            status: outcome.status,
            error: outcome.error,
            canRetry: outcome.status === "failed" && canRetry(outcome.error.code),
            isHeld: undefined,
            waitingFor: undefined,
          }
    }
  }
}

/** Makes the runner for the files of a component. */
export const createUploadRunner = ({
  setup,
  store,
  occupied,
  options,
  report,
  renewRoute,
  settled,
  stored,
}: RunnerOptions): UploadRunner => {
  const { url } = setup.options
  const uploader = generateUploader<TypedFileRouter>({ ...setup.options, retry: setup.options.retry ?? patience })
  const uploads = new Map<string, Upload<TypedFileRoute, File>>()
  /** The run that each file belongs to: one that was cancelled and retried belongs to the second. */
  const runs = new Map<string, symbol>()
  /** Ends the wait of each file that waits. */
  const wakers = new Map<string, () => void>()
  const isPending = (item: UploadItem) => isActive(item) || item.status === "paused"

  /** Lets the page change the files. Files that are changed one by one keep their place in the list. */
  const prepare = async (items: ReadonlyArray<ChosenItem>): Promise<ReadonlyArray<ChosenItem>> => {
    const { onBeforeUploadBegin } = options()
    if (onBeforeUploadBegin === undefined) return items
    const files = [...(await onBeforeUploadBegin(items.map(({ file }) => file)))]
    const isOneByOne = files.length === items.length
    const byFile = new Map(items.map((item) => [item.file, item]))
    const prepared = files.flatMap((file, index): ReadonlyArray<ChosenItem> => {
      const before = byFile.get(file) ?? (isOneByOne ? items[index]! : undefined)
      if (before === undefined) return [{ ...createUploadItem(file), status: "queued" }]
      const listed = store.find(before.id)
      return listed === undefined ? [] : [{ ...listed, ...describeFile(keepPath(file, listed.path)) }] // otherwise it was removed meanwhile
    })
    store.count(prepared)
    const ids = new Set(items.map(({ id }) => id))
    const byId = new Map(prepared.map((item) => [item.id, item]))
    store.setFiles(
      isOneByOne
        ? store.get().files.map((item) => byId.get(item.id) ?? item)
        : [...store.get().files.filter(({ id }) => !ids.has(id)), ...prepared],
    )
    return prepared.filter(({ status }) => status === "queued")
  }

  const send = async (items: ReadonlyArray<ChosenItem>, input: unknown): Promise<Array<Outcome>> => {
    const { endpoint, headers, resumeStore = setup.options.resumeStore } = options()
    const isField = belongsToForm(options())
    const idOf = new Map(items.map(({ file, id }) => [file, id]))
    const ids = [...idOf.values()]
    const places = new Map(ids.map((id, index) => [id, index]))
    const told = new Set<string>()
    /** The operator is told about a lasting problem before the upload fails, once. */
    const tellOfWait = (error: UploadError, delay = 0) => {
      if (delay < lasting || told.has(error.code)) return tellDeveloper(error, url)
      told.add(error.code)
      tellOperator(error, url)
    }
    let results: Array<DoneUpload<TypedFileRoute, File>> = []
    const end = (outcome: Outcome) => {
      if (outcome.status === "done") results.push(outcome)
      else report(outcome)
      // Searched from the end: the files sent last are found at once, even among ten thousand.
      const isOpen = (id: string) => {
        const item = store.find(id)
        return item !== undefined && isPending(item)
      }
      if (ids.findLast(isOpen) !== undefined) return
      const place = (file: File) => places.get(idOf.get(file)!)!
      const told = results.toSorted((a, b) => place(a.file) - place(b.file))
      results = []
      if (told.length > 0) options().onClientUploadComplete?.(told)
      settled()
    }
    const follow = (event: UploadEvent<TypedFileRoute, File>) => {
      const id = idOf.get(event.file)!
      const item = store.find(id)
      // The file has been resumed by now, so its pause is outdated.
      if (event.type === "end" && event.outcome.status === "paused" && item?.status === "queued") return
      if (event.type === "wait" && event.retryNow) wakers.set(id, event.retryNow)
      else wakers.delete(id)
      const patch = { retryAt: undefined, ...toPatch(event, item) }
      const error = patch.error && toLimitWords(patch.error, event.file.size, store.routeConfig(), setup.texts)
      store.change(id, { ...patch, error })
      if (event.type === "end" && /^(?:done|aborted)$/.test(event.outcome.status)) {
        uploads.delete(id)
        occupied.remove({ id })
      }
      if (event.type === "end" && event.outcome.status === "done") stored(id)
      if (event.type === "wait" && event.error) tellOfWait(event.error, event.delay)
      if (event.type === "end") end(event.outcome)
    }
    let renewal: Promise<void> | undefined
    const upload = uploader.createUpload(endpoint, {
      files: items.map(({ file }) => file),
      input,
      headers,
      resumeStore: resumeStore && { ...resumeStore, open: (file) => resumeStore.open({ ...file, isField }) },
      onUploadBegin: (event) => options().onUploadBegin?.(event),
      onUploadProgress: (progress) => options().onUploadProgress?.(progress),
      onEvent: (told) => {
        const event = told.type === "end" ? { ...told, outcome: asCancelled(told.outcome) } : told
        // The page has let these files through: it goes by limits that the app no longer has.
        if (event.type !== "end" || event.outcome.status !== "failed" || !isLimitOfRoute(event.outcome.error))
          return follow(event)
        renewal ??= renewRoute()
        void renewal.then(() => follow(event))
      },
    })
    for (const item of items) {
      uploads.set(item.id, upload)
      occupied.add(item, resumeStore)
    }
    const outcomes = await upload.done()
    await renewal
    return outcomes.map(asCancelled)
  }

  return {
    run: async (items, input) => {
      if (items.length === 0) return []
      const ids = new Set(items.map(({ id }) => id))
      store.count(items)
      store.setFiles(store.get().files.map((item) => (ids.has(item.id) ? { ...item, ...queued } : item)))
      const run = Symbol("run")
      for (const { id } of items) {
        uploads.delete(id)
        runs.set(id, run)
      }
      /** Neither cancelled, removed nor restarted while it was prepared. */
      const isOurs = ({ id }: UploadItem) => runs.get(id) === run
      const isOpen = (item: UploadItem) =>
        store.find(item.id)?.status === "queued" && (isOurs(item) || !ids.has(item.id))
      const listLost = () =>
        items
          .filter((item) => !isOurs(item))
          .map(({ file }): Outcome => ({ status: "aborted", file, error: aborted() }))
      try {
        const open = (await prepare(items)).filter(isOpen)
        const lost = listLost()
        return open.length === 0 ? lost : [...lost, ...(await send(open, input))]
      } catch (cause) {
        const error = toUploadError(cause)
        const status = error.code === "ABORTED" ? "aborted" : "failed"
        const refused = items.filter(isOurs).map(({ id, file }): Outcome => {
          const outcome = { status, file, error } as const
          store.change(id, { status, error })
          report(outcome)
          return outcome
        })
        return [...listLost(), ...refused]
      }
    },
    pause: ({ id, file }) => {
      const upload = uploads.get(id)
      if (upload === undefined) return // the page is still preparing it
      // At once, so that it can be resumed at once; the event follows.
      store.change(id, { status: "paused", error: undefined })
      upload.pauseUpload(file)
    },
    resume: ({ id, file }) => {
      const upload = uploads.get(id)
      if (upload === undefined) return false // it was never sent
      store.change(id, { status: "queued", error: undefined })
      upload.resumeUpload(file)
      return true
    },
    retryNow: ({ id }) => {
      const wake = wakers.get(id)
      if (wake === undefined) return
      wakers.delete(id)
      store.change(id, { status: "queued", waitingFor: undefined, retryAt: undefined, error: undefined })
      wake()
    },
    forget: (item) => {
      for (const map of [uploads, runs, wakers]) map.delete(item.id)
      occupied.remove(item)
    },
    abort: ({ id, file }) => {
      const upload = uploads.get(id)
      if (upload !== undefined) return upload.abortUpload(file)
      // The page is still preparing it.
      runs.delete(id)
      const error = aborted()
      store.change(id, { status: "aborted", error })
      report({ status: "aborted", file, error })
    },
  }
}
