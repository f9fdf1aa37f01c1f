import { findMissing } from "../files/judge-counts.ts"
import { createSpeedometer } from "./speed.ts"
import { type FileStatus, isActive, type UploadItem, type UploadState } from "./upload-state.ts"
import { createUpdatePace } from "./update-pace.ts"
import { createTally } from "./upload-summary.ts"

/** The state of one component, and the listeners for its changes. */
export interface UploadStore {
  /** The same object until something changes. */
  readonly get: () => UploadState
  /** The part of it that no change of a file touches: to read it, the list need not be made. */
  readonly routeConfig: () => UploadState["routeConfig"]
  readonly set: (patch: Partial<UploadState>) => void
  /** Replaces the list, and other parts of the state with it; derived values are computed again. */
  readonly setFiles: (files: ReadonlyArray<UploadItem>, patch?: Partial<UploadState>) => void
  /**
   * Changes one file, if it is still listed. Listeners are called at once where `status` changes, within a frame where the
   * user has changed the file; otherwise in turn, see {@link UpdatePace}.
   */
  readonly change: (id: string, patch: Partial<UploadItem>) => void
  readonly find: (id: string) => UploadItem | undefined
  /** From here on the progress of these files counts together; earlier ones no longer count, unless some are in progress. */
  readonly count: (items: ReadonlyArray<UploadItem>) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** ms: figures that change more often cannot be read. */
const second = 1000

/** What users do to single files: they wait for the page to show it. Everything else happens by itself. */
const byUser: ReadonlySet<FileStatus | undefined> = new Set(["queued", "paused", "aborted"])

type Derived = "speed" | "timeLeft" | "summary" | "missing"

/** Makes the store of one component. */
export const createUploadStore = (initial: Omit<UploadState, Derived>): UploadStore => {
  const listeners = new Set<() => void>()
  let counted: ReadonlySet<string> = new Set()
  let items = new Map(initial.files.map((item) => [item.id, item]))
  let tally = createTally()
  for (const item of initial.files) tally.add(item, false)
  let state: UploadState = {
    ...initial,
    ...tally.read(),
    missing: findMissing(initial.files, initial.routeConfig),
    speed: undefined,
    timeLeft: undefined,
  }
  /** Whether `state` lags behind `items`: it is updated on demand, and not for each of ten thousand changes. */
  let isStale = false
  let speedometer = createSpeedometer()
  let moved = 0
  let meter: ReturnType<typeof setInterval> | undefined

  const get = () => {
    if (isStale) {
      isStale = false
      const files = [...items.values()]
      state = { ...state, ...tally.read(), files, missing: findMissing(files, state.routeConfig) }
    }
    return state
  }
  const pace = createUpdatePace(() => {
    for (const listener of listeners) listener()
  })
  const set: UploadStore["set"] = (patch) => {
    const before = get()
    state = { ...before, ...patch }
    if (state.routeConfig !== before.routeConfig) {
      state = { ...state, missing: findMissing(state.files, state.routeConfig) }
    }
    pace.now()
  }
  const measure = () => {
    const isMoving = get().files.some(({ status }) => status === "uploading")
    speedometer.sample(moved, performance.now(), isMoving)
    moved = 0
    const speed = speedometer.read()
    const left = tally.left()
    const timeLeft = speed === undefined || left === 0 ? undefined : Math.ceil(left / speed)
    if (speed === state.speed && timeLeft === state.timeLeft) return
    state = { ...state, speed, timeLeft }
    pace.inTurn()
  }
  /** Measures while anything is in progress. */
  const watchSpeed = (isUploading: boolean) => {
    if (isUploading === (meter !== undefined)) return
    clearInterval(meter)
    meter = undefined
    if (!isUploading) {
      state = { ...state, speed: undefined, timeLeft: undefined }
      return
    }
    speedometer = createSpeedometer()
    speedometer.sample((moved = 0), performance.now(), true)
    meter = setInterval(measure, second)
  }
  const recount = () => {
    tally = createTally()
    for (const item of items.values()) tally.add(item, counted.has(item.id))
    isStale = true
    watchSpeed(tally.read().isUploading)
  }
  return {
    get,
    routeConfig: () => state.routeConfig,
    set,
    setFiles: (files, patch) => {
      if (patch) state = { ...state, ...patch }
      items = new Map(files.map((item) => [item.id, item]))
      recount()
      pace.now()
    },
    change: (id, patch) => {
      const before = items.get(id)
      if (before === undefined) return
      const { status } = tally.read()
      const after = { ...before, ...patch }
      items.set(id, after)
      tally.add(before, counted.has(id), -1)
      tally.add(after, counted.has(id))
      // When a file is resumed, for example after a reload, the bytes that are already stored were not sent now.
      if (before.status === "uploading" && after.loaded > before.loaded) moved += after.loaded - before.loaded
      isStale = true
      const { status: now, isUploading } = tally.read()
      watchSpeed(isUploading)
      // Notify at once when the status changes, so that code awaiting the upload finds the page and its form value updated.
      if (now !== status) pace.now()
      else if (byUser.has(patch.status)) pace.soon()
      else pace.inTurn()
    },
    find: (id) => items.get(id),
    count: (more) => {
      const isBusy = [...items.values()].some((item) => isActive(item) || item.status === "paused")
      counted = new Set([...(isBusy ? counted : []), ...more.map(({ id }) => id)])
      recount()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
