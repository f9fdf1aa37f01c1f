export type { SluiceApiOptions } from "./api/api-settings.ts"
export type { CallOptions } from "./api/call-ingest.ts"
export type { DescribedFile, DescribeOptions } from "./api/describe-files.ts"
export type { FileListing, ListFilesOptions } from "./api/file-listing.ts"
export type { ClaimedKeys, ClaimOptions, FileMove, RejectOptions, UpdateOptions } from "./api/file-options.ts"
export type { FileRename, KeyOptions, OwnerOptions } from "./api/file-reference.ts"
export type { FileUploadResult } from "./api/file-upload-result.ts"
export type { FromUrlOptions, RemoteFile } from "./api/from-url/from-url-options.ts"
export type { PathInput } from "./api/upload-source.ts"
export type { PrefixUrlOptions } from "./api/prefix-url.ts"
export type { ReadUrlOptions } from "./api/read-url.ts"
export type { ServerUploadOptions } from "./api/server-upload-options.ts"
export { SluiceApi } from "./api/sluice-api.ts"
export type { SluiceFileOptions } from "./api/sluice-file.ts"
export { SluiceFile } from "./api/sluice-file.ts"
export type { UploadInput } from "./api/upload-input.ts"
export type { ServerUploadProgress } from "./api/upload-progress.ts"
export type { UploadDetails } from "./api/upload-source.ts"
export type { StreamFileOptions } from "./transfer/file-from-stream.ts"
export type { RetryOptions } from "./transfer/retry.ts"
export type { UploadableFile, UploadBody } from "./transfer/uploadable-file.ts"
export type { StoredFile } from "./protocol/messages.ts"
export type { ProblemCode } from "./protocol/errors/problem.ts"
export type { FileLabelsInput } from "./protocol/files/read-labels.ts"
export type {
  ClaimedFiles,
  DeletedFiles,
  DeletedSelection,
  Deletion,
  FileError,
  FilePage,
  FileReference,
  FileSelection,
  FileStatus,
  ListedFile,
  MovedFiles,
  RenamedFiles,
  UpdatedAcls,
  UpdatedFiles,
  UsageInfo,
} from "./protocol/rest-messages.ts"
export type { Acl, CacheRule, ContentDisposition } from "./protocol/signing/signed-url.ts"
export type { UploadErrorOptions } from "./protocol/errors/upload-error.ts"
export { UploadError } from "./protocol/errors/upload-error.ts"
export type { AppConfiguration } from "./schema/app-options.ts"
export type { KeyType } from "./schema/server-api-options.ts"
