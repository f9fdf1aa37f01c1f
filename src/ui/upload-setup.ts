import type { TypedFileRouter } from "../protocol/file-route.ts"
import type { RouteDescription } from "../protocol/messages.ts"
import { generateUploader, type Uploader, type UploaderOptions } from "../client/generate-uploader.ts"
import { seedRouteConfig } from "./route-configs.ts"
import { createUploadTexts, type UploadTexts } from "./upload-texts.ts"

/** What all components of a router share. */
export interface UploadSetupOptions extends UploaderOptions {
  /** Replaces some or all of what the components say. */
  readonly texts?: Partial<UploadTexts> | undefined
  /** What `extractRouteConfig(router)` gave on the server, so that components need not ask. See also `seedRouteConfig`. */
  readonly routes?: ReadonlyArray<RouteDescription> | undefined
}

/** An uploader, and how its components speak. */
export interface UploadSetup<Router extends TypedFileRouter> {
  readonly uploader: Uploader<Router>
  readonly options: UploadSetupOptions
  readonly texts: UploadTexts
}

/** Makes once what all components of a router share. */
export const createUploadSetup = <Router extends TypedFileRouter>(
  options: UploadSetupOptions = {},
): UploadSetup<Router> => {
  if (options.routes) seedRouteConfig(options.routes, options.url)
  return { uploader: generateUploader<Router>(options), options, texts: createUploadTexts(options.texts) }
}
