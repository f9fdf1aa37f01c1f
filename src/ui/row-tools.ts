import type { UploadConfig } from "./upload-component-options.ts"
import type { UploadController } from "./upload-controller.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** What works on the rows of a component. */
export interface RowTools {
  /** Of the outermost element. */
  readonly id: string
  /** Where its elements are. */
  readonly root: Document | ShadowRoot
  readonly controller: UploadController<any>
  readonly texts: UploadTexts
  /** The component's latest. */
  readonly config: () => UploadConfig
}
