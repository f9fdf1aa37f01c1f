import { isChosen } from "../controller/upload-item.ts"
import type { PreviewOptions } from "./watch-previews.ts"

/**
 * Makes pictures of the chosen files. The code for that is loaded with the first file.
 *
 * @returns stops it, and releases all pictures
 */
export const startPreviews = (options: PreviewOptions): (() => void) => {
  const { id, root, rows, controller, isWanted } = options
  let stop: (() => void) | undefined
  let isOver = false
  let isLoading = false
  const look = () => {
    if (rows === undefined || isLoading || !isWanted() || !controller.getState().files.some(isChosen)) return
    isLoading = true
    import("./watch-previews.ts")
      .then(({ watchPreviews }) => {
        if (!isOver) stop = watchPreviews({ ...options, rows })
      })
      .catch(() => {}) // Tiles are shown.
  }
  // A picture rendered by the server may have failed to load before there was a listener.
  for (const image of root.getElementById(id)?.querySelectorAll<HTMLImageElement>("[data-sluice=file-preview] > img") ??
    []) {
    if (image.complete && image.naturalWidth === 0) image.dispatchEvent(new Event("error"))
  }
  const unsubscribe = controller.subscribe(look)
  look()
  return () => {
    isOver = true
    unsubscribe()
    stop?.()
  }
}
