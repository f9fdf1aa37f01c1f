import type { DropTarget } from "./drop-target.ts"

/**
 * Longer than the interval at which browsers repeat events of a drag that does not move (50 ms, Firefox 350), in ms.
 * There is one drag at a time, so the page has one timer.
 */
const patience = 700
let timer: ReturnType<typeof setTimeout> | undefined

/** Files are dragged over a target: judges them, shows the verdict, and tells the browser. */
export const dragOver = ({ controller, isOff }: DropTarget, transfer: DataTransfer): void => {
  clearTimeout(timer)
  if (!isOff) controller.setDragActive(true, transfer.items)
  const isRefused = isOff || controller.getState().drag?.fit === "refused"
  transfer.dropEffect = isRefused ? "none" : "copy"
}

/**
 * Follows files that are dragged over a target, or leave it.
 *
 * @param find its element
 */
export const followDrag = (target: DropTarget, find: () => Element | null, event: DragEvent): void => {
  const { type, dataTransfer, relatedTarget, clientX, clientY } = event
  if (type !== "dragleave") return dragOver(target, dataTransfer!)
  const element = find()
  const leave = () => target.controller.setDragActive(false)
  // Every element inside sends leave events: what counts is the element that the pointer has moved to.
  if (relatedTarget !== null) {
    if (!element?.contains(relatedTarget as Node)) leave()
    return
  }
  // Safari never tells that element, and no browser does when the drag leaves the window or ends by Escape.
  const { left, right, top, bottom } = element?.getBoundingClientRect() ?? new DOMRect()
  clearTimeout(timer)
  if (clientX <= left || clientX >= right || clientY <= top || clientY >= bottom) leave()
  else timer = setTimeout(leave, patience)
}
