export { encodeAppId } from "./protocol/app-id.ts"
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
} from "./protocol/file-route.ts"
export type { Json } from "./protocol/json.ts"
export { encodeJsonLine, heartbeatLine, readJsonLines } from "./protocol/json-lines.ts"
export { createFileKey, djb2, isKeyOf, shuffle } from "./protocol/key.ts"
export type { LogFormat, LogLevel } from "./protocol/log-level.ts"
export { limits } from "./protocol/limits.ts"
export type { FileCategory, MediaType } from "./protocol/media-type.ts"
export {
  defaultMediaType,
  fileCategories,
  isOfMediaType,
  lookupMediaType,
  normalizeMediaType,
  parseMediaType,
} from "./protocol/media-type.ts"
export type * from "./protocol/messages.ts"
export type { WireNames } from "./protocol/names.ts"
export { envName, names, wireNames } from "./protocol/names.ts"
export type { Outcome, Refusal } from "./protocol/outcome.ts"
export { parseProblem } from "./protocol/parse-problem.ts"
export type { FileLabels } from "./protocol/file-labels.ts"
export type { FileLabelsInput } from "./protocol/read-labels.ts"
export { readLabels } from "./protocol/read-labels.ts"
export type { ProblemCode, ProblemDocument, ProblemRow } from "./protocol/problem.ts"
export { isProblemCode, problemMediaType, problems, toProblemDocument } from "./protocol/problem.ts"
export type { ByteRange } from "./protocol/range.ts"
export { formatUploadRange, parseByteRange, parseUploadRange } from "./protocol/range.ts"
export type * from "./protocol/rest-messages.ts"
export { fileStatuses } from "./protocol/rest-messages.ts"
export type { FileLimits, FileLimitsInput, RouteConfig, RouteConfigInput } from "./protocol/route-config.ts"
export type { SealContext, Sealer } from "./protocol/seal.ts"
export { createSealer } from "./protocol/seal.ts"
export type { MaybePromise, Signer } from "./protocol/signature.ts"
export { createSigner, signPayload, verifySignature } from "./protocol/signature.ts"
export type { Acl, CacheRule, ContentDisposition, UploadGrant } from "./protocol/signed-url.ts"
export { parseUploadUrl, signUploadUrl, signUrl, verifySignedUrl, verifyUploadUrl } from "./protocol/signed-url.ts"
export { standardWebhookHeaders } from "./protocol/standard-webhooks.ts"
export type { Token } from "./protocol/token.ts"
export { encodeToken, parseToken, resolveIngestUrl } from "./protocol/token.ts"
export type { TraceContext } from "./protocol/trace-context.ts"
export { createTraceparent, parseTraceContext } from "./protocol/trace-context.ts"
export type { UploadErrorOptions } from "./protocol/upload-error.ts"
export { UploadError } from "./protocol/upload-error.ts"
