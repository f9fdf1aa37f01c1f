import type { UploadConfig } from "../upload-component-options.ts"
import type { UploadController } from "../upload-controller.ts"
import type { UploadItem, UploadState } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import type { DescribePart, UploadLooks } from "./looks.ts"
import type { Markup } from "./markup.ts"
import type { MainName } from "./names.ts"
import type { UploadParts } from "./parts.ts"

/** What a component is described from. */
export interface ComponentView {
  readonly controller: UploadController
  readonly state: UploadState
  readonly texts: UploadTexts
  readonly parts: UploadParts
  readonly part: DescribePart
  readonly id: string
  readonly isMultiple: boolean
  /** Stands for the component when its form is checked; undefined where it is no field, or a platform's own. */
  readonly validity: Markup | undefined
  readonly config: UploadConfig
  /** The file that keeps the form from being sent: the validity stands beside it. */
  readonly blocking: UploadItem | undefined
  /** Whether what is stored is the value of a form's field. */
  readonly isField: boolean
  readonly looks: UploadLooks
  /** Whether rows far from what is seen of a long list are described by their names alone. */
  readonly isThin: boolean
  /** Names the main button, which says this. */
  readonly nameMain: (says: string) => MainName
}
