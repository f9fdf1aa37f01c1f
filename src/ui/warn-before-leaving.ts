import type { UploadController } from "./upload-controller.ts"
import { isActive } from "./upload-state.ts"

/** Asks the user: in the browser's words, for it shows no others. */
const ask = (event: BeforeUnloadEvent): void => {
  event.preventDefault()
  event.returnValue = true // Safari before 17
}

/**
 * Lets the browser ask before the page goes while files are on their way, or paused. It listens only then: a page with
 * such a listener may be kept out of the back/forward cache.
 *
 * @param isWanted whether an upload would be lost
 * @returns ends it, once nothing is on its way any more: what leaves the page goes on
 */
export const warnBeforeLeaving = (
  { getState, subscribe }: Pick<UploadController<any>, "getState" | "subscribe">,
  isWanted: () => boolean,
): (() => void) => {
  let isOver = false
  let isAsking = false
  // Its own for each component: one that ends must not take away another's.
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
