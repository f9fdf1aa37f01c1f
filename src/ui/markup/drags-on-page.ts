import { type DropZone, zones } from "./drop-zones.ts"

/** Loaded when the first files are held over a page that takes them anywhere. */
let page: Pick<typeof import("./page-drop.ts"), "followDrag" | "hideOverlay"> | undefined

/** What it says of a component comes with the component's own code. */
const load = async (wanted: ReadonlyArray<DropZone>) => {
  const controllers = wanted.map((zone) => zone.target().controller)
  const ready = controllers.map(({ preload }) => preload())
  const [{ followDrag, hideOverlay }] = await Promise.all([import("./page-drop.ts"), ...ready])
  if (controllers.every(({ loaded }) => loaded() !== undefined)) page = { followDrag, hideOverlay }
}

/** Components that take what is dropped anywhere. */
const listWanted = (): ReadonlyArray<DropZone> => [...zones.values()].filter((zone) => zone.isWanted())

/** Has what shows them loaded, at the beginning of a drag. Without it the component itself still takes them. */
export const prepare = (wanted: ReadonlyArray<DropZone> = listWanted()): void => {
  if (page === undefined && wanted.length > 0) load(wanted).catch(() => {})
}
const isFileInput = (element: EventTarget | undefined): boolean =>
  element instanceof HTMLInputElement && element.type === "file"

const isEditor = (element: EventTarget | undefined): boolean =>
  (element instanceof HTMLElement && element.isContentEditable) || element instanceof HTMLTextAreaElement

/**
 * Follows files that are held over the page. Beside every component they must not replace the page; where that is wanted they
 * go to one. What somebody else on the page has handled is theirs, and a file input takes its files without a word. Editors
 * say theirs only when files drop.
 */
export const followDrag = (event: DragEvent): void => {
  const { dataTransfer, type, defaultPrevented } = event
  const wanted = listWanted()
  if (type === "dragenter") prepare(wanted)
  const [inner] = event.composedPath()
  if (type === "dragend") return
  if (type === "dragleave" || isFileInput(inner) || defaultPrevented) return page?.followDrag(event, wanted, false)
  if (type !== "drop" && isEditor(inner)) return
  event.preventDefault()
  dataTransfer!.dropEffect = "none"
  page?.followDrag(event, wanted, true)
}

/** The last component has gone: nothing is shown any more. */
export const endDrags = (): void => page?.hideOverlay()
