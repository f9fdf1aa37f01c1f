/** The groups of media types a route can allow by one word; `blob` is everything. */
export type FileCategory = "image" | "video" | "audio" | "pdf" | "text" | "blob"

/** All groups, in the order in which they are listed to users. */
export const fileCategories: ReadonlyArray<FileCategory> = ["image", "video", "audio", "pdf", "text", "blob"]

/** An exact media type, `application/zip`. */
export type MediaType = `${string}/${string}`

/** The type of a file about which nothing is known. */
export const defaultMediaType = "application/octet-stream"

/**
 * A media type and its parameters. The comma, which separates types in a list, is only allowed in `codecs`: browsers'
 * recorders call their files `video/webm;codecs=vp8,opus`. There is only one way through the expression, so a match
 * takes linear time.
 *
 * Source: RFC 9110 §8.3.1, RFC 6838 §4.2, RFC 6381 §3.
 */
const grammar =
  /^[\t ]*([\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127})[\t ]*((?:;[\t ]*(?:(?:codecs=(?:[\w.,+-]+|"[ !#-[\]-~]*")|(?!codecs=)[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[ !#-+\--[\]-~]*"))[\t ]*)?)*)$/i

/** In each of these a byte below 128 is that character of ASCII, so text stays text. That is not true of UTF-7 or ISO-2022. */
const charsets = /;[\t ]*charset="?(utf-8|us-ascii|iso-8859-\d\d?|windows-125\d)"?[\t ]*(?:;|$)/i

/** The media type without parameters, in lower case; undefined when it is invalid, or has invalid parameters. */
export const parseMediaType = (text: string): string | undefined => grammar.exec(text)?.[1]!.toLowerCase()

/**
 * The part of a media type that is signed, stored and sent: the type and a known charset, `text/plain;charset=utf-8`,
 * in lower case; undefined where {@link parseMediaType} is.
 */
export const normalizeMediaType = (text: string): string | undefined => {
  const [, type, parameters] = grammar.exec(text) ?? []
  if (type === undefined) return undefined
  const charset = charsets.exec(parameters!)?.[1]
  return (charset === undefined ? type : `${type};charset=${charset}`).toLowerCase()
}

/**
 * Whether a text is neither a media type nor a single word. Some phones say `image`, which is as good as nothing: the
 * type is then looked up by the file's name.
 */
export const isBrokenMediaType = (text: string): boolean => parseMediaType(text) === undefined && /[^\w-]/.test(text)

/** Whether a media type (as {@link parseMediaType} gives it) is of a category or equal to an exact type. */
export const isOfMediaType = (type: string, allowed: FileCategory | MediaType): boolean =>
  allowed === "blob" ||
  type === allowed ||
  (allowed === "pdf" ? type === "application/pdf" : !allowed.includes("/") && type.startsWith(`${allowed}/`))

/** Whether a file of this kind may have no bytes: an empty picture, film, recording or PDF is invalid. */
export const canBeEmpty = (kind: FileCategory | MediaType): boolean =>
  !/^(?:image|video|audio|(?:application\/)?pdf$)/.test(kind)

const exactness = (kind: string): number => (kind.includes("/") ? 0 : kind === "blob" ? 2 : 1)

/** Orders kinds of files: exact media types before categories before `blob`. The first one that matches a file applies. */
export const compareKinds = (a: FileCategory | MediaType, b: FileCategory | MediaType): number =>
  exactness(a) - exactness(b)

/**
 * The media type for a file name's extension, otherwise `application/octet-stream`.
 *
 * The table (the `mime` package, 11 kB gzip) is loaded at the first call: browsers nearly always send a type.
 */
export const lookupMediaType = async (fileName: string): Promise<string> => {
  const { default: mime } = await import("mime")
  const dot = fileName.lastIndexOf(".")
  // `mime` treats a name without a dot as an extension, but a file called "html" is not a page.
  return (dot > 0 ? mime.getType(fileName.slice(dot + 1)) : null) ?? defaultMediaType
}
