import type { UploadItem } from "../controller/upload-state.ts"

/** From this many files on, rows that are far from the visible part are no longer rendered completely. */
const long = 40

/** How many rows of chosen files are complete before it is known which of them are visible. */
const first = 20

export const isLongList = (files: ReadonlyArray<UploadItem>): boolean => files.length > long

/** Whether a row is near enough to the visible part to be rendered completely. `near`: undefined before the first measurement. */
export const isNearRow = ({ id, file }: UploadItem, index: number, near: ReadonlySet<string> | undefined): boolean => {
  if (near !== undefined) return near.has(id)
  // Stored files come with the page: the browser must render the same as the server.
  return file === undefined || index < first || typeof IntersectionObserver === "undefined"
}
