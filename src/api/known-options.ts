import type { FileSelection } from "../protocol/rest-messages.ts"
import type { StreamFileOptions } from "../transfer/file-from-stream.ts"
import type { DescribeOptions } from "./describe-files.ts"
import type { ClaimOptions, RejectOptions, UpdateOptions } from "./file-options.ts"
import type { ListFilesOptions } from "./file-listing.ts"
import type { PrefixUrlOptions } from "./prefix-url.ts"
import type { ReadUrlOptions } from "./read-url.ts"
import type { ServerUploadOptions } from "./server-upload-options.ts"
import { detailFields, type PathInput, type UploadDetails } from "./upload-source.ts"

/** Includes own properties of file-like objects that a File inherits: Node gives some of its Blobs a `constructor`. */
export const fileFields = [
  ...detailFields,
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
export const pathFields = [...detailFields, "path", "name", "type"] as const satisfies ReadonlyArray<keyof PathInput>
export const streamFields = [
  ...detailFields,
  "stream",
  "size",
  "name",
  "type",
  "lastModified",
] as const satisfies ReadonlyArray<keyof (StreamFileOptions & UploadDetails)>
/** Options of the API's methods. */
export const callOptions = ["signal"] as const
export const ownerOptions = [...callOptions, "owner"] as const
export const describeOptions = [...ownerOptions, "expiresIn"] as const satisfies ReadonlyArray<keyof DescribeOptions>
export const keyOptions = [...ownerOptions, "keyType"] as const
export const readUrlOptions = [...keyOptions, "expiresIn", "download", "held"] as const satisfies ReadonlyArray<
  keyof ReadUrlOptions
>
/** Of a URL that is signed without a request. */
export const signOptions = ["keyType", "expiresIn", "download", "held"] as const satisfies ReadonlyArray<
  keyof ReadUrlOptions
>
export const prefixUrlOptions = ["owner", "expiresIn"] as const satisfies ReadonlyArray<keyof PrefixUrlOptions>
export const listOptions = [
  ...callOptions,
  "limit",
  "cursor",
  "offset",
  "status",
  "owner",
  "prefix",
  "folders",
] as const satisfies ReadonlyArray<keyof ListFilesOptions>
export const selectionFields = ["owner", "prefix"] as const satisfies ReadonlyArray<keyof FileSelection>
export const claimOptions = [...callOptions, "replaces", "owner", "slug"] as const satisfies ReadonlyArray<
  keyof ClaimOptions
>
export const rejectOptions = [...callOptions, "reason"] as const satisfies ReadonlyArray<keyof RejectOptions>
export const updateOptions = [...keyOptions, "expiresIn"] as const satisfies ReadonlyArray<keyof UpdateOptions>
export const uploadOptions = [
  ...callOptions,
  "acl",
  "cache",
  "contentDisposition",
  "labels",
  "concurrency",
  "onUploadProgress",
  "retry",
  "expiresIn",
] as const satisfies ReadonlyArray<keyof ServerUploadOptions>
