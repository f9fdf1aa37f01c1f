import type { TypedFileRouter } from "../../protocol/files/file-route.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { takesSeveral } from "../files/accepted-files.ts"
import { chooseFiles, takesPlace } from "../files/choose-files.ts"
import { completeTexts } from "../texts/english-texts.ts"
import { createFieldValue } from "../form/field-value.ts"
import { forgetInTime } from "./forget-in-time.ts"
import { createInterruptedUploads, isSameInput } from "./interrupted-uploads.ts"
import { findMissing, judgeCounts } from "../files/judge-counts.ts"
import { judgeDrag } from "../drop/judge-drag.ts"
import { createOccupiedUploads } from "./occupied-uploads.ts"
import { createOutcomeReporter } from "./report-outcomes.ts"
import { passHandle } from "../files/kept-handles.ts"
import { createRemovals } from "./removals.ts"
import { canRename, findMistake, renameItem } from "../files/rename-file.ts"
import { onRenewal, readCurrentConfig, renewRouteConfigs } from "./renew-route-configs.ts"
import { createUploadRunner } from "./run-uploads.ts"
import { tickCountdown } from "./tick-countdown.ts"
import type { AnyComponentOptions } from "./upload-component-options.ts"
import type { Preview, UploadController } from "./upload-controller.ts"
import { type ChosenItem, isChosen } from "./upload-item.ts"
import type { UploadSetup } from "./upload-setup.ts"
import { isActive, type UploadItem, type UploadState } from "./upload-state.ts"
import { createUploadStore } from "./upload-store.ts"

/** A controller whose code is loaded: it acts at once. */
export interface UploadEngine extends Omit<UploadController, "preload" | "loaded" | "setOptions"> {
  /** Follows the component's options, which have changed since `before`. */
  readonly follow: (before: AnyComponentOptions) => void
  /** Takes what was found out about the route. */
  readonly learn: (found: Partial<UploadState>) => void
}

