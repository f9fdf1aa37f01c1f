import type { Answer } from "../http/answer.ts"
import type { Incoming } from "../http/incoming.ts"
import type { RequestContext, TickOptions, TickReport } from "./upkeep/drive.ts"

/** Answers any request below the ingest's public URL. Never rejects. */
export interface IngestFetch {
  /**
   * @param context where the ingest has no background: its `waitUntil` is given the callbacks that go on after the answer
   */
  (request: Request, context?: RequestContext): Promise<Response>
  /** The way around the classes of the Fetch API, for `toNodeListener`. */
  readonly respond: (request: Incoming, context?: RequestContext) => Promise<Answer>
}

/** The service that stores files and tells apps about them. */
export interface Ingest {
  readonly fetch: IngestFetch
  /**
   * Does what is due, where the ingest has no background: sends callbacks and events, ends what has expired, removes bytes, forgets
   * old history. Call it from a cron. Any number may run at once, in any processes over the same catalog.
   *
   * Fails: rejects with a TypeError where the ingest works by itself, or the budget is no number of ms; as the catalog does.
   */
  readonly tick: (options: TickOptions) => Promise<TickReport>
  /**
   * Prepares to stop: begins no more callbacks, refuses new requests except results of callbacks, ends development
   * streams, and answers clients that wait for an app that is not working on their file, all at once. Then waits until
   * uploads and callbacks in progress have ended by themselves, at most `grace` ms. Keep listening until it is over:
   * apps end their callbacks by a request.
   */
  readonly drain: (grace: number) => Promise<void>
  /**
   * Stops. Uploads in progress are aborted, and what has arrived is kept; callbacks in progress are sent again later.
   * Closes store and catalog at the end.
   *
   * Fails: rejects with the first error of what it closes, once everything else is closed as well.
   */
  readonly close: () => Promise<void>
}
