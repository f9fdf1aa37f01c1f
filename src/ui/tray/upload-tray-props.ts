import type { UploadTexts } from "../texts/upload-texts.ts"
import type { UploadLooks } from "../markup/looks.ts"

/** Props of a tray. `Node`: the type of its content. */
export interface UploadTrayProps<Node = unknown> extends Pick<
  UploadLooks<Node>,
  "className" | "appearance" | "content"
> {
  /** The name of the tray, if it is not "Uploads". */
  readonly "aria-label"?: string | undefined
  /** `all` uploads, or only those that no component on the page shows: `elsewhere`. Default `all`. */
  readonly shows?: "all" | "elsewhere" | undefined
  /** Puts the progress into the title of the page: `(40 %) Photos`. Default false. */
  readonly titleProgress?: boolean | undefined
  /**
   * Replaces some or all texts of the tray, for example by `de` of `sluice/texts/de`; by default it uses those of
   * `createUploads`. Texts that were already shown stay, so give them from the beginning.
   */
  readonly texts?: Partial<UploadTexts> | undefined
  /** Merges class names, for example `twMerge`. Default: joins them by a space. */
  readonly cn?: ((...classes: Array<string>) => string) | undefined
}
