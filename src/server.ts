export type { FileDescriptor, StoredFile } from "./protocol/messages.ts"
export type { UploadErrorOptions } from "./protocol/upload-error.ts"
export { UploadError } from "./protocol/upload-error.ts"
export type { Adapter, DefinedAdapter } from "./route/define-adapter.ts"
export { defineAdapter } from "./route/define-adapter.ts"
export type { FetchNative } from "./route/fetch-adapter.ts"
export { createRouteHandler, createSluice } from "./route/fetch-adapter.ts"
export type {
  FileDecision,
  FileRoute,
  FileRouter,
  RouteBuilder,
  RouteOptions,
  SluiceOptions,
} from "./route/file-route.ts"
export type { RouteHandlerOptions } from "./route/handler.ts"
