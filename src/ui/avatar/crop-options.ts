/** What the browser makes of a crop; see {@link CropOptions}. */
export type CropType = "image/webp" | "image/jpeg" | "image/png"

/** How an avatar's picture is cropped before it is uploaded. */
export interface CropOptions {
  /** Side of the square that is uploaded, pixels; less where the picture has no more. Default 512. */
  readonly size?: number | undefined
  /** How it is shown; what is uploaded is the square. Default `round`. */
  readonly shape?: "round" | "square" | undefined
  /**
   * What is uploaded, if the route takes it and the browser makes it. Default `image/webp`, else `image/jpeg`, or `image/png`
   * where the picture has transparent parts.
   */
  readonly type?: CropType | undefined
  /** Of WebP and JPEG, 0…1. Default 0.9. */
  readonly quality?: number | undefined
}
