import type { RemovedFiles } from "./upload-state.ts"
import type { UploadStore } from "./upload-store.ts"

/** ms that what was removed can come back, as long as nobody is at it. */
const patience = 20_000

/** By what was removed: whether somebody is about to bring it back. */
const isWanted = new WeakMap<RemovedFiles, () => boolean>()

/** Lets what was removed stay as long as somebody is at it, which is asked when its time is over. Of several components one is enough. */
export const keepWhile = (removed: RemovedFiles, isInUse: () => boolean): void => {
  const before = isWanted.get(removed)
  isWanted.set(removed, () => isInUse() || before?.() === true)
}

/**
 * Ends the time in which what was removed can come back: files that nobody brings back are not held for ever, wherever the
 * list is shown, or nowhere.
 *
 * @param forget lets go of all that was removed
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
