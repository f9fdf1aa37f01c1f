import { isActive, type UploadItem, type UploadState } from "../controller/upload-state.ts"
import { createTally } from "../controller/upload-summary.ts"
import type { UploadsState } from "./uploads.ts"

/** The state without any uploads. */
export const noUploads: UploadsState = {
  ...createTally().read(),
  files: [],
  speed: undefined,
  timeLeft: undefined,
}

/** Whether it was refused and never sent: then it does not belong to an upload. */
const isRefused = ({ status, canRetry }: UploadItem): boolean => status === "failed" && canRetry === undefined

/**
 * Merges several states into one: the files one after the other; the figures are those of the upload that is running
 * or ran last, whichever list its files are in.
 *
 * @returns a function that merges these states, for the files that should be shown
 */
export const createMerger = (): ((
  states: ReadonlyArray<UploadState>,
  isShown: (item: UploadItem) => boolean,
) => UploadsState) => {
  let last = noUploads
  let wasBusy = false
  /** Files that had ended before that upload began. */
  let over = new Set<string>()

  return (states, isShown) => {
    const listed = states.flatMap(({ files }) => files.filter(isShown))
    const isOpen = (item: UploadItem) => isActive(item) || item.status === "paused"
    const isBusy = listed.some(isOpen)
    if (isBusy && !wasBusy) over = new Set(last.files.map(({ id }) => id))
    wasBusy = isBusy
    if (listed.length === 0) return (last = noUploads)
    const tally = createTally()
    for (const item of listed) {
      if (isOpen(item)) over.delete(item.id)
      tally.add(item, !over.has(item.id) && !isRefused(item))
    }
    const isSame = listed.length === last.files.length && listed.every((item, index) => item === last.files[index])
    const speeds = states.flatMap(({ speed }) => (speed === undefined ? [] : [speed]))
    const speed = speeds.length === 0 ? undefined : speeds.reduce((sum, each) => sum + each)
    const left = tally.left()
    last = {
      ...tally.read(),
      files: isSame ? last.files : listed,
      speed,
      timeLeft: speed === undefined || left === 0 ? undefined : Math.ceil(left / speed),
    }
    return last
  }
}
