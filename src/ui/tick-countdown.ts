import { toSecondsLeft, type UploadState } from "./upload-state.ts"

/**
 * Renders once a second as long as a file waits for its next try, so that people see it come.
 *
 * @param render makes a new state of the same content
 * @returns ends it
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
