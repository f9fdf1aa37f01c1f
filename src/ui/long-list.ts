import type { UploadItem } from "./upload-state.ts"

/** Files from which on rows that are far from what is seen are no longer described whole. */
const long = 40

/** Of how many chosen files rows are whole before it is known which of them are seen. */
const first = 20

export const isLongList = (files: ReadonlyArray<UploadItem>): boolean => files.length > long

/** Whether a row is near enough to what is seen to be described whole. `near`: undefined where nobody has looked yet. */
export const isNearRow = (
  { id, file, status }: UploadItem,
  index: number,
  near: ReadonlySet<string> | undefined,
): boolean => {
  // What it says is looked for by people, and by their browsers.
  if (status === "failed") return true
  if (near !== undefined) return near.has(id)
  // Stored files come with the page: what the server has rendered is what the browser finds.
  return file === undefined || index < first || typeof IntersectionObserver === "undefined"
}
