/** A request with a body of text or of pieces that are in memory already, if it has one. */
export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Pieces are sent as they are, with their length; they must stay unchanged until the answer has come. */
  readonly body?: string | ReadonlyArray<Uint8Array> | undefined
  /** A connection that breaks is the caller's to judge, also one that had been kept: the request may have arrived. */
  readonly isSentOnce?: boolean | undefined
  /** Called while pieces are sent, with each quarter of a MiB that the connection takes. `fetch` cannot say. */
  readonly onProgress?: (() => void) | undefined
  /** Aborts the request, and the reading of its answer. */
  readonly signal: AbortSignal
}

/** An answer whose head has arrived. Its body has to be read, or given up. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /**
   * Hands the pieces of the body to `take`, to the end or until that returns false: then the connection is closed. An
   * answer that was read to its end leaves its connection free for the next request.
   *
   * Fails: rejects where the answer broke off.
   */
  readonly read: (take: (piece: Uint8Array) => boolean) => Promise<void>
  /**
   * The body as a stream, in the place of `read`: of the connection it takes what its reader takes, and no more. It errors
   * where the answer broke off; to cancel it closes the connection.
   */
  readonly stream: () => ReadableStream<Uint8Array>
  /** Closes the connection, unless the end has arrived. */
  readonly giveUp: () => void
}

/**
 * Sends one request and follows no redirect.
 *
 * Fails: rejects with the signal's reason, or with the error of the connection.
 */
export type Send<Answer extends HttpAnswer = HttpAnswer> = (request: HttpRequest) => Promise<Answer>

/** How requests are sent, until it is closed. */
export interface Transport {
  readonly send: Send
  /** Ends the connections that are kept for later requests. */
  readonly close: () => void
}
