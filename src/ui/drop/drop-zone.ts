import type { UploadTexts } from "../texts/upload-texts.ts"
import type { DropTarget } from "./drop-target.ts"

/** A component, as seen by a drag over its page. */
export interface DropZone {
  readonly id: string
  readonly root: () => NonElementParentNode
  /** The current target for the files. */
  readonly target: () => DropTarget
  /** `config.dropOnPage`. */
  readonly isWanted: () => boolean | string | undefined
  readonly texts: UploadTexts
}

/** The components on the page, by the id of their outermost element. */
export type DropZones = ReadonlyMap<string, DropZone>
