import type { AttemptRecord, DueDelivery, ResultRecord } from "./records.ts"

/** Where events are claimed from: all callbacks over HTTP, or one development stream. */
export type DeliveryChannel = { readonly appId: string; readonly callbackSlug: string } | "callback"

/** Knows which events apps are owed, who is sending them, and how that ended. Each method is one transaction. */
export interface CatalogDeliveries {
  /**
   * Deliveries that are due. Each has its attempt begun and claimed for the caller, and a failure that its app
   * reported earlier is deleted. Apps come in order of waiting, the longest first, and each app's deliveries oldest
   * first. The cost grows with the number of apps that have something pending and of deliveries that are claimed, not
   * with what waits for an app without room.
   */
  readonly claimDue: (claim: {
    readonly channel: DeliveryChannel
    readonly now: number
    readonly claimedUntil: number
    readonly limit: number
    /** How many callbacks of an app may be claimed, called for each app that has some due; unlimited by default. */
    readonly roomOf?: ((appId: string) => number) | undefined
    /** Events in flight on a stream, which are not to be claimed. */
    readonly except?: ReadonlySet<string>
  }) => Promise<ReadonlyArray<DueDelivery>>
  /**
   * Ends an attempt, and keeps the result that it brought, as {@link CatalogUploads.recordResult} does. An attempt that
   * is not the newest one of a pending delivery only changes the record; data that it brought is kept, an error is not.
   *
   * @returns whether the result is the file's now
   */
  readonly recordAttempt: (attempt: AttemptRecord & { readonly result?: ResultRecord | undefined }) => Promise<boolean>
  /** When the next callback over HTTP falls due after `now`; null when none will. What is already due does not count. */
  readonly nextDueAt: (now: number) => Promise<number | null>
  /** How many deliveries are in a state that needs watching. Each is counted only up to `limit`, to keep it cheap. */
  readonly countDeliveries: (limit: number) => Promise<{ readonly pending: number; readonly dead: number }>
  /**
   * Makes an event due now, whatever its state, restarts its schedule of retries, and deletes what its app said of a
   * failed attempt. False when there is no such event, when an attempt is in progress, and for an event of a
   * development stream whose file has lost its key. With a callback URL, the event and those of the other files of its
   * registration go there from now on; where the result is false their destination stays.
   */
  readonly redeliver: (redelivery: {
    readonly id: string
    readonly now: number
    readonly callbackUrl?: string | undefined
  }) => Promise<boolean>
  /** Ends all claims. For the only ingest of a catalog that is not shared, when it opens. */
  readonly releaseClaims: (now: number) => Promise<void>
}
