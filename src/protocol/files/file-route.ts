/** What a client may know about a file route: only types, none of which exist at run time. */
export interface FileRouteTypes {
  /** What the client has to send as `input`; `undefined` where the route takes none. */
  readonly input: unknown
  /** What `onUploadComplete` returns, as it is after serialization to JSON; `null` where there is nothing to await. */
  readonly serverData: unknown
  /** The `data` of a problem, as the route's error formatter returns it. */
  readonly errorData: unknown
}

/** The client's view of a file route. */
export interface TypedFileRoute<Types extends FileRouteTypes = FileRouteTypes> {
  readonly "~types": Types
}

/** The client's view of a file router: slug → route. */
export interface TypedFileRouter {
  readonly [slug: string]: TypedFileRoute<any>
}

/** The router of whoever gives no type: what its app answers may be anything, and is looked at before it is used. */
export interface UntypedFileRouter {
  readonly [slug: string]: TypedFileRoute<{
    readonly input: any
    readonly serverData: unknown
    readonly errorData: unknown
  }>
}

/** The `input` that a route expects. */
export type RouteInput<Route extends TypedFileRoute<any>> = Route["~types"]["input"]

/** The `serverData` that a route returns. */
export type RouteServerData<Route extends TypedFileRoute<any>> = Route["~types"]["serverData"]

/** The `data` in errors of a route. */
export type RouteErrorData<Route extends TypedFileRoute<any>> = Route["~types"]["errorData"]
