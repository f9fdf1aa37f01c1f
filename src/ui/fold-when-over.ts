import type { UploadState } from "./upload-state.ts"
import type { UploadsSource } from "./uploads.ts"

/** ms to read how it ended. */
const patience = 10_000

/**
 * Folds a tray a while after all its files are done, which it still says then, and unfolds it with the next upload. Not
 * where anything has failed, is left or was cancelled, and not as long as the pointer or the focus is in it: what somebody
 * looks at stays.
 *
 * @param fold folds it, or makes it again as it was
 * @returns ends it
 */
export const foldWhenOver = ({
  getState,
  subscribe,
  isInUse,
  fold,
}: {
  readonly getState: () => UploadState
  readonly subscribe: UploadsSource["subscribe"]
  readonly isInUse: () => boolean
  readonly fold: (isOver: boolean) => void
}): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isOver = () => {
    const { files, interrupted } = getState()
    return files.length > 0 && interrupted.length === 0 && files.every(({ status }) => status === "done")
  }
  const wait = () => {
    timer = setTimeout(() => {
      timer = undefined
      if (isInUse()) wait()
      else fold(true)
    }, patience)
  }
  const look = () => {
    if (!isOver()) {
      clearTimeout(timer)
      timer = undefined
      fold(false)
    } else if (timer === undefined) wait()
  }
  const unsubscribe = subscribe(look)
  look()
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
