import { hasFiles, readTransfer } from "./read-transfer.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { ResumeStore } from "../../client/resume/resume-store.ts"
import { keepHandles } from "../files/kept-handles.ts"
import type { Part } from "../markup/markup.ts"

/** A target for dropped files. */
export interface DropTarget {
  readonly controller: UploadController<any>
  readonly resumeStore: ResumeStore | undefined
  /** Whether it accepts nothing now. */
  readonly isOff: boolean
}

/** What the engine does during a drag: it judges what is held over a target, whose element `find` gives. */
interface FollowsDrags {
  readonly used: {
    readonly followDrag: (target: DropTarget, find: () => Element | null, event: DragEvent) => void
  }
}

/** Takes dropped files. Call it during the event. */
export const takeDrop = ({ controller, resumeStore }: DropTarget, transfer: DataTransfer): void => {
  controller.setDragActive(false)
  void readTransfer(transfer, keepHandles(resumeStore)).then(controller.addFiles)
}

/**
 * Makes an element accept dropped files. Dragged files are judged as soon as the engine is loaded, which the first of
 * these events starts.
 *
 * @param find the element
 */
export const describeTarget = (target: DropTarget, find: () => Element | null): Part["on"] => {
  const { controller, isOff } = target
  const follow = (event: Event) => {
    const { type, dataTransfer } = event as DragEvent
    // Not every browser says what has left.
    const isLeaving = type === "dragleave"
    if (!isLeaving && !hasFiles(dataTransfer)) return
    // Even when nothing is accepted: a file dropped here must not replace the page.
    event.preventDefault()
    if (type === "drop") return takeDrop(target, dataTransfer!)
    const used = (controller.loaded() as FollowsDrags | undefined)?.used
    if (used) used.followDrag(target, find, event as DragEvent)
    else if (isLeaving || !isOff) controller.setDragActive(!isLeaving)
    else dataTransfer!.dropEffect = "none"
  }
  return { dragenter: follow, dragover: follow, dragleave: follow, drop: follow }
}
