import type { RemovedFiles } from "./upload-state.ts"
import type { UploadStore } from "./upload-store.ts"

/** How long removed files can be restored while the user is elsewhere, ms. */
const patience = 20_000

/** For each removal: whether the user may be about to undo it. */
const isWanted = new WeakMap<RemovedFiles, () => boolean>()

/** Keeps a removal as long as it is in use, which is checked when its time is over. One of several components is enough. */
export const keepWhile = (removed: RemovedFiles, isInUse: () => boolean): void => {
  const before = isWanted.get(removed)
  isWanted.set(removed, () => isInUse() || before?.() === true)
}

/**
 * Ends the time in which removed files can be restored, so that files are not held for ever, wherever the list is
 * shown, or where it is not.
 *
 * @param forget discards everything that was removed
 */
export const forgetInTime = ({ get, subscribe }: UploadStore, forget: () => void): void => {
  let seen: RemovedFiles | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = () => {
    timer = setTimeout(() => {
      if (seen && isWanted.get(seen)?.()) wait()
      else forget()
    }, patience)
  }
  subscribe(() => {
    const { removed } = get()
    if (removed === seen) return
    seen = removed
    clearTimeout(timer)
    if (removed !== undefined) wait()
  })
}
