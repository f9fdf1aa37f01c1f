import type { UploadConfig } from "../controller/upload-component-options.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** What the tools for a component's rows need. */
export interface RowTools {
  /** Id of the outermost element. */
  readonly id: string
  /** Where its elements are. */
  readonly root: Document | ShadowRoot
  readonly controller: UploadController<any>
  readonly texts: UploadTexts
  /** The component's latest configuration. */
  readonly config: () => UploadConfig
}
