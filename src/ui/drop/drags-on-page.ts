import type { DropZone, DropZones } from "./drop-zone.ts"

/** Loaded when files are first dragged over a page that takes them anywhere. */
let page: Pick<typeof import("./page-drop.ts"), "followDrag" | "hideOverlay"> | undefined

/** The texts for a component are loaded with the component's own code. */
const load = async (wanted: ReadonlyArray<DropZone>) => {
  const controllers = wanted.map((zone) => zone.target().controller)
  const ready = controllers.map(({ preload }) => preload())
  const [{ followDrag, hideOverlay }] = await Promise.all([import("./page-drop.ts"), ...ready])
  if (controllers.every(({ loaded }) => loaded() !== undefined)) page = { followDrag, hideOverlay }
}

const isFileInput = (element: EventTarget | undefined): boolean =>
  element instanceof HTMLInputElement && element.type === "file"

const isEditor = (element: EventTarget | undefined): boolean =>
  (element instanceof HTMLElement && element.isContentEditable) || element instanceof HTMLTextAreaElement

/**
 * Follows files that are dragged over the page. Outside of all components they must not replace the page, and where
 * that is configured they go to a component. A drop that other code on the page has handled stays theirs, and a file
 * input takes its files by itself. Editors claim files only when they are dropped.
 *
 * @param zones the components, as they are at each moment
 */
export const followDrags = (
  zones: DropZones,
): {
  readonly followDrag: (event: DragEvent) => void
  /** The last component was removed: nothing is shown any more. */
  readonly endDrags: () => void
} => {
  /** Components that take files dropped anywhere on the page. */
  const listWanted = () => [...zones.values()].filter((zone) => zone.isWanted())
  /** Loads the overlay at the beginning of a drag. Without it the component itself still takes the files. */
  const prepare = (wanted: ReadonlyArray<DropZone>) => {
    if (page === undefined && wanted.length > 0) load(wanted).catch(() => {})
  }
  prepare(listWanted())
  return {
    followDrag: (event) => {
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
    },
    endDrags: () => page?.hideOverlay(),
  }
}
