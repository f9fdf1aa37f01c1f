/** What a server sends to tell one version of a file from another. */
export interface FileVersion {
  readonly etag: string | null
  readonly lastModified: string | null
  /** The value for `If-Range`: a strong ETag, or a date that serves as one (RFC 9110 §8.8.2.2); undefined where there is none. */
  readonly proof: string | undefined
}

/** Reads the version from an answer's headers. */
export const readFileVersion = (headers: Headers): FileVersion => {
  const etag = headers.get("etag")
  const lastModified = headers.get("last-modified")
  const age = Date.parse(headers.get("date") ?? "") - Date.parse(lastModified ?? "")
  const date = age >= 1000 ? (lastModified ?? undefined) : undefined
  return { etag, lastModified, proof: etag?.startsWith('"') ? etag : date }
}

const differ = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b

/** Whether nothing shows that two answers are of different versions. */
export const mayBeSameVersion = (a: FileVersion, b: FileVersion): boolean =>
  !differ(a.etag, b.etag) && !differ(a.lastModified, b.lastModified)

/** Whether two answers are of the same version for certain. */
export const isSameVersion = (a: FileVersion, b: FileVersion): boolean =>
  a.proof !== undefined && a.proof === b.proof && mayBeSameVersion(a, b)
