import { limits } from "../../protocol/limits.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import type { FileRecord, Tombstone } from "./catalog/records.ts"

/** Until when a URL of a file's upload may be valid: the one last seen, and those that renew it. */
export const findUrlsEnd = ({
  expires,
  createdAt,
  resumedAt,
}: Pick<FileRecord, "expires" | "createdAt" | "resumedAt">): number =>
  Math.max(expires, (resumedAt ?? createdAt) + limits.uploadLifetime)

/** How far the clocks of app and ingest may differ, ms; the same as for callbacks. */
export const clockSkew = limits.callbackTolerance

/** How long after its URL was issued the registration of an upload may still be on its way, ms. */
const registrationDelay = 60_000

/** Whether an upload may begin, or resume, under a key whose file may have been deleted. */
export type KeyVerdict =
  | "open"
  /** It is what was deleted, or may be. */
  | "deleted"
  /** As long as its registration has not come nobody can tell. */
  | "unregistered"

/**
 * Judges a grant by what remains of a deletion. The app's clock is trusted only where it makes a URL older than the
 * deletion: the deletion also removed what was registered for the key, so anything expected now was registered since.
 *
 * Source: docs/protocol.md §10; docs/decisions/061.
 */
export const judgeKey = (
  tombstone: Tombstone | null,
  grant: UploadGrant,
  now: number,
  since: {
    /** The file that holds the key. */
    readonly file: Pick<FileRecord, "appId" | "status" | "registrationId" | "issuedAt"> | undefined
    /** Whether the app has registered the upload, and it has not ended. */
    readonly isExpected: () => boolean
  },
): KeyVerdict => {
  if (tombstone === null || tombstone.until <= now) return "open"
  const { appId, slug, seal, issuedAt, registrationId = null } = grant
  if (issuedAt === undefined || issuedAt <= tombstone.deletedAt) return "deleted"
  const { file, isExpected } = since
  const isOf = file?.appId === appId && file.registrationId === registrationId && file.issuedAt === issuedAt
  // It began after the deletion: the previous file is being deleted.
  if (isOf && file.status !== "Deleting") return "open"
  // What its URL says of its registration says nothing of when that was made.
  if (slug === undefined || seal !== undefined) return issuedAt > tombstone.deletedAt + clockSkew ? "open" : "deleted"
  if (isExpected()) return "open"
  return now < issuedAt + registrationDelay ? "unregistered" : "deleted"
}

/**
 * What a deletion leaves behind of a file; null where no URL of its upload can be valid any more.
 *
 * @param urlsEnd until when a URL for its key may be valid, where that is later than what the file says
 * @param isExpected whether an upload of its key is registered and has not ended
 */
export const buryFile = (
  file: Pick<FileRecord, "expires" | "createdAt" | "resumedAt" | "issuedAt">,
  { urlsEnd, isExpected, now }: { readonly urlsEnd: number; readonly isExpected: boolean; readonly now: number },
): Tombstone | null => {
  const until = Math.max(findUrlsEnd(file), urlsEnd, isExpected ? now + limits.uploadLifetime : 0)
  return until > now ? { deletedAt: Math.max(now, file.issuedAt ?? 0), until } : null
}

/** How other transitions of a catalog use its tombstones, each inside its own transaction. */
export interface TombstoneSteps {
  /** Why a grant may not begin, if it may not. The tombstone of a deleted file then lasts as long as the URL of the grant. */
  readonly findRefusal: (grant: UploadGrant, now: number) => Exclude<KeyVerdict, "open"> | undefined
  /** Keeps uploads of a key from beginning; an existing tombstone lasts until the later end of both. */
  readonly bury: (appId: string, key: string, tombstone: Tombstone, hadFile: boolean) => void
}
