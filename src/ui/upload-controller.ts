import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../protocol/file-route.ts"
import type { UploadOutcome } from "../client/upload-outcome.ts"
import type { InterruptedUpload } from "../client/upload-sessions.ts"
import { checkFiles, takesSeveral } from "./accepted-files.ts"
import { loadRouteConfigs, readRouteConfig } from "./route-configs.ts"
import { type AnyComponentOptions, createUploadRunner } from "./run-uploads.ts"
import type { UploadComponentOptions } from "./upload-component-options.ts"
import { createUploadItem, isSameFile } from "./upload-item.ts"
import type { UploadSetup } from "./upload-setup.ts"
import { isActive, type UploadItem, type UploadState } from "./upload-state.ts"
import { createUploadStore } from "./upload-store.ts"

/** What a component does and shows, without a framework. */
export interface UploadController<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** The same object until something changes. */
  readonly getState: () => UploadState<Route>
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
  /** Call it when the component is on a page: asks what the route takes, and looks for interrupted uploads. */
  readonly connect: () => () => void
  /** Takes new options, of a new rendering say. */
  readonly setOptions: (options: UploadComponentOptions<any, any>) => void
  /** Chooses files; those the route would refuse are listed as failed. In mode `auto` the upload starts. */
  readonly addFiles: (files: Iterable<File>) => void
  /** Takes a file off the list; one on its way is aborted. */
  readonly removeFile: (id: string) => void
  /** Takes all files off the list. */
  readonly clear: () => void
  /**
   * Uploads the given files, else those chosen.
   *
   * Shape: one outcome per file, first those that the route's limits keep from being sent.
   * Fails: never.
   */
  readonly startUpload: (
    files?: Iterable<File>,
    input?: RouteInput<Route>,
  ) => Promise<Array<UploadOutcome<Route, File>>>
  readonly pauseUpload: (id?: string) => void
  /** Goes on with what is paused or has failed; with what was aborted only if it is named. */
  readonly resumeUpload: (id?: string) => void
  readonly abortUpload: (id?: string) => void
  /**
   * Goes on with an upload that a reload interrupted. Call it on a click: the browser may ask for leave.
   *
   * @returns false where the user has to choose the file again
   */
  readonly continueInterrupted: (id: string) => Promise<boolean>
  readonly discardInterrupted: (id: string) => void
  readonly setDragActive: (isDragActive: boolean) => void
}

