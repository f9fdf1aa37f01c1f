import type { AttemptRecord, DueDelivery } from "./catalog-records.ts"

/** Where events are claimed from: all callbacks over HTTP, or one development stream. */
export type DeliveryChannel = { readonly appId: string; readonly callbackSlug: string } | "callback"

/** Knows which events apps are owed, who is sending them, and what came of it. Each method is one transaction. */
export interface CatalogDeliveries {
  /**
   * Deliveries that are due, with their attempt begun and claimed for the caller, and what the app said of an earlier one
   * that failed forgotten: app by app, the one that has waited
   * longest first, and of each app oldest first. What it costs grows with the apps that have something pending and with
   * what is claimed, not with what an app without room has waiting.
   */
  readonly claimDue: (claim: {
    readonly channel: DeliveryChannel
    readonly now: number
    readonly claimedUntil: number
    readonly limit: number
    /** How many callbacks of an app may be claimed, asked of each app that has some due; any number unless given. */
    readonly roomOf?: ((appId: string) => number) | undefined
    /** Events of a stream in somebody's hands, not to be claimed. */
    readonly except?: ReadonlySet<string>
  }) => Promise<ReadonlyArray<DueDelivery>>
  /** Ends an attempt. An attempt that is not the newest one of a pending delivery changes nothing but the record. */
  readonly recordAttempt: (attempt: AttemptRecord) => Promise<void>
  /** When the next callback over HTTP falls due after `now`; null when none will. What is due already does not count. */
  readonly nextDueAt: (now: number) => Promise<number | null>
  /** How many deliveries are in a state that needs watching; each is counted up to `limit`, so that it costs little. */
  readonly countDeliveries: (limit: number) => Promise<{ readonly pending: number; readonly dead: number }>
  /**
   * Makes an event due now, whatever became of it, starts its schedule of retries again, and forgets what its app said of
   * an attempt that failed. False when there is none, when an attempt is under way, and for an event of a development
   * stream whose file gave its key away. With a callback URL, the event goes there from now on, and so do those of the
   * other files of its registration; where the answer is false they go where they went.
   */
  readonly redeliver: (redelivery: {
    readonly id: string
    readonly now: number
    readonly callbackUrl?: string | undefined
  }) => Promise<boolean>
  /** Ends all claims. For the one ingest of a catalog that is not shared, when it opens. */
  readonly releaseClaims: (now: number) => Promise<void>
}
