/** Reads a body piece by piece. The next piece is asked for when the last one has come. */
export interface BodyReader {
  readonly read: () => Promise<
    | { readonly done: false; readonly value: Uint8Array<ArrayBuffer> }
    | { readonly done: true; readonly value?: Uint8Array<ArrayBuffer> | undefined }
  >
  /** Ends the reading: a piece that is waited for is the end. */
  readonly cancel: (reason?: unknown) => Promise<void>
  /** ms in which it was not the client that kept its reader waiting; missing where it always is. */
  readonly waited?: () => number
}

/**
 * What our servers read of a request.
 *
 * A `Request` is one. The bridge to Node makes one that costs a fraction of it: no `Request`, no `Headers`, no stream.
 */
export interface Incoming {
  readonly method: string
  /** The absolute URL. */
  readonly url: string
  /** Asked for by names in small letters. */
  readonly headers: Pick<Headers, "get" | "has">
  readonly body: { readonly locked: boolean; readonly getReader: () => BodyReader } | null
  readonly bodyUsed: boolean
  /** The `Request`, for code that is not ours, the same at each call; missing where this is one. */
  readonly toRequest?: () => Request
}

/** The request as the Web API's class, which code of the app gets. */
export const toWebRequest = (incoming: Incoming): Request => incoming.toRequest?.() ?? (incoming as Request)
