import type { TypedFileRouter, UntypedFileRouter } from "../../protocol/files/file-route.ts"
import type { RouteDescription } from "../../protocol/messages.ts"
import type { UploaderOptions } from "../../client/generate-uploader.ts"
import { learnRouteConfig, type RouteSeeds } from "./route-configs.ts"
import { createFirstTexts } from "../texts/first-texts.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { UploadHome } from "./upload-component-options.ts"

/** Options shared by all components of a router. */
export interface UploadSetupOptions extends UploaderOptions {
  /** Replaces some or all of the components' texts. */
  readonly texts?: Partial<UploadTexts> | undefined
  /**
   * The result of `extractRouteConfig(router)` on the server, so that components need not request it. See also
   * `seedRouteConfig`.
   */
  readonly routes?: ReadonlyArray<RouteDescription> | undefined
  /** `createUploads()`: all components hand their files over to it. */
  readonly uploads?: UploadHome | undefined
}

declare const router: unique symbol

/** How components reach their router, and their texts. */
export interface UploadSetup<Router extends TypedFileRouter> {
  /** Only a type. */
  readonly [router]?: Router
  readonly options: UploadSetupOptions
  readonly texts: UploadTexts
  /** For one component, by its binding: what `RouteConfigSeed` says in its tree. */
  readonly seeds?: RouteSeeds | undefined
  /**
   * For one component, by its binding: whether this is a server, or the page takes over what a server has rendered. Until
   * it is connected it then shows what the server knew, and nothing that the page has learnt since.
   */
  readonly isServed?: boolean | undefined
}

/** Makes once what all components of a router share. */
export const createUploadSetup = <Router extends TypedFileRouter = UntypedFileRouter>(
  options: UploadSetupOptions = {},
): UploadSetup<Router> => {
  if (options.routes) learnRouteConfig(options.routes, options.url)
  return { options, texts: createFirstTexts(options.texts) }
}
