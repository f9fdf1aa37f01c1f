import { createMilestones } from "./milestones.ts"
import { isWithdrawn } from "../form/field-value.ts"
import { isActive, isProcessing, type UploadItem, type UploadState } from "../controller/upload-state.ts"

/** What has happened and was not announced yet: several events of one kind are merged. */
export interface UploadEvents {
  chosen: number
  started: number
  /** Whether there is progress worth announcing. */
  progress: boolean
  offline: boolean
  processing: boolean
  done: boolean
  retrying: UploadItem | undefined
  readonly refused: Array<UploadItem>
  readonly failed: Array<UploadItem>
  readonly locked: Array<UploadItem>
  readonly paused: Array<UploadItem>
  readonly resumed: Array<UploadItem>
  readonly cancelled: Array<UploadItem>
  readonly removed: Array<UploadItem>
  readonly restored: Array<UploadItem>
}

export const noEvents = (): UploadEvents => ({
  chosen: 0,
  started: 0,
  progress: false,
  offline: false,
  processing: false,
  done: false,
  retrying: undefined,
  refused: [],
  failed: [],
  locked: [],
  paused: [],
  resumed: [],
  cancelled: [],
  removed: [],
  restored: [],
})

/** The least time between two announcements on an unstable connection, ms. */
const retryInterval = 30_000

/**
 * Finds out what has happened between one state and the next.
 *
 * @returns adds the new events in a state to the given ones; `now` in ms
 */
export const createEventFinder = (
  before: UploadState,
): ((state: UploadState, events: UploadEvents, now: number) => void) => {
  const seen = new Map(before.files.map((item) => [item.id, item]))
  const isMilestone = createMilestones()
  let isOfflineTold = false
  let isProcessingTold = false
  let isDoneDue = false
  let retryToldAt = Number.NEGATIVE_INFINITY
  let hasMoved = true
  /** What an undo would restore. */
  let removable: ReadonlySet<string> = new Set()

  const addNew = (item: UploadItem, events: UploadEvents) => {
    // Files that were stored before the page was opened are not events.
    if (item.file === undefined) return
    // Files that were never sent cannot be retried.
    if (item.status !== "failed" || item.canRetry !== undefined) events.chosen++
    if (item.status === "failed") events[item.canRetry === undefined ? "refused" : "failed"].push(item)
    if (item.status === "done") isDoneDue = true
  }
  const addWait = (item: UploadItem, old: UploadItem | undefined, events: UploadEvents, now: number) => {
    const { waitingFor } = item
    if (waitingFor === "locked" && old?.waitingFor !== "locked") events.locked.push(item)
    if (waitingFor === "offline" && !isOfflineTold) events.offline = isOfflineTold = true
    if (waitingFor === "retry" && hasMoved && now - retryToldAt >= retryInterval) {
      events.retrying = item
      retryToldAt = now
      hasMoved = false
    }
  }
  const addChange = (item: UploadItem, old: UploadItem, events: UploadEvents) => {
    const { status } = item
    if (item.loaded > old.loaded) hasMoved = true
    if (status === old.status) return
    if (status === "failed") events.failed.push(item)
    if (status === "aborted") events.cancelled.push(item)
    if (status === "paused") events.paused.push(item)
    if (status === "done") isDoneDue = true
    if (status === "uploading") isOfflineTold = false
    if (isActive(item) && old.status === "paused") events.resumed.push(item)
    else if (isActive(item) && !isActive(old)) events.started++
    // It was one too many, and others were removed.
    else if (status === "picked" && old.status === "failed") events.chosen++
  }

  return (state, events, now) => {
    for (const item of state.files) {
      const old = seen.get(item.id)
      if (old === item) continue
      if (old === undefined && removable.has(item.id)) events.restored.push(item)
      else if (old === undefined) addNew(item, events)
      else addChange(item, old, events)
      if (item.status === "waiting") addWait(item, old, events, now)
      seen.set(item.id, item)
    }
    if (seen.size > state.files.length) {
      const listed = new Set(state.files.map(({ id }) => id))
      for (const [id, item] of seen) {
        if (listed.has(id)) continue
        seen.delete(id)
        if (!isWithdrawn(item)) events.removed.push(item)
      }
    }
    removable = new Set(state.removed?.files.map(({ id }) => id))
    const { summary, isUploading, progress } = state
    if (!isProcessing(summary)) isProcessingTold = false
    else if (!isProcessingTold) events.processing = isProcessingTold = true
    if (isUploading) events.progress ||= isMilestone(progress, now)
    else {
      hasMoved = true
      if (isDoneDue && summary.paused === 0) {
        isDoneDue = false
        events.done = true
      }
    }
  }
}
