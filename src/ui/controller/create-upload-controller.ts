import type { TypedFileRouter } from "../../protocol/files/file-route.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import type { Fetch } from "../../transfer/reply.ts"
import type { Engine } from "../engine.ts"
import { noFigures } from "./no-figures.ts"
import { codeNotLoaded } from "../texts/code-not-loaded.ts"
import { loadRouteConfigs, readRouteConfig } from "./route-configs.ts"
import type { AnyComponentOptions, UploadComponentOptions } from "./upload-component-options.ts"
import type { UploadController } from "./upload-controller.ts"
import type { UploadEngine } from "./upload-engine.ts"
import { listInitial, listKeys } from "../form/stored-files.ts"
import { type ChosenItem, createUploadItem, keepId } from "./upload-item.ts"
import type { UploadSetup } from "./upload-setup.ts"
import type { UploadItem, UploadState } from "./upload-state.ts"

/** A call for the engine once it is loaded, about files that were chosen meanwhile or without any. */
interface Call {
  readonly items?: ReadonlyArray<ChosenItem> | undefined
  readonly run: (engine: UploadEngine, files: ReadonlyArray<File>) => unknown
  /** Called where the engine cannot be loaded. */
  readonly fail?: (error: UploadError) => void
}

/**
 * Makes the controller of one component. It knows what to show before the first use; everything else is in the engine,
 * which is loaded on first use. Earlier calls are passed to the engine in the same order.
 */
