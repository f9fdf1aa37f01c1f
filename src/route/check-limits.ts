import * as Effect from "effect/Effect"
import { Rejected } from "../server-kit/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { canBeEmpty, isBrokenMediaType, lookupMediaType, parseMediaType } from "../protocol/files/media-type.ts"
import type { FileDescriptor } from "../protocol/messages.ts"
import type { NamedRoute } from "./app.ts"
import { findKind, type KindLimits } from "./builder/route-config.ts"

/** A file that the route takes, with its final media type and its limits. */
export interface AllowedFile {
  readonly file: FileDescriptor
  readonly kind: KindLimits
}

const quote = (text: string) => JSON.stringify(text)

/** The type of the name's extension, where the client named no media type. Fails: BAD_REQUEST (it named something else). */
const lookUpType = ({ name, type }: FileDescriptor): Effect.Effect<string, Rejected> =>
  isBrokenMediaType(type)
    ? Effect.fail(new Rejected({ code: "BAD_REQUEST", detail: `${quote(name)}: ${quote(type)} is not a media type.` }))
    : Effect.promise(() => lookupMediaType(name))

const checkFile = (route: NamedRoute, file: FileDescriptor): AllowedFile | Rejected => {
  const { config } = route.definition
  const kind = findKind(config, file.type)
  if (kind === undefined) {
    return new Rejected({
      code: "FILE_TYPE_NOT_ALLOWED",
      detail: `${quote(file.name)} is of type ${file.type}; route ${quote(route.slug)} takes ${Object.keys(config.config).join(", ")}.`,
    })
  }
  if (file.size === 0 && !canBeEmpty(kind.kind)) {
    return new Rejected({
      code: "FILE_TYPE_NOT_ALLOWED",
      detail: `${quote(file.name)} is empty (0 bytes), so it is not a valid ${kind.kind} file. Choose another one.`,
    })
  }
  if (file.size > kind.maxBytes) {
    return new Rejected({
      code: "FILE_TOO_LARGE",
      detail: `${quote(file.name)} has ${formatByteSize(file.size)} (${file.size} bytes); route ${quote(route.slug)} takes at most ${kind.limits.maxFileSize} per ${kind.kind} file.`,
    })
  }
  return { file, kind }
}

const checkCounts = (route: NamedRoute, files: ReadonlyArray<AllowedFile>): Rejected | undefined => {
  for (const kind of route.definition.config.kinds) {
    const { maxFileCount, minFileCount } = kind.limits
    const count = files.reduce((sum, file) => (file.kind === kind ? sum + 1 : sum), 0)
    const noun = count === 1 ? "file" : "files"
    const tell = (bound: string) => `${count} ${kind.kind} ${noun} chosen; route ${quote(route.slug)} takes ${bound}.`
    if (count > maxFileCount) return new Rejected({ code: "TOO_MANY_FILES", detail: tell(`at most ${maxFileCount}`) })
    if (count > 0 && count < minFileCount) {
      return new Rejected({ code: "TOO_FEW_FILES", detail: tell(`at least ${minFileCount}`) })
    }
  }
  return undefined
}

/**
 * Checks the files against the route's limits: type, size, count. Cheap, and done before any user code.
 *
 * Fails:  `Rejected`, codes BAD_REQUEST (an invalid type), FILE_TYPE_NOT_ALLOWED, FILE_TOO_LARGE, TOO_MANY_FILES,
 *         TOO_FEW_FILES.
 * Source: docs/protocol.md §5.
 */
export const checkLimits = Effect.fnUntraced(function* (route: NamedRoute, files: ReadonlyArray<FileDescriptor>) {
  const allowed: Array<AllowedFile> = []
  for (const file of files) {
    const type = parseMediaType(file.type) ?? (yield* lookUpType(file))
    const verdict = checkFile(route, { ...file, type })
    if (verdict instanceof Rejected) return yield* verdict
    allowed.push(verdict)
  }
  const rejected = checkCounts(route, allowed)
  if (rejected !== undefined) return yield* rejected
  return allowed
})