/** Makes the engine that chooses, checks, moves and removes the files of one component. */
export const createUploadEngine = ({
  setup,
  options: latest,
  initial,
  findRoute,
}: {
  readonly setup: UploadSetup<TypedFileRouter>
  /** The component's latest options. */
  readonly options: () => AnyComponentOptions
  /** Its initial state. */
  readonly initial: UploadState
  /** Asks for the route's configuration. */
  readonly findRoute: () => void
}): UploadEngine => {
  const { url } = setup.options
  completeTexts(setup.texts, setup.options.texts)
  const readResumeStore = () => latest().resumeStore ?? setup.options.resumeStore
  let resumeStore = readResumeStore()
  const store = createUploadStore(initial)
  const value = createFieldValue(latest, initial.files)

  const interrupted = createInterruptedUploads(store, latest, readResumeStore)
  const occupied = createOccupiedUploads()
  const report = createOutcomeReporter(latest, url)
  const runner = createUploadRunner({
    setup,
    store,
    occupied,
    options: latest,
    report,
    renewRoute: async () => {
      await renewRouteConfigs(setup.options)
      followRoute()
    },
    settled: () => void interrupted.refresh(),
    stored: (id) => {
      const config = store.routeConfig()
      // The one file that the route takes has replaced the previous one.
      if (config !== undefined && !takesSeveral(config)) {
        const { files } = store.get()
        value.remember(files)
        const replaced = files.filter((item) => item.id !== id && item.status === "done")
        value.takeOut(replaced)
        const canUndo = replaced.length > 0 && isField() && latest().config?.undo !== false
        store.setFiles(
          files.filter((item) => !replaced.includes(item)),
          canUndo ? { removed: removals.keep(replaced, files, id) } : {},
        )
      }
      value.tell(listed)
    },
  })

  /** Takes what the page has learnt of the route since. */
  const followRoute = () => {
    const routeConfig = readCurrentConfig(setup, latest().endpoint)
    const isSame = JSON.stringify(routeConfig) === JSON.stringify(store.routeConfig())
    if (routeConfig !== undefined && !isSame) store.set({ routeConfig, isReady: true })
  }

  const listed = (id?: string) => store.get().files.filter((item) => id === undefined || item.id === id)
  const chosen = (id?: string) => listed(id).filter(isChosen)
  const isPicked = ({ status }: UploadItem) => status === "picked"
  const picked = () => chosen().filter(isPicked)
  const tellChange = () => latest().onChange?.(picked().map(({ file }) => file))

  const isField = () => {
    const { name, value, initialFiles } = latest()
    return [name, value, initialFiles].some((option) => option !== undefined)
  }

  /** Lists files; those that the route would refuse as failed. @returns those that were not listed before */
  const list = (incoming: Iterable<File>): ReadonlyArray<ChosenItem> => {
    const { files, routeConfig: config, isReady } = store.get()
    // The answer was a refusal, or was lost: who has signed in meanwhile gets one. The server checks these files.
    if (isReady && config === undefined) findRoute()
    const { fresh, kept } = chooseFiles(files, incoming, config, setup.texts, isField())
    for (const { file, error } of fresh) if (error !== undefined) report({ status: "failed", file, error })
    const stay = new Set(kept)
    leave(files.filter((item) => !stay.has(item)))
    store.setFiles([...kept, ...fresh])
    store.set({ interrupted: interrupted.claim(fresh) })
    return fresh
  }

  /** Uploads items; those that a reload had interrupted with the input they had. */
  const start = async (items: ReadonlyArray<ChosenItem>, input: unknown = latest().input) => {
    const again = items.filter(interrupted.isClaimed)
    const outcomes = await Promise.all([
      runner.run(
        items.filter((item) => !interrupted.isClaimed(item)),
        input,
      ),
      ...again.map((item) => runner.run([item], interrupted.inputOf(item))),
    ])
    return outcomes.flat()
  }

  const missing = (items: ReadonlyArray<UploadItem>) => findMissing(items, store.get().routeConfig)
  /** Starts in mode `auto`, as soon as there are enough files. */
  const startPicked = () => {
    if (missing(picked()) === undefined) void start(picked())
  }

  /** Ends the uploads of items that leave the list. */
  const leave = (items: ReadonlyArray<UploadItem>) => {
    for (const item of items) {
      if (isChosen(item) && (isActive(item) || item.status === "paused")) runner.abort(item)
      runner.forget(item)
      interrupted.release(item)
    }
  }

  const removals = createRemovals(isField)
  const forgetRemoved = () => {
    removals.forget()
    if (store.get().removed !== undefined) store.set({ removed: undefined })
  }
  /** Lists the stored files alone, as at the beginning. */
  const startOver = () => {
    leave(listed())
    value.remember(listed())
    removals.forget()
    store.setFiles(value.listInitial(), { removed: undefined })
  }
  forgetInTime(store, forgetRemoved)
  // Another file may replace one that was removed.
  store.subscribe(() => {
    const { removed } = store.get()
    const left = removed && removals.trim(store.get())
    if (left !== removed) store.set({ removed: left })
  })

  /** Lists the remaining, restored or reordered files, and tells the page. */
  const relist = (
    left: ReadonlyArray<UploadItem>,
    changed: ReadonlyArray<UploadItem>,
    patch?: Partial<UploadState>,
  ) => {
    const judged = judgeCounts(left, store.get().routeConfig, setup.texts, (item) => takesPlace(item, isField()))
    store.setFiles(judged, patch)
    if (judged !== left || changed.some(isPicked)) tellChange()
    value.tell(listed)
    if (judged !== left && latest().config?.mode === "auto") startPicked()
  }

  const remove = (items: ReadonlyArray<UploadItem>, isFinal = latest().config?.undo === false) => {
    leave(items)
    value.takeOut(items)
    const before = store.get().files
    const ids = new Set(items.map(({ id }) => id))
    if (isFinal) forgetRemoved()
    const removed = isFinal || items.length === 0 ? {} : { removed: removals.keep(items, before) }
    relist(
      before.filter(({ id }) => !ids.has(id)),
      items,
      removed,
    )
    void interrupted.refresh()
  }

  const engine: UploadEngine = {
    getState: store.get,
    subscribe: store.subscribe,
    connect: () => {
      followRoute()
      const stopFollowing = onRenewal(followRoute)
      const leave = occupied.connect()
      const disconnect = interrupted.connect()
      const stopTicking = tickCountdown(store.get, store.subscribe, () => store.set({}))
      return () => {
        disconnect()
        leave()
        stopFollowing()
        stopTicking()
      }
    },
    learn: (found) => {
      store.set(found)
      if (found.routeConfig !== undefined) followRoute()
    },
    follow: (before) => {
      const next = latest()
      if (resumeStore !== readResumeStore()) {
        resumeStore = readResumeStore()
        interrupted.follow()
      }
      const isDisabled = next.disabled ?? false
      if (isDisabled !== store.get().isDisabled) store.set({ isDisabled })
      if (next.endpoint === before.endpoint) {
        if (!isSameInput(next.input, before.input)) {
          store.set({ interrupted: [], otherFile: undefined })
          void interrupted.refresh()
        }
        const { files } = store.get()
        if (value.isOfAnother(files, before)) {
          startOver()
          return value.accept(listed())
        }
        const config = store.routeConfig()
        const followed = value.follow(files, before, config !== undefined && !takesSeveral(config))
        if (followed === files) return
        // Where the page has taken files out, it has decided what is listed.
        const isOnlyMore = files.every((item) => followed.includes(item))
        if (!isOnlyMore) removals.forget()
        store.setFiles(followed, isOnlyMore ? {} : { removed: undefined })
        return
      }
      // Uploads in progress continue as they began; other files were not meant for this route.
      const kept = listed().filter((item) => isActive(item) || item.status === "paused")
      const stay = new Set(kept)
      leave(listed().filter((item) => !stay.has(item)))
      const initial = value.listInitial()
      value.accept(initial)
      removals.forget()
      store.setFiles([...initial, ...kept], { removed: undefined })
      const config = readCurrentConfig(setup, next.endpoint)
      store.set({ routeConfig: config, isReady: config !== undefined, interrupted: [], otherFile: undefined })
      void interrupted.refresh()
    },
    addFiles: (incoming) => {
      const files = [...incoming]
      if (store.get().isDisabled || files.length === 0) return
      const items = list(files).filter(isPicked)
      if (items.length === 0) return
      // Uploads that a reload had interrupted had been started once: they need not be reported again.
      const again = items.filter(interrupted.isClaimed)
      tellChange()
      if (again.length > 0) void start(again)
      if (latest().config?.mode === "auto") startPicked()
    },
    removeFile: (id) => remove(listed(id)),
    clear: (statuses) =>
      statuses === undefined
        ? remove(listed(), true)
        : remove(listed().filter(({ status }) => statuses.includes(status))),
    removeFinished: () => engine.clear(["done", "aborted"]),
    reset: () => {
      startOver()
      value.tell(listed)
      void interrupted.refresh()
    },
    undo: () => {
      if (store.get().isDisabled) return
      const back = removals.restore(store.get())
      if (back === undefined) return
      const { files, restored, displaced, removed } = back
      leave(displaced)
      value.takeOut(displaced)
      value.putBack(restored)
      relist(files, restored, { removed, interrupted: interrupted.claim(restored.filter(isChosen)) })
      if (restored.some(isPicked) && latest().config?.mode === "auto") startPicked()
      void interrupted.refresh()
    },
    renameFile: (id, name) => {
      const { files, isDisabled } = store.get()
      const item = files.find((each) => each.id === id)
      if (item === undefined || !canRename(item) || isDisabled) return undefined
      const mistake = findMistake(name, item.path)
      if (mistake !== undefined || name === item.file.name) return mistake
      const renamed = renameItem(item, name)
      passHandle(item.file, renamed.file, readResumeStore())
      relist(
        files.map((each) => (each === item ? renamed : each)),
        [renamed],
      )
      return undefined
    },
    forgetRemoved,
    moveFile: (id, place) => {
      const { files } = store.get()
      const from = files.findIndex((item) => item.id === id)
      const to = Math.max(0, Math.min(Math.trunc(place), files.length - 1))
      // A value that is not a number is not a place.
      if (from < 0 || !(to >= 0) || from === to || store.get().isDisabled) return
      const moved = files.toSpliced(from, 1).toSpliced(to, 0, files[from]!)
      // Picked files are reported in the order in which they are sent.
      relist(moved, moved)
    },
    startUpload: async (files, input) => {
      const items = files === undefined ? picked() : list(files)
      const refused = items.flatMap(({ file, error }) => (error ? [{ status: "failed" as const, file, error }] : []))
      const wanted = items.filter(isPicked)
      const lack = missing(wanted.filter((item) => !interrupted.isClaimed(item)))
      if (lack === undefined) return [...refused, ...(await start(wanted, input))]
      const message = setup.texts.chooseMore(lack.kind, lack.count)
      const error = new UploadError({ code: "TOO_FEW_FILES", message })
      const outcomes = wanted.map(({ file }) => ({ status: "failed" as const, file, error }))
      outcomes.forEach(report)
      return [...refused, ...outcomes]
    },
    pauseUpload: (id) => chosen(id).filter(isActive).forEach(runner.pause),
    resumeUpload: (id) => {
      for (const item of chosen(id)) {
        const { status, canRetry = false } = item
        const isNamed = id !== undefined
        // Failed files are resumed, if they were ever sent. A file that is named is resumed even where that may not
        // help, because the caller knows more.
        const isOver = status === "failed" && (canRetry || isNamed)
        if ((status === "paused" || isOver) && runner.resume(item)) continue
        if ((isOver && canRetry) || (status === "aborted" && isNamed)) void start([item])
      }
    },
    abortUpload: (id) =>
      chosen(id)
        .filter((item) => isActive(item) || item.status === "paused")
        .forEach(runner.abort),
    continueInterrupted: async (id) => {
      const file = await interrupted.reopen(id)
      if (file !== undefined) void start(list([file]).filter(isPicked))
      return file !== undefined
    },
    discardInterrupted: interrupted.discard,
    retryNow: (id) => chosen(id).forEach(runner.retryNow),
    continueWith: (id, incoming) => engine.addFiles(interrupted.recognise(id, incoming)),
    answerOtherFile: (isWanted) => engine.addFiles(interrupted.answer(isWanted)),
    setDragActive: (isDragActive, items = []) => {
      const { drag: before, isDragActive: wasActive, routeConfig: config } = store.get()
      // Where the route takes one file, a new one replaces the old one.
      const taking = listed().filter((item) => takesPlace(item, isField()))
      const others = takesSeveral(config) ? taking.map(({ type }) => type) : []
      const drag = isDragActive ? judgeDrag(items, config, others) : undefined
      const isSame = isDragActive === wasActive && JSON.stringify(drag) === JSON.stringify(before)
      if (!isSame) store.set({ isDragActive, drag })
    },
    setNear: (componentId, now) => {
      const { near } = store.get()
      const others = [...(near ?? [])].filter(([id]) => id !== componentId)
      const all = now === undefined ? others : [...others, [componentId, now] as const]
      if (now !== near?.get(componentId)) store.set({ near: all.length === 0 ? undefined : new Map(all) })
    },
    setPreview: (id, preview) => {
      const { url: previewUrl, ...previewSize } = preview ?? {}
      store.change(id, { previewUrl, previewSize: preview && (previewSize as Preview) })
    },
  }
  return engine
}
