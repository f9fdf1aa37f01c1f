export type { Answer, FetchHandler, Respond } from "./http/answer.ts"
export type { BodyReader, Incoming } from "./http/incoming.ts"
export type { FailedFile, FileDescriptor, OwnLabels, RouteDescription, StoredFile } from "./protocol/messages.ts"
export type { UploadErrorOptions } from "./protocol/errors/upload-error.ts"
export { UploadError } from "./protocol/errors/upload-error.ts"
export { adapterPath } from "./protocol/names.ts"
export type { Adapter, DefinedAdapter } from "./route/define-adapter.ts"
export { defineAdapter } from "./route/define-adapter.ts"
export { extractRouteConfig } from "./route/extract-route-config.ts"
export type { FetchNative } from "./route/fetch-adapter.ts"
export { createRouteHandler, createSluice } from "./route/fetch-adapter.ts"
export type { FileRoute, FileRouter, RouteDefinition, RouteOptions, SluiceOptions } from "./route/builder/file-route.ts"
export type { RouteHandlerOptions } from "./route/handler.ts"
export type {
  RouteBuilder,
  RouteStart,
  RouteWithErrorHandler,
  RouteWithFile,
  RouteWithInput,
  RouteWithMiddleware,
} from "./route/builder/route-steps.ts"
export type {
  Delivery,
  FileArguments,
  FileDecision,
  FileKeySeedArguments,
  MiddlewareArguments,
  RenewedUpload,
  RequestArguments,
  UploadCompleteArguments,
  UploadErrorArguments,
} from "./route/builder/user-code-arguments.ts"
