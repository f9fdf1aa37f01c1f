import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { createFindKind } from "../files/check-files.ts"
import type { CropOptions, CropType } from "./crop-options.ts"
import type { Crop } from "./crop-view.ts"
import type { Picture } from "./decode-picture.ts"

const extensions: Readonly<Record<string, string>> = {
  "image/webp": "webp",
  "image/jpeg": "jpg",
  "image/png": "png",
}

/**
 * The types that a crop may be encoded as, best first: the wanted one, then those that keep transparent parts or are
 * small, but only types that the route takes. Empty where it takes none that a browser can encode.
 */
export const listCropTypes = (
  wanted: CropType = "image/webp",
  isTransparent: boolean,
  config: RouteConfig | undefined,
): ReadonlyArray<CropType> => {
  const others: ReadonlyArray<CropType> = isTransparent
    ? ["image/webp", "image/png", "image/jpeg"]
    : ["image/webp", "image/jpeg", "image/png"]
  const findKind = config && createFindKind(config)
  return [...new Set([wanted, ...others])].filter((type) => findKind === undefined || findKind({ type }) !== undefined)
}

const hasTransparentPixel = (context: CanvasRenderingContext2D, side: number): boolean => {
  const { data } = context.getImageData(0, 0, side, side)
  for (let at = 3; at < data.length; at += 4) if (data[at]! < 255) return true
  return false
}

const encode = (canvas: HTMLCanvasElement, type: CropType, quality: number) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))

/**
 * Makes a file from a crop. It contains only pixels of the original: no place where it was taken, and no other EXIF.
 *
 * Fails: rejects where the browser cannot draw it.
 */
export const encodeCrop = async (
  picture: Picture,
  { x, y, side }: Crop,
  { size = 512, type, quality = 0.9 }: CropOptions,
  config: RouteConfig | undefined,
  name: string,
): Promise<File> => {
  const out = Math.max(1, Math.min(Math.round(size), Math.round(side)))
  const canvas = Object.assign(document.createElement("canvas"), { width: out, height: out })
  try {
    const context = canvas.getContext("2d")!
    context.imageSmoothingQuality = "high"
    context.drawImage(picture.source, x, y, side, side, 0, 0, out, out)
    const isTransparent = picture.mayBeTransparent && hasTransparentPixel(context, out)
    const types = listCropTypes(type, isTransparent, config)
    let blob: Blob | null = null
    for (const type of types) {
      if (type === "image/jpeg" && isTransparent) {
        // JPEG has no transparency, and would make transparent parts black.
        context.globalCompositeOperation = "destination-over"
        context.fillStyle = "white"
        context.fillRect(0, 0, out, out)
      }
      const made = await encode(canvas, type, quality)
      blob ??= made
      if (made?.type !== type) continue
      blob = made
      break
    }
    if (blob === null) throw new Error("could not be drawn")
    const stem = name.replace(/\.[^.]*$/, "") || name
    return new File([blob], `${stem}.${extensions[blob.type] ?? "png"}`, { type: blob.type })
  } finally {
    canvas.width = canvas.height = 0
  }
}
