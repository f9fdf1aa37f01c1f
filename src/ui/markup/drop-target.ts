import { hasFiles, readTransfer } from "../read-transfer.ts"
import type { UploadController } from "../upload-controller.ts"
import type { UploadSessions } from "../../client/upload-sessions.ts"
import { keepHandles } from "../kept-handles.ts"
import type { Part } from "./markup.ts"

/** What takes dropped files. */
export interface DropTarget {
  readonly controller: UploadController<any>
  readonly sessions: UploadSessions | undefined
  /** Whether nothing is taken now. */
  readonly isOff: boolean
}

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

/** Takes what was dropped. Call it during the event. */
export const takeDrop = ({ controller, sessions }: DropTarget, transfer: DataTransfer): void => {
  clearTimeout(timer)
  controller.setDragActive(false)
  void readTransfer(transfer, keepHandles(sessions)).then(controller.addFiles)
}

/**
 * Makes an element take dropped files.
 *
 * @param find the element
 */
export const describeTarget = (target: DropTarget, find: () => Element | null): Part["on"] => {
  const over = (event: Event) => {
    const { dataTransfer } = event as DragEvent
    if (!hasFiles(dataTransfer)) return
    // Also when nothing is taken: a file dropped here must not replace the page.
    event.preventDefault()
    dragOver(target, dataTransfer)
  }
  return {
    dragenter: over,
    dragover: over,
    dragleave: (event) => {
      const { relatedTarget, clientX, clientY } = event as DragEvent
      const element = find()
      const leave = () => target.controller.setDragActive(false)
      // Leaves come from every element within: what counts is which the pointer has gone to.
      if (relatedTarget !== null) {
        if (!element?.contains(relatedTarget as Node)) leave()
        return
      }
      // Safari never says which, and no browser when the drag leaves the window or ends by Escape.
      const { left, right, top, bottom } = element?.getBoundingClientRect() ?? new DOMRect()
      if (clientX <= left || clientX >= right || clientY <= top || clientY >= bottom) leave()
      else timer = setTimeout(leave, patience)
    },
    drop: (event) => {
      const { dataTransfer } = event as DragEvent
      if (!hasFiles(dataTransfer)) return
      event.preventDefault()
      takeDrop(target, dataTransfer)
    },
  }
}
