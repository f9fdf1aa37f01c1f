import { accept, type Outcome, refuse } from "./errors/outcome.ts"

type ByteUnit = "B" | "KB" | "MB" | "GB" | "TB"

/** A number of bytes as people write it, in binary units: `"4MB"` = 4 × 1024². */
export type ByteSize = `${number}${ByteUnit}`

/** From bytes upwards, each 1,024 of the one before. */
export const byteUnits: ReadonlyArray<ByteUnit> = ["B", "KB", "MB", "GB", "TB"]

/**
 * Bytes of a size: `"1.5MB"` → 1,572,864. Case and spaces before the unit do not matter; fractions round down.
 *
 * Fails: as a value, code INVALID_CONFIG.
 */
export const parseByteSize = (size: string | number): Outcome<number> => {
  if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) return accept(size)
  const match = /^(\d{1,15}(?:\.\d{1,15})?)\s*(B|KB|MB|GB|TB)$/i.exec(String(size).trim())
  const bytes = match && Math.floor(Number(match[1]) * 1024 ** byteUnits.indexOf(match[2]!.toUpperCase() as ByteUnit))
  return bytes !== null && Number.isSafeInteger(bytes)
    ? accept(bytes)
    : refuse(
        "INVALID_CONFIG",
        `${JSON.stringify(size)?.slice(0, 100)} is not a size. Write bytes or e.g. "512KB", "4MB", "1.5GB".`,
      )
}

/** A size that {@link parseByteSize} accepts, in the form that route handlers write: ` 4 mb` → `4MB`. */
export const normalizeByteSize = (size: ByteSize): ByteSize => size.replaceAll(/\s/g, "").toUpperCase() as ByteSize

/** The bytes of a size that a route handler has written. */
export const toBytes = (size: ByteSize): number =>
  Math.floor(parseFloat(size) * 1024 ** byteUnits.indexOf(size.replace(/^[\d.]+/, "") as ByteUnit))

/** Bytes for people, at most one decimal: 1,572,864 → `"1.5MB"`. */
export const formatByteSize = (bytes: number): string => {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024
    unit++
  }
  const rounded = Math.round(value * 10) / 10
  return rounded >= 1024 && unit < byteUnits.length - 1 ? `1${byteUnits[unit + 1]}` : `${rounded}${byteUnits[unit]}`
}
