/** The type that the browser encodes a crop as; see {@link CropOptions}. */
export type CropType = "image/webp" | "image/jpeg" | "image/png"

/** How an avatar's picture is cropped before it is uploaded. */
export interface CropOptions {
  /** Side of the square that is uploaded, pixels; less where the picture is smaller. Default 512. */
  readonly size?: number | undefined
  /** How it is shown; the square itself is uploaded. Default `round`. */
  readonly shape?: "round" | "square" | undefined
  /**
   * The type to upload, if the route takes it and the browser can encode it. Default `image/webp`, otherwise
   * `image/jpeg`, or `image/png` where the picture has transparent parts.
   */
  readonly type?: CropType | undefined
  /** For WebP and JPEG, 0…1. Default 0.9. */
  readonly quality?: number | undefined
}
