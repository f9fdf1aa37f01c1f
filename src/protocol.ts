export { encodeAppId } from "./protocol/signing/app-id.ts"
export type { ByteSize } from "./protocol/byte-size.ts"
export { formatByteSize, parseByteSize } from "./protocol/byte-size.ts"
export type { DurationInput } from "./protocol/duration.ts"
export { parseDuration } from "./protocol/duration.ts"
export type {
  FileRouteTypes,
  RouteErrorData,
  RouteInput,
  RouteServerData,
  TypedFileRoute,
  TypedFileRouter,
} from "./protocol/files/file-route.ts"
export type { Json } from "./protocol/json.ts"
export { encodeJsonLine, heartbeatLine, readJsonLines } from "./protocol/json-lines.ts"
export { createFileKey, djb2, isKeyOf, shuffle } from "./protocol/files/key.ts"
export type { LogFormat, LogLevel } from "./protocol/log-level.ts"
export { limits } from "./protocol/limits.ts"
export type { FileCategory, MediaType } from "./protocol/files/media-type.ts"
export {
  defaultMediaType,
  fileCategories,
  isOfMediaType,
  lookupMediaType,
  normalizeMediaType,
  parseMediaType,
} from "./protocol/files/media-type.ts"
export type * from "./protocol/messages.ts"
export type { WireNames } from "./protocol/names.ts"
export { envName, names, wireNames } from "./protocol/names.ts"
export type { Outcome, Refusal } from "./protocol/errors/outcome.ts"
export { parseProblem } from "./protocol/errors/parse-problem.ts"
export type { FileLabels } from "./protocol/files/file-labels.ts"
export type { FileLabelsInput } from "./protocol/files/read-labels.ts"
export { readLabels } from "./protocol/files/read-labels.ts"
export type { ProblemCode, ProblemDocument, ProblemRow } from "./protocol/errors/problem.ts"
export { isProblemCode, problemMediaType, problems, toProblemDocument } from "./protocol/errors/problem.ts"
export type { ByteRange } from "./protocol/files/range.ts"
export { formatUploadRange, parseByteRange, parseUploadRange } from "./protocol/files/range.ts"
export type * from "./protocol/rest-messages.ts"
export { fileStatuses } from "./protocol/rest-messages.ts"
export type { FileLimits, FileLimitsInput, RouteConfig, RouteConfigInput } from "./protocol/files/route-config.ts"
export type { SealContext, Sealer } from "./protocol/signing/seal.ts"
export { createSealer } from "./protocol/signing/seal.ts"
export type { MaybePromise, Signer } from "./protocol/signing/signature.ts"
export { createSigner, signPayload, verifySignature } from "./protocol/signing/signature.ts"
export type { Acl, CacheRule, ContentDisposition, UploadGrant } from "./protocol/signing/signed-url.ts"
export {
  parseUploadUrl,
  signUploadUrl,
  signUrl,
  verifySignedUrl,
  verifyUploadUrl,
} from "./protocol/signing/signed-url.ts"
export { standardWebhookHeaders } from "./protocol/signing/standard-webhooks.ts"
export type { Token } from "./protocol/signing/token.ts"
export { encodeToken, parseToken, resolveIngestUrl } from "./protocol/signing/token.ts"
export type { TraceContext } from "./protocol/trace-context.ts"
export { createTraceparent, parseTraceContext } from "./protocol/trace-context.ts"
export type { UploadErrorOptions } from "./protocol/errors/upload-error.ts"
export { UploadError } from "./protocol/errors/upload-error.ts"
