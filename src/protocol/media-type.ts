/** The groups of media types a route can allow by one word; `blob` is everything. */
export type FileCategory = "image" | "video" | "audio" | "pdf" | "text" | "blob"

export const fileCategories: ReadonlyArray<FileCategory> = ["image", "video", "audio", "pdf", "text", "blob"]

/** An exact media type, `application/zip`. */
export type MediaType = `${string}/${string}`

/** What a file is when nothing is known of it. */
export const defaultMediaType = "application/octet-stream"

/** The media type without parameters, in lower case; undefined when it is none. */
export const parseMediaType = (text: string): string | undefined => {
  const semicolon = text.indexOf(";")
  const type = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase()
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(type) ? type : undefined
}

/** Whether a media type (as {@link parseMediaType} gives it) is of a category or equal to an exact type. */
export const isOfMediaType = (type: string, allowed: FileCategory | MediaType): boolean =>
  allowed === "blob" ||
  type === allowed ||
  (allowed === "pdf" ? type === "application/pdf" : !allowed.includes("/") && type.startsWith(`${allowed}/`))

const exactness = (kind: string): number => (kind.includes("/") ? 0 : kind === "blob" ? 2 : 1)

/** Orders kinds of files: exact media types before categories before `blob`. The first that fits a file counts. */
export const compareKinds = (a: FileCategory | MediaType, b: FileCategory | MediaType): number =>
  exactness(a) - exactness(b)

/**
 * The media type of a file by its name's extension, else `application/octet-stream`.
 *
 * The table (the `mime` package, 11 kB gzip) is loaded at the first call: browsers nearly always send a type.
 */
export const lookupMediaType = async (fileName: string): Promise<string> => {
  const { default: mime } = await import("mime")
  const dot = fileName.lastIndexOf(".")
  // `mime` takes a name without a dot for an extension: a file called "html" is no page.
  return (dot > 0 ? mime.getType(fileName.slice(dot + 1)) : null) ?? defaultMediaType
}
