import { loadDrawing, readSize } from "../pictures/make-thumbnail.ts"
import type { PictureSize } from "./crop-view.ts"

/** A decoded picture. */
export interface Picture extends PictureSize {
  readonly source: CanvasImageSource
  /** Whether some of it may be transparent. */
  readonly mayBeTransparent: boolean
  /** Releases its memory. */
  readonly close: () => void
}

const limits = {
  /** Of a file, bytes. */
  size: 128e6,
  /** Of a picture before it is decoded; phones have 108 million, at 4 bytes each while they are read. */
  read: 120e6,
  /** Of the decoded picture, which is practically lossless for a crop: 64 MB. */
  kept: 4096 * 4096,
}

const decodeDrawing = async (file: File, side: number): Promise<Picture> => {
  const image = await loadDrawing(file)
  const scale = side / Math.min(image.naturalWidth, image.naturalHeight)
  const [width, height] = [Math.round(image.naturalWidth * scale), Math.round(image.naturalHeight * scale)]
  if (!(width > 0 && height > 0 && width * height <= limits.kept)) throw new Error("has no size to show")
  const canvas = Object.assign(document.createElement("canvas"), { width, height })
  const context = canvas.getContext("2d")!
  context.drawImage(image, 0, 0, width, height)
  // Fails where the browser does not allow reading what was drawn, as with a `foreignObject`: such a picture cannot be cropped.
  context.getImageData(0, 0, 1, 1)
  return {
    source: canvas,
    width,
    height,
    mayBeTransparent: true,
    close: () => {
      canvas.width = canvas.height = 0 // Safari keeps the pixels of a canvas for a while
    },
  }
}

/**
 * Decodes a picture with its orientation applied; of an animation its first frame.
 *
 * @param side for which a drawing has to be large enough, pixels
 *
 * Units:  at most 16.8 million pixels, in the proportions of the original.
 * Fails:  rejects where the browser cannot show the file, or must not try: it is too large, has no size, or its pixels
 *         cannot be read.
 */
export const decodePicture = async (file: File, side: number): Promise<Picture> => {
  if (file.type.startsWith("image/svg")) return decodeDrawing(file, side)
  if (file.size > limits.size) throw new Error("is too large")
  const { naturalWidth, naturalHeight } = await readSize(file)
  const pixels = naturalWidth * naturalHeight
  if (!(pixels > 0 && pixels <= limits.read)) throw new Error("has no size to show")
  const scale = Math.min(1, Math.sqrt(limits.kept / pixels))
  const bitmap = await createImageBitmap(file, {
    imageOrientation: "from-image",
    ...(scale < 1 && {
      resizeWidth: Math.max(1, Math.floor(naturalWidth * scale)),
      resizeHeight: Math.max(1, Math.floor(naturalHeight * scale)),
      resizeQuality: "high",
    }),
  })
  const { width, height } = bitmap
  return {
    source: bitmap,
    width,
    height,
    mayBeTransparent: file.type !== "image/jpeg",
    close: () => bitmap.close(),
  }
}
