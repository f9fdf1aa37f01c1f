import type { UploadConfig } from "../controller/upload-component-options.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadItem, UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { DescribePart, UploadLooks } from "./looks.ts"
import type { Markup } from "./markup.ts"
import type { MainName } from "./names.ts"
import type { UploadParts } from "./parts.ts"

/** The data from which a component is described. */
export interface ComponentView {
  readonly controller: UploadController
  readonly state: UploadState
  readonly texts: UploadTexts
  readonly parts: UploadParts
  readonly part: DescribePart
  readonly id: string
  readonly isMultiple: boolean
  /** Represents the component when its form is validated; undefined where it is not a field, or the platform makes it one. */
  readonly validity: Markup | undefined
  readonly config: UploadConfig
  /** The file that keeps the form from being sent: the validity control is next to it. */
  readonly blocking: UploadItem | undefined
  /** Whether the stored files are the value of a form's field. */
  readonly isField: boolean
  readonly looks: UploadLooks
  /** Whether rows far from the visible part of a long list only show their names. */
  readonly isThin: boolean
  /** Names the main button with its text. */
  readonly nameMain: (says: string) => MainName
}
