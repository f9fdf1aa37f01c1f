/** What a client may know of a file route: types only, nothing of it exists at run time. */
export interface FileRouteTypes {
  /** What the client has to send as `input`; `undefined` where the route takes none. */
  readonly input: unknown
  /** What `onUploadComplete` returns, after its trip through JSON; `null` where there is nothing to await. */
  readonly serverData: unknown
  /** What the route's error formatter puts into a problem's `data`. */
  readonly errorData: unknown
}

/** The side of a file route that the client sees. */
export interface TypedFileRoute<Types extends FileRouteTypes = FileRouteTypes> {
  readonly "~types": Types
}

/** The client's view of a file router: slug → route. */
export interface TypedFileRouter {
  readonly [slug: string]: TypedFileRoute<any>
}

/** The `input` a route wants. */
export type RouteInput<Route extends TypedFileRoute<any>> = Route["~types"]["input"]

/** The `serverData` a route answers. */
export type RouteServerData<Route extends TypedFileRoute<any>> = Route["~types"]["serverData"]

/** The `data` in errors of a route. */
export type RouteErrorData<Route extends TypedFileRoute<any>> = Route["~types"]["errorData"]
