import type { DurationInput } from "../protocol/duration.ts"
import type { ListedFile } from "../protocol/rest-messages.ts"
import type { ApiSettings } from "./api-settings.ts"
import { type OwnerOptions, toKeys, toList } from "./file-reference.ts"
import { createReadUrl, isFileKey, toReadUrl } from "./read-url.ts"

/** A stored file as upload components list it: their `initialFiles` are such. */
export interface DescribedFile {
  readonly key: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Media type. */
  readonly type: string
  /** Reads the file, where browsers show it as a picture. */
  readonly previewUrl?: string
  /** Whether it is still being checked (`Held`): nobody can read it yet. */
  readonly isHeld?: boolean
}

/** Options of `describeFiles`. */
export interface DescribeOptions extends OwnerOptions {
  /** How long the URLs of pictures that are private are valid, `"2 hours"` or seconds; by default an hour, at most 7 days. */
  readonly expiresIn?: DurationInput | undefined
}

/** Pictures that `<img>` shows in every browser. Of others a page would load all bytes for nothing. */
const pictures = /^image\/(a?png|p?jpe?g|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/

/** Whether it is a Set, an iterator or a promise of keys, but no list. */
const isManyOrLater = (keys: unknown): boolean =>
  typeof keys === "object" && keys !== null && !Array.isArray(keys) && (Symbol.iterator in keys || "then" in keys)

/**
 * What may be asked for at all: keys of the app, each once, in their order. A form that comes back may hold
 * anything.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, for several keys that are no list.
 */
export const toPlausibleKeys = (settings: ApiSettings, keys: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  // No form sends these: its author believes that they are keys.
  const isMistake = typeof keys === "function" || typeof keys === "symbol" || isManyOrLater(keys)
  return [...new Set(isMistake ? toKeys("describeFiles", keys) : toList(keys))].filter(
    (key) => typeof key === "string" && isFileKey(settings, key),
  )
}

/** A file for a component; undefined where there is no file, or not yet. */
export const describeFile = async (
  settings: ApiSettings,
  { key, name, size, type, status, acl }: ListedFile,
  expiresIn: DurationInput | undefined,
): Promise<DescribedFile | undefined> => {
  const file = { key, name, size, type }
  if (status === "Held") return { ...file, isHeld: true }
  if (status !== "Uploaded" && status !== "Pending") return undefined
  if (!pictures.test(type)) return file
  // Caches keep what has one URL; until it is claimed a file is read by signed ones alone.
  const isPublic = acl === "public-read" && status === "Uploaded"
  const previewUrl = isPublic
    ? toReadUrl(settings, key, "fileKey")
    : await createReadUrl(settings, key, { expiresIn, keyType: "fileKey" })
  return { ...file, previewUrl }
}
