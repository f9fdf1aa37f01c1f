import type { UploadTexts } from "../upload-texts.ts"
import type { UploadLooks } from "./looks.ts"

/** Props of a tray. `Node`: what its content can be. */
export interface UploadTrayProps<Node = unknown> extends Pick<
  UploadLooks<Node>,
  "className" | "appearance" | "content"
> {
  /** What the tray is called, if not "Uploads". */
  readonly "aria-label"?: string | undefined
  /** `all` uploads, or those that no component on the page shows: `elsewhere`. Default `all`. */
  readonly shows?: "all" | "elsewhere" | undefined
  /** Puts the progress into the title of the page: `(40 %) Photos`. Default false. */
  readonly titleProgress?: boolean | undefined
  /**
   * Replaces some or all of what the tray says, `de` of `sluice/texts/de` say; else it speaks as `createUploads` was told. What
   * it has said stays: give them from the beginning.
   */
  readonly texts?: Partial<UploadTexts> | undefined
  /** Merges class names, `twMerge` say. Default: joins them by a space. */
  readonly cn?: ((...classes: Array<string>) => string) | undefined
}
