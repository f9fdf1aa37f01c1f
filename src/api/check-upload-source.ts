import { findCustomIdMistake, findNameMistake } from "../protocol/files/file-name.ts"
import { isBrokenMediaType } from "../protocol/files/media-type.ts"
import { acls, cacheRules, contentDispositions } from "../protocol/signing/signed-url.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadDetails, UploadSource } from "./upload-source.ts"

/** As much of a text as is needed to find the file. */
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

const isOneOf = (value: unknown, allowed: ReadonlyArray<string>): boolean =>
  value === undefined || allowed.includes(value as string)

/**
 * Checks a file against the limits of the protocol before anything of it is sent.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, that names the file.
 */
export const checkUploadSource = (source: UploadSource, defaults: UploadDetails): void => {
  const { name, size, type, customId } = source
  const refuse = (expected: string, given: string) => {
    throw new UploadError({ code: "BAD_REQUEST", message: `${quote(name)}: expected ${expected}, not ${given}.` })
  }
  if (typeof name !== "string") {
    throw new UploadError({ code: "BAD_REQUEST", message: `Expected a file name, not ${typeof name}.` })
  }
  const nameMistake = findNameMistake(name)
  if (nameMistake !== undefined) refuse(nameMistake, quote(name))
  if (!Number.isSafeInteger(size) || size < 0) refuse("a size in whole bytes", String(size))
  if (type !== undefined && typeof type !== "string") refuse("a media type that is a string", typeof type)
  if (type && isBrokenMediaType(type)) refuse("a media type such as text/plain", quote(type))
  if (customId !== undefined) {
    const mistake = typeof customId === "string" ? findCustomIdMistake(customId) : "a custom id that is a string"
    if (mistake !== undefined) refuse(mistake, typeof customId === "string" ? quote(customId) : typeof customId)
  }
  const acl = source.acl ?? defaults.acl
  if (!isOneOf(acl, acls)) refuse("the acl public-read or private", quote(String(acl)))
  const cache = source.cache ?? defaults.cache
  if (!isOneOf(cache, cacheRules)) refuse("the cache revalidate or immutable", quote(String(cache)))
  const disposition = source.contentDisposition ?? defaults.contentDisposition
  if (!isOneOf(disposition, contentDispositions)) {
    refuse("the contentDisposition inline or attachment", quote(String(disposition)))
  }
}
