import type { RouteInput, RouteServerData, TypedFileRoute, TypedFileRouter } from "../client.ts"
import type { Json, RouteConfigInput, StoredFile } from "../protocol.ts"

/** What a route answers once a file has arrived, or a function that computes it for each file. */
export type MockServerData<Route extends TypedFileRoute<any>> =
  | RouteServerData<Route>
  | ((upload: {
      readonly file: StoredFile
      readonly input: RouteInput<Route>
    }) => RouteServerData<Route> | Promise<RouteServerData<Route>>)

/** One file route without its server: `serverData` is required where `onUploadComplete` returns something. */
export type MockRoute<Route extends TypedFileRoute<any>> = {
  /** Which files the route takes, written as in the route itself. Default: any type, up to 1,000 files of 1 GB each. */
  readonly config?: RouteConfigInput
} & (null extends RouteServerData<Route>
  ? { readonly serverData?: MockServerData<Route> }
  : { readonly serverData: MockServerData<Route> })

/** The routes that a test uses. */
export type MockRoutes<Router extends TypedFileRouter> = { readonly [Slug in keyof Router]?: MockRoute<Router[Slug]> }

/** The router of a mock that was given no type. */
export interface AnyMockRouter {
  readonly [slug: string]: TypedFileRoute<{
    readonly input: any
    readonly serverData: Json
    readonly errorData: Json | undefined
  }>
}
