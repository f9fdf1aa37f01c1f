import type { UploadTexts } from "../upload-texts.ts"
import type { DropTarget } from "./drop-target.ts"

/** A component, as a drag over its page finds it. */
export interface DropZone {
  readonly id: string
  readonly root: () => NonElementParentNode
  /** What takes the files, as it is now. */
  readonly target: () => DropTarget
  /** `config.dropOnPage`. */
  readonly isWanted: () => boolean | string | undefined
  readonly texts: UploadTexts
}

/** Those on the page now, by the id of their outermost element. */
export const zones = new Map<string, DropZone>()