export const createUploadController = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  initial: UploadComponentOptions<Router, Slug>,
): UploadController<Router[Slug]> => {
  const { url, retry = {}, fetch: customFetch, credentials } = setup.options
  let options = initial as AnyComponentOptions
  let engine: UploadEngine | undefined
  let loaded: Engine | undefined
  let loading: Promise<UploadEngine> | undefined
  let disconnect: (() => void) | undefined
  let isConnected = false
  /** Whether it still shows what a server has rendered. */
  let { isServed } = setup
  const listeners = new Set<() => void>()

  const readRoute = () => {
    const routeConfig = readRouteConfig(setup, options.endpoint, isServed)
    return { routeConfig, isReady: routeConfig !== undefined }
  }
  /** Chosen files that could not be processed, because the uploading code could not be loaded. */
  let left: ReadonlyArray<ChosenItem> = []
  /** Calls for the engine, in this order. */
  let calls: ReadonlyArray<Call> = []
  let stored = listInitial(options)
  /** Whether the user has removed stored files from the list. */
  let isTouched = false
  // `list` adds what is said of files, and what is undefined is left out: every page loads this.
  let state = {
    progress: 0,
    ...readRoute(),
    isDisabled: options.disabled ?? false,
    isDragActive: false,
    interrupted: [] as UploadState["interrupted"],
  } as UploadState
  const list = () => {
    const waiting = calls.flatMap(({ items = [] }) => items)
    const files = [...stored, ...left, ...waiting]
    const isUploading = waiting.length > 0
    const status = isUploading ? "uploading" : left.length > 0 ? "failed" : stored.length > 0 ? "done" : "idle"
    const total = waiting.length
    const failed = left.length
    const summary = { ...noFigures, total, active: total, failed, canRetry: failed }
    state = { ...state, files, status, isUploading, summary }
  }
  list()

  const getState = () => engine?.getState() ?? state
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const set = (patch: Partial<UploadState>) => {
    state = { ...state, ...patch }
    notify()
  }
  const learn = (found: Partial<UploadState>) => (engine ? engine.learn(found) : set(found))

  const begin = (module: Engine): UploadEngine => {
    loaded = module
    const open = left.length > 0 ? [add(left), ...calls] : calls
    left = []
    calls = []
    list()
    // Files that were chosen before it was disabled are accepted.
    const initial = { ...state, isDisabled: false }
    const made = (engine = loaded.createUploadEngine({ setup, options: () => options, initial, findRoute }))
    for (const { items = [], run } of open) {
      for (const { file, id } of items) keepId(file, id)
      run(
        made,
        items.map(({ file }) => file),
      )
    }
    made.learn({ isDisabled: options.disabled ?? false })
    made.subscribe(notify)
    if (isConnected) disconnect = made.connect()
    notify()
    return made
  }
  const giveUp = (cause: unknown): never => {
    loading = undefined
    const error = codeNotLoaded(cause)
    const open = calls
    const chosen = open.flatMap(({ items = [] }) => items)
    calls = []
    left = [...left, ...chosen.map((item) => ({ ...item, status: "failed" as const, error, canRetry: true }))]
    list()
    for (const { fail } of open) fail?.(error)
    notify()
    const files = chosen.map(({ file }) => file)
    if (files.length > 0) options.onUploadError?.(error, files)
    throw error
  }
  const load = (): Promise<UploadEngine> =>
    (loading ??= import("../engine.ts").then(({ engine: module }) => begin(module), giveUp))
  const preload = () =>
    load().then(
      () => {},
      () => {},
    )
  const queue = (files: Iterable<File>) =>
    [...files].map((file): ChosenItem => ({ ...createUploadItem(file), status: "queued" }))
  const add = (items: ReadonlyArray<ChosenItem>): Call => ({ items, run: (live, files) => live.addFiles(files) })
  const tell = (call: Call): unknown => {
    if (engine) return call.run(engine, [])
    calls = [...calls, call]
    if (call.items !== undefined) {
      list()
      notify()
    }
    void preload()
  }
  /** For listed files: without any, nothing has to be loaded. @returns what the engine returns, where it is loaded */
  const runListed = (use: (engine: UploadEngine) => unknown): unknown =>
    engine || calls.length > 0 || state.files.length > 0 ? tell({ run: use }) : undefined
  type OfListed =
    | "pauseUpload"
    | "resumeUpload"
    | "abortUpload"
    | "retryNow"
    | "removeFinished"
    | "setPreview"
    | "setNear"
    | "moveFile"
    | "undo"
    | "forgetRemoved"
    | "renameFile"
    | "discardInterrupted"
    | "continueWith"
    | "answerOtherFile"
  type Act = (...args: ReadonlyArray<unknown>) => unknown
  const passOn = (...names: ReadonlyArray<OfListed>) =>
    Object.fromEntries(
      names.map((name): [OfListed, Act] => [name, (...args) => runListed((live) => (live[name] as Act)(...args))]),
    ) as Pick<UploadController, OfListed>
  /** Filters files that have not begun. Callers that wait for files that are left out are told that there are none. */
  const keep = (isKept: (item: UploadItem) => boolean): void => {
    left = left.filter(isKept)
    calls = calls.map((call) => (call.items ? { ...call, items: call.items.filter(isKept) } : call))
  }
  /** Removes files that have not begun. @returns whether there may be more that match */
  const drop = (isMeant: (item: UploadItem) => boolean): boolean => {
    if (engine) return true
    const before = state.files.length
    keep((item) => !isMeant(item))
    list()
    if (state.files.length !== before) notify()
    return stored.some(isMeant)
  }

  /** Removes files from the list; where the engine cannot be loaded also stored ones, for good. */
  const remove = (isMeant: (item: UploadItem) => boolean, use: (engine: UploadEngine) => void): void => {
    if (!drop(isMeant)) return
    const fail = () => {
      isTouched = true
      showStored(stored.filter((item) => !isMeant(item)))
    }
    tell({ run: use, fail })
  }
  /** Lists stored files, and tells the page. */
  const showStored = (files: ReadonlyArray<UploadItem>) => {
    const keys = listKeys(files)
    const isNew = JSON.stringify(keys) !== JSON.stringify(listKeys(stored))
    stored = files
    list()
    if (isNew) options.onValueChange?.([...keys])
  }
  /** Lists the stored files as at the beginning. */
  const startOver = () => {
    isTouched = false
    showStored(listInitial(options))
    notify()
  }

  const findRoute = () => {
    const { endpoint } = options
    const show = (error?: UploadError | void) => {
      if (endpoint !== options.endpoint) return
      const found = readRoute()
      if (!found.isReady) {
        import("../engine.ts").then(
          ({ engine: { tellOfRoute } }) => tellOfRoute(endpoint, url, error),
          () => {},
        )
      }
      learn({ ...found, isReady: true })
    }
    // Without an answer the page still works: the server refuses what it must.
    // It rejects, and does not throw, where there is no `fetch` at all, as in jsdom.
    const ask: Fetch = async (address, init) => (customFetch ?? fetch)(address, { ...init, credentials: credentials! })
    loadRouteConfigs(url, ask, retry).then(show, show)
  }
  const lookAround = () => {
    if (!getState().isReady) findRoute()
    // A component with files needs more code, and only the engine can tell whether an upload was interrupted.
    if (stored.length > 0 || (options.resumeStore ?? setup.options.resumeStore) !== undefined) void preload()
  }

  const controller: UploadController = {
    getState,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    preload,
    loaded: () => loaded,
    connect: () => {
      isConnected = true
      isServed = false
      disconnect = engine?.connect()
      lookAround()
      return () => {
        isConnected = false
        disconnect?.()
        disconnect = undefined
      }
    },
    setOptions: (next) => {
      const before = options
      options = next
      const isMoved = next.endpoint !== before.endpoint
      if (engine) engine.follow(before)
      else {
        const isKept = isTouched && !isMoved && next.value === undefined
        const followed = isKept ? stored : listInitial(next)
        const isDisabled = next.disabled ?? false
        const isSame =
          !isMoved && isDisabled === state.isDisabled && JSON.stringify(followed) === JSON.stringify(stored)
        stored = followed
        // The files were chosen for the other route.
        if (isMoved) keep(() => false)
        if (!isSame) {
          list()
          set({ isDisabled, ...(isMoved && readRoute()) })
        }
      }
      if (isConnected) lookAround()
    },
    addFiles: (files) => {
      if (engine) return engine.addFiles(files)
      const items = queue(files)
      if (!state.isDisabled && items.length > 0) tell(add(items))
    },
    startUpload: (files, input) =>
      new Promise((resolve) => {
        if (engine) return resolve(engine.startUpload(files, input))
        const items = files && queue(files)
        if (!items && calls.length + left.length === 0) return resolve([])
        tell({
          items,
          run: (live, rest) => resolve(live.startUpload(items && rest, input)),
          fail: (error) => resolve((items ?? []).map(({ file }) => ({ status: "failed", file, error }))),
        })
      }),
    removeFile: (id) =>
      remove(
        (item) => item.id === id,
        (live) => live.removeFile(id),
      ),
    clear: (statuses) =>
      remove(
        ({ status }) => statuses?.includes(status) ?? true,
        (live) => live.clear(statuses),
      ),
    reset: () => {
      drop(() => true)
      if (engine || calls.length > 0) tell({ run: (live) => live.reset(), fail: startOver })
      else startOver()
    },
    ...passOn(
      "pauseUpload",
      "resumeUpload",
      "abortUpload",
      "retryNow",
      "removeFinished",
      "forgetRemoved",
      "setPreview",
      "setNear",
      "moveFile",
      "renameFile",
      "undo",
      "discardInterrupted",
      "continueWith",
      "answerOtherFile",
    ),
    // Only the engine knows about interrupted uploads.
    continueInterrupted: async (id) => (await engine?.continueInterrupted(id)) ?? false,
    setDragActive: (isDragActive, items) => {
      if (engine) return engine.setDragActive(isDragActive, items)
      void preload()
      if (isDragActive !== state.isDragActive) set({ isDragActive })
    },
  }
  return controller as unknown as UploadController<Router[Slug]>
}
