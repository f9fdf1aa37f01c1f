import { type ByteSize, formatByteSize, normalizeByteSize, parseByteSize } from "../../protocol/byte-size.ts"
import {
  compareKinds,
  type FileCategory,
  fileCategories,
  isOfMediaType,
  type MediaType,
  parseMediaType,
} from "../../protocol/files/media-type.ts"
import type { FileLimits, FileLimitsInput, RouteConfig, RouteConfigInput } from "../../protocol/files/route-config.ts"
import type { CacheRule, ContentDisposition } from "../../protocol/signing/signed-url.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { kindOptions, refuseUnknown } from "../known-options.ts"
import { toTypeNoun } from "../type-nouns.ts"

type FileKind = FileCategory | MediaType

/** The limits of one kind of file, ready to be compared. */
export interface KindLimits {
  readonly kind: FileKind
  /** Bytes. */
  readonly maxBytes: number
  readonly limits: FileLimits
  /** Set only where the route says it: otherwise it is not signed, and the ingest decides by the file's type. */
  readonly contentDisposition: ContentDisposition | undefined
  /** The same. */
  readonly cache: CacheRule | undefined
}

/** A route's configuration, checked and expanded once. */
export interface CompiledConfig {
  /** The answer to GET. */
  readonly config: RouteConfig
  /** From the most specific kind to `blob`: the first one that matches a file applies. */
  readonly kinds: ReadonlyArray<KindLimits>
}

const defaultSizes: Record<FileCategory, ByteSize> = {
  image: "4MB",
  video: "16MB",
  audio: "8MB",
  pdf: "4MB",
  text: "64KB",
  blob: "8MB",
}

const isCategory = (kind: string): kind is FileCategory => (fileCategories as ReadonlyArray<string>).includes(kind)

const invalid = (message: string) => new UploadError({ code: "INVALID_CONFIG", message })

const checkCount = (kind: string, name: string, count: number, minimum: number): number => {
  if (Number.isSafeInteger(count) && count >= minimum) return count
  throw invalid(`${kind}.${name} must be a whole number of at least ${minimum}, not ${count}.`)
}

const checkNoun = (kind: FileKind, noun: string): string => {
  if (typeof noun === "string" && /^[^\p{C}]{1,40}$/u.test(noun) && noun.trim() !== "") return noun
  throw invalid(`${kind}.noun must be what people call one such file, in at most 40 characters.`)
}

/** Bytes as a size that parses back to exactly the same number. */
const toByteSize = (bytes: number): ByteSize => {
  const size = formatByteSize(bytes) as ByteSize
  const parsed = parseByteSize(size)
  return parsed.ok && parsed.value === bytes ? size : `${bytes}B`
}

const compileKind = (kind: FileKind, input: FileLimitsInput): KindLimits => {
  if (!isCategory(kind) && parseMediaType(kind) !== kind) {
    throw invalid(
      `${JSON.stringify(kind)} is not a kind of file. Use ${fileCategories.join(", ")} or a media type such as "application/zip".`,
    )
  }
  refuseUnknown(kind, input, kindOptions)
  const size = input.maxFileSize ?? (isCategory(kind) ? defaultSizes[kind] : defaultSizes.blob)
  const bytes = parseByteSize(size)
  if (!bytes.ok) throw invalid(`${kind}.maxFileSize: ${bytes.detail}`)
  const maxFileCount = checkCount(kind, "maxFileCount", input.maxFileCount ?? 1, 1)
  const minFileCount = checkCount(kind, "minFileCount", input.minFileCount ?? 1, 1)
  if (minFileCount > maxFileCount) {
    throw invalid(`${kind}.minFileCount (${minFileCount}) is more than maxFileCount (${maxFileCount}).`)
  }
  const noun = input.noun ?? (isCategory(kind) ? undefined : toTypeNoun(kind))
  return {
    kind,
    maxBytes: bytes.value,
    contentDisposition: input.contentDisposition,
    cache: input.cache,
    limits: {
      maxFileSize: typeof size === "number" ? toByteSize(size) : normalizeByteSize(size),
      maxFileCount,
      minFileCount,
      contentDisposition: input.contentDisposition ?? "inline",
      ...(input.acl === undefined ? undefined : { acl: input.acl }),
      ...(noun === undefined ? undefined : { noun: checkNoun(kind, noun) }),
    },
  }
}

/**
 * Checks and expands the configuration that a route was written with.
 *
 * Fails: throws an `UploadError` with code INVALID_CONFIG that names the field.
 */
export const compileConfig = (input: RouteConfigInput): CompiledConfig => {
  const entries: ReadonlyArray<readonly [string, FileLimitsInput | undefined]> = Array.isArray(input)
    ? (input as ReadonlyArray<FileKind>).map((kind) => [kind, {}] as const)
    : Object.entries(input)
  if (entries.length === 0)
    throw invalid(`A route must take some kind of file: ${fileCategories.join(", ")} or a media type.`)
  const kinds = entries.map(([kind, limits]) => compileKind(kind as FileKind, limits ?? {}))
  return {
    config: Object.fromEntries(kinds.map(({ kind, limits }) => [kind, limits])),
    kinds: kinds.toSorted((a, b) => compareKinds(a.kind, b.kind)),
  }
}

/** The kind of a route that a media type belongs to. */
export const findKind = (config: CompiledConfig, type: string): KindLimits | undefined =>
  config.kinds.find(({ kind }) => isOfMediaType(type, kind))
