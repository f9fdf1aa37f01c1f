import { beforeEach } from "../cases.ts"
import type { Catalog, CatalogBounds, Committed, DueDelivery, FileFailure, Usage } from "../../ingest.ts"
import { names, type TraceContext, type UploadGrant } from "../../protocol.ts"

const origin = "http://ingest.example"

/** Where the app of {@link driveCatalog} takes callbacks. */
export const callbackUrl = `http://app.example${names.adapterPath}`

/** What {@link driveCatalog} stores of a small file, and why it has an upload fail. */
export const content = Uint8Array.of(1, 2, 3, 4, 5)
export const failure: FileFailure = { code: "CONTENT_MISMATCH", message: "No." }

/** Of an app that has nothing. */
export const noUsage: Usage = {
  files: 0,
  storedBytes: 0,
  announcedBytes: 0,
  catalogBytes: 0,
  expectedFiles: 0,
  expectedBytes: 0,
}

/** A client-side grant of the app `app` for {@link content}; it expires at 10,000 of the catalog's clock. */
export const grantOf = (key: string, grant: Partial<UploadGrant> = {}): UploadGrant => ({
  key,
  appId: "app",
  expires: 10_000,
  name: "a.txt",
  size: content.length,
  type: "text/plain",
  slug: "avatar",
  ...grant,
})

/** The delivery a commit handed to its caller. */
export const dueOf = (committed: Committed): DueDelivery => {
  if (committed.kind !== "committed" || committed.due === null) throw new Error("nothing is due")
  return committed.due
}

/** What a registration says beside its keys. */
export interface DrivenRegistration {
  readonly appId?: string
  readonly id?: string | undefined
  readonly expires?: number
  readonly metadata?: string
  readonly slug?: string
  readonly isDev?: boolean
  readonly trace?: TraceContext
  readonly now?: number
  readonly bounds?: CatalogBounds
  readonly appSince?: number
}

/** Until when {@link Catalog.expire} looks at what; nothing of a kind that is left out expires. */
export interface DrivenExpiry {
  readonly expired?: number
  readonly unregistered?: number
  readonly abandoned?: number
}

/**
 * Short words for what is done to a catalog, with everything a test does not care for filled in: uploads begin at 1000 of
 * the catalog's clock, are registered at 1500 and end at 2000. To be called in a `describe`. Events are `evt_1`,
 * `evt_2`, … in each test.
 *
 * @param holdsClaims whoever commits a file claims its delivery until 60,000; otherwise it is due at once
 */
export const driveCatalog = (catalog: () => Catalog, { holdsClaims = false } = {}) => {
  let events = 0
  beforeEach(() => {
    events = 0
  })
  const createEventId = (): string => `evt_${++events}`
  const notes = (now: number, claimedUntil: number | null = holdsClaims ? 60_000 : null) => ({
    fileHash: "ab".repeat(32),
    now,
    eventId: createEventId(),
    claimedUntil,
  })

  return {
    createEventId,
    /** An upload whose key it takes is told of by an event that is not counted among the others. */
    begin: (key: string, grant: Partial<UploadGrant> = {}, now = 1000, quota?: number) =>
      catalog().begin({ grant: grantOf(key, grant), origin, now, quota, eventId: `evt_${crypto.randomUUID()}` }),
    commitWhole: (key: string, grant: Partial<UploadGrant> = {}, now = 2000, quota?: number) =>
      catalog().commitWhole({ grant: grantOf(key, grant), origin, bytes: content, quota, ...notes(now) }),
    commit: (
      key: string,
      epoch = 1,
      options: { now?: number; claimedUntil?: number | null; blobRef?: string | null } = {},
    ) => {
      const { now = 2000, claimedUntil, blobRef = null } = options
      return catalog().commit({ key, epoch, blobRef, ...notes(now, claimedUntil) })
    },
    fail: (key: string, epoch = 1, options: { failure?: FileFailure; now?: number; eventId?: string } = {}) =>
      catalog().fail({ key, epoch, failure, now: 2000, eventId: options.eventId ?? createEventId(), ...options }),
    register: (fileKeys: ReadonlyArray<string>, options: DrivenRegistration = {}) =>
      catalog().register({
        appId: options.appId ?? "app",
        id: options.id,
        expires: options.expires,
        fileKeys,
        metadata: options.metadata ?? '{"userId":7}',
        callbackUrl,
        callbackSlug: options.slug ?? "avatar",
        awaitServerData: true,
        isDev: options.isDev ?? false,
        trace: options.trace ?? null,
        now: options.now ?? 1500,
        createEventId,
        bounds: options.bounds,
        appSince: options.appSince,
      }),
    claim: (now: number, limit = 10) =>
      catalog().claimDue({ channel: "callback", now, claimedUntil: now + 1000, limit }),
    /** How an attempt to deliver went. */
    end: (delivery: DueDelivery, outcome: "delivered" | "dead" | { readonly retryAt: number }) =>
      catalog().recordAttempt({
        deliveryId: delivery.id,
        attempt: delivery.attempt,
        startedAt: 2000,
        latency: 5,
        status: outcome === "delivered" ? 200 : 500,
        error: outcome === "delivered" ? null : "no",
        answer: "ok",
        outcome,
      }),
    remove: (keys: ReadonlyArray<string>, now = 3000, appId = "app") =>
      catalog().deleteFiles({ appId, files: keys.map((fileKey) => ({ fileKey })), now }),
    expire: ({ expired = 0, unregistered = 0, abandoned = 0 }: DrivenExpiry, limit = 1000) =>
      catalog().expire({
        expiredBefore: expired,
        unregisteredBefore: unregistered,
        abandonedBefore: abandoned,
        limit,
        now: 50_000,
        createEventId,
      }),
    /** Says of all bytes that can go that they are gone. */
    reclaimAll: async (): Promise<void> => {
      for (const file of await catalog().listReclaimable(1000)) await catalog().reclaimed(file)
    },
    fileOf: async (key: string) => (await catalog().get(key))?.file,
  }
}
