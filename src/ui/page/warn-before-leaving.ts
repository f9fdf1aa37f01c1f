import type { UploadController } from "../controller/upload-controller.ts"
import { isActive } from "../controller/upload-state.ts"

/** Asks the user, in the browser's own words, because it shows no others. */
const ask = (event: BeforeUnloadEvent): void => {
  event.preventDefault()
  event.returnValue = true // Safari before 17
}

/**
 * Lets the browser ask before the user leaves the page while files are uploading or paused. It only listens then,
 * because a page with such a listener may be kept out of the back/forward cache.
 *
 * @param isWanted whether an upload would be lost
 * @returns stops it, once nothing is in progress any more: files whose component leaves the page continue
 */
export const warnBeforeLeaving = (
  { getState, subscribe }: Pick<UploadController<any>, "getState" | "subscribe">,
  isWanted: () => boolean,
): (() => void) => {
  let isOver = false
  let isAsking = false
  // One for each component, so that ending one does not remove another's.
  const listener = (event: BeforeUnloadEvent) => ask(event)
  const look = () => {
    const isNeeded = isWanted() && getState().files.some((item) => isActive(item) || item.status === "paused")
    if (isNeeded !== isAsking) (isNeeded ? addEventListener : removeEventListener)("beforeunload", listener)
    isAsking = isNeeded
    if (isOver && !isNeeded) unsubscribe()
  }
  const unsubscribe = subscribe(look)
  look()
  return () => {
    isOver = true
    look()
  }
}
