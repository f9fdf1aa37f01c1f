import type { UploadState } from "../controller/upload-state.ts"
import type { UploadsSource } from "./uploads.ts"

/** How long the result can be read, ms. */
const patience = 10_000

/**
 * Folds a tray some time after all its files are done, which it then still says, and unfolds it with the next upload.
 * It stays open where anything has failed, is left or was cancelled, and while the pointer or the focus is in it.
 *
 * @param fold folds it, or restores its previous state
 * @returns stops it
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