/** Makes the controller of one component; see {@link UploadController}. */
export const createUploadController = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  initial: UploadComponentOptions<Router, Slug>,
): UploadController<Router[Slug]> => {
  const { sessions, url, retry = {}, fetch: customFetch } = setup.options
  let options = initial as AnyComponentOptions
  let isConnected = false
  /** Listed files that a reload had interrupted, and what they were sent with. */
  const interrupted = new Map<string, InterruptedUpload>()

  const routeConfig = readRouteConfig(url, options.endpoint)
  const store = createUploadStore({
    status: "idle",
    files: [],
    isUploading: false,
    progress: 0,
    routeConfig,
    isReady: routeConfig !== undefined,
    isDisabled: options.disabled ?? false,
    isDragActive: false,
    interrupted: [],
  })

  const refreshInterrupted = async () => {
    if (sessions === undefined || !isConnected) return
    const entries = await sessions.list(options.endpoint).catch(() => [])
    const isListed = (entry: InterruptedUpload) =>
      store.get().files.some(({ file, status }) => status !== "aborted" && isSameFile(entry, file))
    store.set({ interrupted: entries.filter((entry) => !isListed(entry)) })
  }
  const { run, report, ...runner } = createUploadRunner(
    (setup as unknown as UploadSetup<TypedFileRouter>).uploader,
    store,
    () => options,
    () => void refreshInterrupted(),
  )

  const chosen = (id?: string) => store.get().files.filter((item) => id === undefined || item.id === id)
  const isPicked = ({ status }: UploadItem) => status === "picked"
  const picked = () => chosen().filter(isPicked)
  const tellChange = () => options.onChange?.(picked().map(({ file }) => file))

  /** Lists files; those the route would refuse as failed. @returns what was not listed before */
  const list = (incoming: Iterable<File>): ReadonlyArray<UploadItem> => {
    const { files, routeConfig: config, interrupted: open } = store.get()
    const isPending = ({ status }: UploadItem) => status === "picked" || status === "paused"
    // With nothing left to do, new files begin a new list. Where the route takes one file, a new choice replaces the old.
    const isOver = !files.some((item) => isActive(item) || isPending(item))
    const isReplaced = config !== undefined && !takesSeveral(config)
    const before = files.filter((item) => !isOver && !(isReplaced && item.status === "picked"))
    const fresh = [...incoming].filter(
      (file) => !before.some((item) => (isActive(item) || isPending(item)) && isSameFile(item.file, file)),
    )
    const others = before.filter(({ status }) => status === "picked").map(({ file }) => file)
    const errors = config === undefined ? [] : checkFiles(fresh, others, config, setup.texts)
    const items = fresh.map((file, index) => createUploadItem(file, errors[index]))
    for (const { id, file, error } of items) {
      const entry = open.find((candidate) => isSameFile(candidate, file))
      if (entry !== undefined) interrupted.set(id, entry)
      if (error !== undefined) report({ status: "failed", file, error })
    }
    store.setFiles([...before, ...items])
    store.set({ interrupted: open.filter((entry) => !fresh.some((file) => isSameFile(entry, file))) })
    return items
  }

  /** Uploads items; those that a reload had interrupted with the input they had. */
  const start = async (items: ReadonlyArray<UploadItem>, input: unknown = options.input) => {
    const again = items.filter(({ id }) => interrupted.has(id))
    const outcomes = await Promise.all([
      run(
        items.filter((item) => !again.includes(item)),
        input,
      ),
      ...again.map((item) => run([item], interrupted.get(item.id)!.input)),
    ])
    return outcomes.flat()
  }

  const remove = (items: ReadonlyArray<UploadItem>) => {
    for (const item of items) {
      if (isActive(item) || item.status === "paused") runner.abort(item)
      interrupted.delete(item.id)
    }
    store.setFiles(store.get().files.filter(({ id }) => !items.some((item) => item.id === id)))
    if (items.some(({ status }) => status === "picked")) tellChange()
    void refreshInterrupted()
  }

  const loadRouteConfig = () => {
    const { endpoint } = options
    const show = () => {
      if (endpoint === options.endpoint) store.set({ routeConfig: readRouteConfig(url, endpoint), isReady: true })
    }
    // Without an answer the page goes on: the server still refuses what it must.
    loadRouteConfigs(url, (address, init) => (customFetch ?? fetch)(address, init), retry).then(show, show)
  }

  const controller: UploadController = {
    getState: store.get,
    subscribe: store.subscribe,
    connect: () => {
      isConnected = true
      if (!store.get().isReady) loadRouteConfig()
      void refreshInterrupted()
      return () => {
        isConnected = false
      }
    },
    setOptions: (next) => {
      const isMoved = next.endpoint !== options.endpoint
      options = next
      const isDisabled = next.disabled ?? false
      if (isDisabled !== store.get().isDisabled) store.set({ isDisabled })
      if (!isMoved) return
      // What is on its way goes on as it began; nothing else was meant for this route.
      remove(chosen().filter((item) => !isActive(item) && item.status !== "paused"))
      const config = readRouteConfig(url, next.endpoint)
      store.set({ routeConfig: config, isReady: config !== undefined, interrupted: [] })
      if (isConnected) controller.connect()
    },
    addFiles: (files) => {
      if (store.get().isDisabled) return
      const items = list(files).filter(isPicked)
      if (items.length === 0) return
      tellChange()
      if (options.config?.mode === "auto") void start(items)
    },
    removeFile: (id) => remove(chosen(id)),
    clear: () => remove(chosen()),
    startUpload: async (files, input) => {
      const items = files === undefined ? picked() : list(files)
      const refused = items.flatMap(({ file, error }) => (error ? [{ status: "failed" as const, file, error }] : []))
      return [...refused, ...(await start(items.filter(isPicked), input))]
    },
    pauseUpload: (id) => chosen(id).filter(isActive).forEach(runner.pause),
    resumeUpload: (id) => {
      for (const item of chosen(id)) {
        const { status, canRetry = false } = item
        if (status === "paused" || (status === "failed" && canRetry)) runner.resume(item)
        if (status === "aborted" && id !== undefined) void start([item])
      }
    },
    abortUpload: (id) =>
      chosen(id)
        .filter((item) => isActive(item) || item.status === "paused")
        .forEach(runner.abort),
    continueInterrupted: async (id) => {
      const entry = store.get().interrupted.find((candidate) => candidate.id === id)
      const file = await entry?.reopen?.().catch(() => undefined)
      if (file === undefined) return false
      void start(list([file]).filter(isPicked))
      return true
    },
    discardInterrupted: (id) => {
      const hide = () => store.set({ interrupted: store.get().interrupted.filter((entry) => entry.id !== id) })
      // What is gone from the page is gone, also if it is reloaded at once.
      void sessions?.remove(id).then(hide, hide)
    },
    setDragActive: (isDragActive) => {
      if (isDragActive !== store.get().isDragActive) store.set({ isDragActive })
    },
  }
  return controller as unknown as UploadController<Router[Slug]>
}
