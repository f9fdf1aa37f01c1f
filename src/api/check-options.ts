import type { StreamFileOptions } from "../client/file-from-stream.ts"
import { findUnknownOption } from "../protocol/unknown-option.ts"
import { UploadError } from "../protocol/upload-error.ts"
import type { ListFilesOptions } from "./file-listing.ts"
import type { RemoteFile } from "./from-url/from-url-options.ts"
import type { PathInput } from "./path-source.ts"
import type { ReadUrlOptions } from "./read-url.ts"
import type { ServerUploadOptions } from "./server-upload-options.ts"
import type { SluiceFileOptions } from "./sluice-file.ts"
import type { UploadDetails } from "./upload-source.ts"

const details = ["customId", "contentDisposition", "acl"] as const satisfies ReadonlyArray<keyof UploadDetails>

/** What files are described by, beside a File and its like. */
export const sluiceFileFields = [...details, "type", "lastModified"] as const satisfies ReadonlyArray<
  keyof SluiceFileOptions
>
/** Also what file-like objects have as their own that a File inherits: Node gives some of its Blobs a `constructor`. */
export const fileFields = [
  ...details,
  "name",
  "size",
  "type",
  "lastModified",
  "webkitRelativePath",
  "slice",
  "stream",
  "arrayBuffer",
  "bytes",
  "text",
  "constructor",
] as const satisfies ReadonlyArray<keyof (File & UploadDetails) | "constructor">
export const pathFields = [...details, "path", "name", "type"] as const satisfies ReadonlyArray<keyof PathInput>
export const streamFields = [
  ...details,
  "stream",
  "size",
  "name",
  "type",
  "lastModified",
] as const satisfies ReadonlyArray<keyof (StreamFileOptions & UploadDetails)>
export const remoteFields = [...details, "url", "name", "type", "headers"] as const satisfies ReadonlyArray<
  keyof RemoteFile
>

/** What the methods of the API can be told. */
export const callOptions = ["signal"] as const
export const keyOptions = [...callOptions, "keyType"] as const
export const readUrlOptions = [...keyOptions, "expiresIn"] as const satisfies ReadonlyArray<keyof ReadUrlOptions>
export const listOptions = [...callOptions, "limit", "cursor", "offset", "status"] as const satisfies ReadonlyArray<
  keyof ListFilesOptions
>
export const uploadOptions = [
  ...callOptions,
  "acl",
  "contentDisposition",
  "concurrency",
  "onUploadProgress",
  "retry",
  "expiresIn",
] as const satisfies ReadonlyArray<keyof ServerUploadOptions>

/**
 * Takes no option that nobody would read: whoever wrote it believes that it is obeyed, and of an ACL that is a file
 * which everybody can read.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG, that names the option and what may have been meant.
 */
export const checkOptions = (what: string, options: object | undefined, known: ReadonlyArray<string>): void => {
  const mistake = options && findUnknownOption(options, known)
  if (mistake !== undefined) throw new UploadError({ code: "INVALID_CONFIG", message: `${what}: ${mistake}` })
}

/**
 * The same for how a file is described. An object of any other class has whatever its class gives it.
 *
 * @param classes whose own instances have nothing of their own but what their maker wrote
 */
export const checkDescription = (
  file: object,
  known: ReadonlyArray<string>,
  classes: ReadonlyArray<{ readonly prototype: object }> = [Object],
): void => {
  const prototype: unknown = Object.getPrototypeOf(file)
  if (classes.some((one) => one.prototype === prototype)) checkOptions("A file to upload", file, known)
}
