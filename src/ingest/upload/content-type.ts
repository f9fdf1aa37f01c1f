import { readableBeginning } from "../storage/blob-store.ts"
import { fileTypeFromBuffer } from "file-type"
import { parseMediaType } from "../../protocol/files/media-type.ts"

/** Number of bytes at the start of a file that tell its type. */
export const sampleSize = readableBeginning

/** The families that the first bytes can prove. Types of one family are not told apart, because people rename .jpeg to .png. */
type Family = "image" | "audio or video" | "PDF"

const rasterImages = new Set(
  "png apng jpeg jpg pjpeg gif webp bmp x-ms-bmp tiff avif heic heif jxl x-icon vnd.microsoft.icon"
    .split(" ")
    .map((subtype) => `image/${subtype}`),
)

/** Media types whose files are often text: play lists, and TypeScript's .ts, which is mistaken for a transport stream. */
const isTextInDisguise = (type: string): boolean => /^video\/mp2t$|mpegurl|scpls|\/vnd\./.test(type)

/** The family that a declared type promises; undefined where the bytes tell nothing, as with text and office documents. */
const promised = (type: string): Family | undefined => {
  if (rasterImages.has(type)) return "image"
  if (type === "application/pdf") return "PDF"
  return /^(audio|video)\//.test(type) && !isTextInDisguise(type) ? "audio or video" : undefined
}

/** The family of a detected type, or the type itself where it belongs to none. */
const found = (type: string): string => {
  if (type.startsWith("image/")) return "image"
  if (/^(audio|video)\/|^application\/(ogg|vnd\.ms-asf|mxf|x-matroska)/.test(type)) return "audio or video"
  return type === "application/pdf" ? "PDF" : type
}

/** Scripts and markup have no magic number; these beginnings make a browser or a shell run them. */
const scriptStart = /^(?:\uFEFF|\s)*(?:<(?:!doctype|html|head|body|script|iframe|svg|\?xml|\?php)\b|#!\s*\/)/i

/**
 * Whether the first bytes contradict the declared type: an executable, a page or an archive called `image/png`.
 *
 * Whatever cannot be determined is let through.
 *
 * @returns a sentence for the sender, or undefined
 */
export const findContentMismatch = async (declared: string, sample: Uint8Array): Promise<string | undefined> => {
  const family = promised(parseMediaType(declared) ?? "")
  if (family === undefined) return undefined
  const detected = await fileTypeFromBuffer(sample).catch(() => undefined)
  const script =
    detected === undefined && scriptStart.test(new TextDecoder().decode(sample.subarray(0, 256)))
      ? "a script or a page"
      : undefined
  const actual = detected === undefined ? script : found(detected.mime)
  return actual === undefined || actual === family
    ? undefined
    : `The file is declared as ${declared}, but its first bytes are those of ${script ?? detected?.mime}.`
}
