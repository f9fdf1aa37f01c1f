import type { UploadsSource } from "./uploads.ts"

/** Alone where the page has no title: browsers take the space away. */
const badge = /^\(\d+ %\)(?: |$)/

/**
 * Puts the progress of uploads before the title of the page, `(40 %) Photos`, as long as any are in progress. A title
 * that the page sets meanwhile gets it at the next step.
 *
 * @returns stops it
 */
export const showTitleProgress = ({ getState, subscribe }: UploadsSource, isWanted: () => boolean): (() => void) => {
  let isShown = false
  const write = (text: string) => {
    const title = `${text}${document.title.replace(badge, "")}`.trim()
    if (title !== document.title) document.title = title
    isShown = text !== ""
  }
  const look = () => {
    const { isUploading, progress } = getState()
    if (isWanted() && isUploading) write(`(${progress} %) `)
    else if (isShown) write("")
  }
  const unsubscribe = subscribe(look)
  look()
  return () => {
    unsubscribe()
    if (isShown) write("")
  }
}
