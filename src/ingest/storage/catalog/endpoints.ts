import type { FileEventType } from "../../../protocol/files/file-events.ts"
import type { FileStatus } from "../../../protocol/rest-messages.ts"
import type { AttemptRecord, DeliveryStatus, FileFailure } from "./records.ts"

/** One secret of an endpoint. */
export interface EndpointSecret {
  /** Its public name: `createSecretId` of the secret. */
  readonly id: string
  /** `whsec_…`; null once it is revoked, when it is no longer needed. */
  readonly secret: string | null
  /** ms since the epoch. */
  readonly createdAt: number
  /** ms since the epoch; null while it is active. */
  readonly revokedAt: number | null
}

/** An address that hears of what becomes of an app's files. */
export interface EndpointRecord {
  /** `ep_…` */
  readonly id: string
  readonly appId: string
  readonly url: string
  /** What it hears of. */
  readonly events: ReadonlyArray<FileEventType>
  /** ms since the epoch. */
  readonly createdAt: number
  /** Active and revoked ones, the newest first. */
  readonly secrets: ReadonlyArray<EndpointSecret>
}

/** A file as it was when something became of it: it may be gone when its event is sent. */
export interface EventFile {
  readonly key: string
  readonly name: string
  readonly size: number
  readonly type: string
  readonly customId: string | null
  readonly slug: string | null
  readonly owner: string | null
  readonly path: string | null
  readonly origin: string
  /** The state that it was in from then on. */
  readonly status: FileStatus
  readonly fileHash: string | null
  readonly uploadedAt: number | null
  readonly removeAt: number | null
  readonly claimBy: number | null
  readonly failure: FileFailure | null
}

/** Something that an endpoint is owed, or has been told. */
export interface EndpointEvent {
  /** Grows with every event; never reused. */
  readonly number: number
  /** `evt_…` */
  readonly id: string
  readonly endpointId: string
  /** `test` is what an operator sends to try the endpoint. */
  readonly type: FileEventType | "test"
  /** When it happened, ms since the epoch. */
  readonly at: number
  /** Null for a test. */
  readonly file: EventFile | null
  readonly status: DeliveryStatus
  /** Attempts that have begun. */
  readonly attempts: number
  /** Attempts that ended without success, and all attempts before it was last redelivered. */
  readonly failures: number
  /** When the next attempt of a pending one is due, or until when the current one is claimed. */
  readonly nextAt: number
}

/** An event to send now: it is claimed, so that no other process sends it before the claim ends. */
export interface DueEvent extends Pick<EndpointEvent, "id" | "type" | "at" | "file"> {
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Which retry of its schedule this attempt is; 0 for the first one, also after a redelivery. */
  readonly retry: number
  readonly endpoint: EndpointRecord
}

/** How many endpoints an app may have. */
export const mostEndpoints = 16

/** How many secrets of an endpoint may be active: the one in use, and the one that replaces it. */
export const mostActiveSecrets = 2

/**
 * Knows the endpoints of apps, and what each of them is owed.
 *
 * An event is written in the transaction of what it tells of, once for each endpoint of the app that hears of it. An
 * endpoint hears of nothing that became of a file before it was made, and of a file whose route calls the app back of
 * nothing before its app has registered it. Each file that an endpoint has heard of as `uploaded` or `held` ends with
 * exactly one of `rejected`, `expired` and `deleted`.
 */
export interface CatalogEndpoints {
  /** All of them, the oldest first. */
  readonly listEndpoints: () => Promise<ReadonlyArray<EndpointRecord>>
  /** `tooMany`: its app has {@link mostEndpoints}. The app need not be in the catalog. */
  readonly createEndpoint: (
    endpoint: Pick<EndpointRecord, "id" | "appId" | "url" | "events" | "createdAt"> & { readonly secret: string },
  ) => Promise<"created" | "tooMany">
  /** Changes what is given. What the endpoint is owed by then goes to the new address as well. False when there is none. */
  readonly changeEndpoint: (id: string, changes: Partial<Pick<EndpointRecord, "url" | "events">>) => Promise<boolean>
  /** Nothing more is sent to it; what it was owed is forgotten. False when there is none. */
  readonly deleteEndpoint: (id: string) => Promise<boolean>
  /** `tooMany`: two are active. */
  readonly addSecret: (added: {
    readonly endpointId: string
    readonly secret: string
    readonly now: number
  }) => Promise<"added" | "unknownEndpoint" | "tooMany">
  /** Ends a secret, and deletes it. False when the endpoint has no such active one, or no other. */
  readonly revokeSecret: (revoked: {
    readonly endpointId: string
    readonly id: string
    readonly now: number
  }) => Promise<boolean>
  /** An event that says nothing, due now. False when there is no such endpoint. */
  readonly addTestEvent: (event: {
    readonly id: string
    readonly endpointId: string
    readonly now: number
  }) => Promise<boolean>
  /**
   * Events that are due. Each has its attempt begun and claimed for the caller. Endpoints come in order of waiting, the
   * longest first, and each endpoint's events in the order in which they fell due. The cost grows with the number of
   * endpoints that have something pending and of events that are claimed, not with what waits for one without room.
   */
  readonly claimEvents: (claim: {
    readonly now: number
    readonly claimedUntil: number
    readonly limit: number
    /** How many events of an endpoint may be claimed, called for each that has some due. */
    readonly roomOf: (endpointId: string) => number
  }) => Promise<ReadonlyArray<DueEvent>>
  /** Ends an attempt. One that is not the newest of a pending event only changes the record, and is false. */
  readonly recordEventAttempt: (attempt: AttemptRecord) => Promise<boolean>
  /** Ends all claims. For the only ingest of a catalog that is not shared, when it opens. */
  readonly releaseEventClaims: (now: number) => Promise<void>
  /**
   * Deletes at most `limit` events of each kind: those that have ended and happened before `before`, and those of
   * endpoints that were deleted. Returns how many.
   */
  readonly pruneEvents: (prune: { readonly before: number; readonly limit: number }) => Promise<number>
  /** When the next event falls due after `now`; null when none will. What is already due does not count. */
  readonly nextEventAt: (now: number) => Promise<number | null>
  /** Makes an event due now, whatever its state. False when there is none, and while an attempt is in progress. */
  readonly redeliverEvent: (redelivery: { readonly id: string; readonly now: number }) => Promise<boolean>
  /** How many events are in a state that needs watching. Each is counted only up to `limit`, to keep it cheap. */
  readonly countEvents: (limit: number) => Promise<{ readonly pending: number; readonly dead: number }>
  /** Events, newest first. */
  readonly listEvents: (page: {
    readonly endpointId?: string | undefined
    readonly status?: DeliveryStatus | undefined
    /** Only events whose `number` is smaller. */
    readonly before?: number | undefined
    readonly limit: number
  }) => Promise<ReadonlyArray<EndpointEvent>>
  readonly findEvent: (id: string) => Promise<EndpointEvent | null>
}
