import { parseByteSize } from "../protocol/byte-size.ts"
import {
  compareKinds,
  type FileCategory,
  isOfMediaType,
  type MediaType,
  parseMediaType,
} from "../protocol/media-type.ts"
import type { FileLimits, RouteConfig } from "../protocol/route-config.ts"
import { UploadError } from "../protocol/upload-error.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** A kind of file a route takes, and its limits. */
export interface AcceptedKind extends FileLimits {
  readonly kind: FileCategory | MediaType
}

/** The kinds of a route, in the order they were written. */
export const listKinds = (config: RouteConfig): ReadonlyArray<AcceptedKind> =>
  (Object.entries(config) as Array<[AcceptedKind["kind"], FileLimits]>).map(([kind, limits]) => ({ ...limits, kind }))

/** The `accept` attribute of a file input; empty where every file is taken. */
export const toAccept = (config: RouteConfig): string => {
  const kinds = Object.keys(config)
  if (kinds.includes("blob")) return ""
  return kinds.map((kind) => (kind === "pdf" ? "application/pdf" : kind.includes("/") ? kind : `${kind}/*`)).join(",")
}

/** How many files one upload may have. */
export const maxFiles = (config: RouteConfig): number =>
  listKinds(config).reduce((sum, { maxFileCount }) => sum + maxFileCount, 0)

/** Whether one upload may have more than one file; false as long as nothing is known of the route. */
export const takesSeveral = (config: RouteConfig | undefined): boolean => config !== undefined && maxFiles(config) > 1

/**
 * Finds the files a route is going to refuse, before anything is sent. A file whose type the browser does not know
 * is left to the server, which looks at its name.
 *
 * @param others what is chosen already and counts
 * @returns the error of each file, undefined for one that may be sent
 */
export const checkFiles = (
  files: ReadonlyArray<File>,
  others: ReadonlyArray<File>,
  config: RouteConfig,
  texts: UploadTexts,
): ReadonlyArray<UploadError | undefined> => {
  const kinds = listKinds(config).toSorted((a, b) => compareKinds(a.kind, b.kind))
  const findKind = (file: File) => {
    const type = parseMediaType(file.type)
    return type === undefined ? undefined : kinds.find(({ kind }) => isOfMediaType(type, kind))
  }
  const counts = new Map<AcceptedKind, number>()
  const count = (kind: AcceptedKind): number => {
    const next = (counts.get(kind) ?? 0) + 1
    counts.set(kind, next)
    return next
  }
  for (const file of others) {
    const kind = findKind(file)
    if (kind !== undefined) count(kind)
  }
  return files.map((file) => {
    const kind = findKind(file)
    if (kind === undefined) {
      return parseMediaType(file.type) === undefined
        ? undefined
        : new UploadError({ code: "FILE_TYPE_NOT_ALLOWED", message: texts.typeNotAllowed(config) })
    }
    const size = parseByteSize(kind.maxFileSize)
    if (size.ok && file.size > size.value) {
      return new UploadError({ code: "FILE_TOO_LARGE", message: texts.tooLarge(file.size, size.value) })
    }
    return count(kind) > kind.maxFileCount
      ? new UploadError({ code: "TOO_MANY_FILES", message: texts.tooMany(kind) })
      : undefined
  })
}
