import { toBytes } from "../../protocol/byte-size.ts"
import { canBeEmpty, compareKinds, isOfMediaType, parseMediaType } from "../../protocol/files/media-type.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { type AcceptedKind, listKinds } from "./accepted-files.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** Finds the kind of a route that a file belongs to; undefined for no kind, or where the browser does not know the type. */
export const createFindKind = (config: RouteConfig): ((file: Pick<File, "type">) => AcceptedKind | undefined) => {
  const kinds = listKinds(config).toSorted((a, b) => compareKinds(a.kind, b.kind))
  return (file) => {
    const type = parseMediaType(file.type)
    return type === undefined ? undefined : kinds.find(({ kind }) => isOfMediaType(type, kind))
  }
}

/** The same for a stored file: one without a known type belongs to the only kind there is. */
export const createFindStoredKind = (config: RouteConfig): ReturnType<typeof createFindKind> => {
  const findKind = createFindKind(config)
  const [only, ...others] = listKinds(config)
  return (file) => findKind(file) ?? (others.length === 0 ? only : undefined)
}

/**
 * Finds the files that a route will refuse, before anything is sent. A file whose type the browser does not know is
 * left to the server, which looks at its name.
 *
 * @param others files that are already chosen and count
 * @returns the error of each file, undefined for one that may be sent
 */
export const checkFiles = (
  files: ReadonlyArray<File>,
  others: ReadonlyArray<Pick<File, "type">>,
  config: RouteConfig,
  texts: UploadTexts,
): ReadonlyArray<UploadError | undefined> => {
  const findKind = createFindKind(config)
  const findStoredKind = createFindStoredKind(config)
  const counts = new Map<AcceptedKind["kind"], number>()
  const count = ({ kind }: AcceptedKind): number => {
    const next = (counts.get(kind) ?? 0) + 1
    counts.set(kind, next)
    return next
  }
  for (const file of others) {
    const kind = findStoredKind(file)
    if (kind !== undefined) count(kind)
  }
  return files.map((file) => {
    const kind = findKind(file)
    if (kind === undefined) {
      return parseMediaType(file.type) === undefined
        ? undefined
        : new UploadError({ code: "FILE_TYPE_NOT_ALLOWED", message: texts.typeNotAllowed(config) })
    }
    if (file.size === 0 && !canBeEmpty(kind.kind)) {
      return new UploadError({ code: "FILE_TYPE_NOT_ALLOWED", message: texts.empty() })
    }
    const most = toBytes(kind.maxFileSize)
    if (file.size > most) {
      return new UploadError({ code: "FILE_TOO_LARGE", message: texts.tooLarge(file.size, most) })
    }
    return count(kind) > kind.maxFileCount
      ? new UploadError({ code: "TOO_MANY_FILES", message: texts.tooMany(kind) })
      : undefined
  })
}
