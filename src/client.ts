export type {
  RouteErrorData,
  RouteInput,
  RouteServerData,
  TypedFileRoute,
  TypedFileRouter,
  UntypedFileRouter,
} from "./protocol/files/file-route.ts"
export type { Json } from "./protocol/json.ts"
export type { ProblemCode } from "./protocol/errors/problem.ts"
export type { UploadErrorOptions } from "./protocol/errors/upload-error.ts"
export { UploadError } from "./protocol/errors/upload-error.ts"
export type { FileFromPath, PathFileOptions } from "./transfer/no-file-system.ts"
export { fileFromPath } from "./transfer/no-file-system.ts"
export type { StreamFileOptions } from "./transfer/file-from-stream.ts"
export { fileFromStream } from "./transfer/file-from-stream.ts"
export type { UriFileOptions } from "./transfer/file-from-uri.ts"
export { fileFromUri } from "./transfer/file-from-uri.ts"
export type { Uploader, UploaderOptions } from "./client/generate-uploader.ts"
export { generateUploader } from "./client/generate-uploader.ts"
export type { UploadProgress } from "./client/progress.ts"
export type { Fetch } from "./transfer/reply.ts"
export type { UploadHeaders } from "./client/request-urls.ts"
export type { RetryOptions } from "./transfer/retry.ts"
export type { Upload } from "./client/upload.ts"
export type { UploadEvent } from "./client/upload-event.ts"
export type { BaseUploadOptions, InputOption, UploadOptions } from "./client/upload-options.ts"
export type { DoneUpload, RouteUploadError, UnfinishedUpload, UploadOutcome } from "./client/upload-outcome.ts"
export type * from "./client/resume/resume-store.ts"
export type { UploadableFile, UploadBody } from "./transfer/uploadable-file.ts"
