import type { DropTarget } from "./drop-target.ts"

/**
 * Longer than browsers take to tell again of a drag that stays where it is (50 ms, Firefox 350), in ms. There is one drag
 * at a time, and so one timer for the page.
 */
const patience = 700
let timer: ReturnType<typeof setTimeout> | undefined

/** Files are held over a target: judges them, shows that, and tells the browser. */
export const dragOver = ({ controller, isOff }: DropTarget, transfer: DataTransfer): void => {
  clearTimeout(timer)
  if (!isOff) controller.setDragActive(true, transfer.items)
  const isRefused = isOff || controller.getState().drag?.fit === "refused"
  transfer.dropEffect = isRefused ? "none" : "copy"
}

/**
 * Follows files that are held over a target, or leave it.
 *
 * @param find its element
 */
export const followDrag = (target: DropTarget, find: () => Element | null, event: DragEvent): void => {
  const { type, dataTransfer, relatedTarget, clientX, clientY } = event
  if (type !== "dragleave") return dragOver(target, dataTransfer!)
  const element = find()
  const leave = () => target.controller.setDragActive(false)
  // Leaves come from every element within: what counts is which the pointer has gone to.
  if (relatedTarget !== null) {
    if (!element?.contains(relatedTarget as Node)) leave()
    return
  }
  // Safari never says which, and no browser when the drag leaves the window or ends by Escape.
  const { left, right, top, bottom } = element?.getBoundingClientRect() ?? new DOMRect()
  clearTimeout(timer)
  if (clientX <= left || clientX >= right || clientY <= top || clientY >= bottom) leave()
  else timer = setTimeout(leave, patience)
}
