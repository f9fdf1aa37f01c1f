import { dragOver } from "./drag-over.ts"
import { takeDrop } from "./drop-target.ts"
import type { DropZone } from "./drop-zone.ts"
import { sayDrop } from "../markup/limit-hints.ts"
import { takesSeveral } from "../files/accepted-files.ts"
import { isShown } from "../page/is-shown.ts"

/** See `drag-over.ts`: longer than the interval at which browsers repeat events of a drag that does not move, in ms. */
const patience = 700

interface Place {
  readonly zone: DropZone
  readonly element: Element
  readonly box: DOMRect
}

let overlay: HTMLElement | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let chosen: Place | undefined
/** Escape was pressed: nothing is shown or accepted until the drag comes back. */
let isDismissed = false

/** Components that take files dropped anywhere, with their current positions. */
const findPlaces = (zones: ReadonlyArray<DropZone>): ReadonlyArray<Place> =>
  zones.flatMap((zone) => {
    const element = zone.root().getElementById(zone.id)
    if (element === null || zone.target().isOff || !isShown(element)) return []
    return [{ zone, element, box: element.getBoundingClientRect() }]
  })

const distanceTo = ({ left, right, top, bottom }: DOMRect, x: number, y: number): number =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))

/** The nearest one that can take any of the files; if none can, the nearest. */
const choosePlace = (places: ReadonlyArray<Place>, { clientX, clientY }: DragEvent) => {
  const isRefused = ({ zone }: Place) => Number(zone.target().controller.getState().drag?.fit === "refused")
  return places.toSorted(
    (a, b) => isRefused(a) - isRefused(b) || distanceTo(a.box, clientX, clientY) - distanceTo(b.box, clientX, clientY),
  )[0]
}

const nameOf = ({ zone, element }: Place): string | undefined => {
  const wanted = zone.isWanted()
  if (typeof wanted === "string" && wanted !== "") return wanted
  return (element.getAttribute("aria-label") ?? element.parentElement?.getAttribute("aria-label")) || undefined
}

const sayOf = (place: Place): string => {
  const { zone } = place
  const state = zone.target().controller.getState()
  const name = nameOf(place)
  return state.drag?.fit === "over" && name !== undefined
    ? zone.texts.dropOnto(name)
    : sayDrop(state, zone.texts, takesSeveral(state.routeConfig))
}

/** A place as a frame over its component: never smaller than its text, and inside the window. */
const drawPlace = (place: Place): HTMLElement => {
  const { fit = "over" } = place.zone.target().controller.getState().drag ?? {}
  const frame = document.createElement("div")
  const width = Math.min(Math.max(place.box.width, 256), innerWidth - 16)
  const height = Math.min(Math.max(place.box.height, 80), innerHeight - 16)
  const within = (at: number, size: number, room: number) => Math.max(8, Math.min(at, room - size - 8))
  Object.assign(frame.dataset, {
    sluice: "page-drop-zone",
    drag: fit,
    chosen: String(place.element === chosen?.element),
  })
  Object.assign(frame.style, {
    left: `${within(place.box.left, width, innerWidth)}px`,
    top: `${within(place.box.top, height, innerHeight)}px`,
    width: `${width}px`,
    height: `${height}px`,
  })
  // The overlay is outside of all components, and would take the side of the system, light or dark, and not theirs.
  frame.style.setProperty("--_ink", getComputedStyle(place.element).color)
  frame.textContent = sayOf(place)
  return frame
}

const onKey = ({ key }: KeyboardEvent) => {
  if (key !== "Escape") return
  hideOverlay()
  isDismissed = true
}

/** Draws over everything, including dialogs, and lets the pointer through: the elements below still get the drag. */
const draw = (places: ReadonlyArray<Place>) => {
  if (overlay === undefined) {
    overlay = document.createElement("div")
    Object.assign(overlay.dataset, { sluice: "page-drop" })
    overlay.setAttribute("aria-hidden", "true")
    overlay.setAttribute("popover", "manual")
    // The stylesheet of the components may only be in a shadow root.
    const root = places[0]!.element.getRootNode()
    const parent = root instanceof ShadowRoot ? root : document.body
    parent.append(overlay)
    overlay.showPopover?.()
    addEventListener("keydown", onKey, true)
  }
  const frames = places.map(drawPlace)
  const toText = (nodes: Iterable<Node>) => [...nodes].map((node) => (node as Element).outerHTML).join("")
  if (toText(frames) !== toText(overlay.childNodes)) overlay.replaceChildren(...frames)
}

let lit: ReadonlyArray<Place> = []

/** Removes what a drag over the page has shown. */
export const hideOverlay = (): void => {
  clearTimeout(timer)
  overlay?.remove()
  overlay = chosen = undefined
  removeEventListener("keydown", onKey, true)
  for (const { zone } of lit) zone.target().controller.setDragActive(false)
  lit = []
}

/**
 * Shows where files that are dragged over the page would go, and lets them be dropped there.
 *
 * @param zones  the components that take them
 * @param isOurs whether nothing else on the page takes the files at that position
 */
export const followDrag = (event: DragEvent, zones: ReadonlyArray<DropZone>, isOurs: boolean): void => {
  const { type, relatedTarget, clientX, clientY } = event
  const transfer = event.dataTransfer!
  if (type === "dragleave") {
    if (relatedTarget !== null) return
    const end = () => {
      hideOverlay()
      isDismissed = false
    }
    const isOut = clientX <= 0 || clientY <= 0 || clientX >= innerWidth || clientY >= innerHeight
    if (isOut) end()
    else timer = setTimeout(end, patience)
    return
  }
  clearTimeout(timer)
  // It comes from outside the window, so it is another drag.
  if (type === "dragenter" && relatedTarget === null) isDismissed = false
  if (type === "drop") {
    const place = isOurs && !isDismissed ? chosen : undefined
    const target = place?.zone.target()
    const isTaken = target?.controller.getState().drag?.fit !== "refused"
    hideOverlay()
    isDismissed = false
    if (target !== undefined && isTaken) takeDrop(target, transfer)
    return
  }
  if (isDismissed) return
  lit = findPlaces(zones)
  if (lit.length === 0) return
  for (const { zone } of lit) zone.target().controller.setDragActive(true, transfer.items)
  const nearest = choosePlace(lit, event)
  const path = event.composedPath()
  // The component under the pointer has already shown whether it accepts the files.
  chosen = isOurs ? nearest : lit.find(({ element }) => path.includes(element))
  draw(lit)
  if (isOurs && chosen !== undefined) dragOver(chosen.zone.target(), transfer)
}
