import { toSecondsLeft, type UploadState } from "./upload-state.ts"

/**
 * Renders once a second as long as a file waits for its next attempt, so that users see a countdown.
 *
 * @param render makes a new state with the same content
 * @returns stops it
 */
export const tickCountdown = (
  getState: () => UploadState,
  subscribe: (listener: () => void) => () => void,
  render: () => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    if (timer !== undefined || !getState().files.some((item) => toSecondsLeft(item) !== undefined)) return
    timer = setTimeout(() => {
      timer = undefined
      render()
    }, 1000)
  }
  const unsubscribe = subscribe(look)
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
