import { limits } from "../../protocol/limits.ts"
import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { FileRecord, Tombstone } from "./catalog-records.ts"

/** Until when a URL of a file's upload may be valid: the one that was last seen, and those it is renewed by. */
export const findUrlsEnd = ({
  expires,
  createdAt,
  resumedAt,
}: Pick<FileRecord, "expires" | "createdAt" | "resumedAt">): number =>
  Math.max(expires, (resumedAt ?? createdAt) + limits.uploadLifetime)

/** How far the clocks of app and ingest may be apart, ms; as for callbacks. */
export const clockSkew = limits.callbackTolerance

/** How long after its URL was issued the registration of an upload may be under way, ms. */
const registrationDelay = 60_000

/** Whether an upload may begin, or go on, under a key whose file may have been deleted. */
export type KeyVerdict =
  | "open"
  /** It is what was deleted, or may be. */
  | "deleted"
  /** As long as its registration has not come nobody can tell. */
  | "unregistered"

/**
 * Judges a grant by what is left of a deletion. Nothing is believed of the app's clock but that a URL it calls older than
 * the deletion is: what was registered for the key was forgotten with it, so what is expected now was registered since.
 *
 * Source: docs/protocol.md §10; docs/decisions/061.
 */
export const judgeKey = (
  tombstone: Tombstone | null,
  grant: UploadGrant,
  now: number,
  since: {
    /** The file that has the key. */
    readonly file: Pick<FileRecord, "appId" | "status" | "registrationId" | "issuedAt"> | undefined
    /** Whether the app has registered the upload, and it has not ended. */
    readonly isExpected: () => boolean
  },
): KeyVerdict => {
  if (tombstone === null || tombstone.until <= now) return "open"
  const { appId, slug, issuedAt, registrationId = null } = grant
  if (issuedAt === undefined || issuedAt <= tombstone.deletedAt) return "deleted"
  const { file, isExpected } = since
  const isOf = file?.appId === appId && file.registrationId === registrationId && file.issuedAt === issuedAt
  // It began since: what was there before is being deleted.
  if (isOf && file.status !== "Deleting") return "open"
  if (slug === undefined) return issuedAt > tombstone.deletedAt + clockSkew ? "open" : "deleted"
  if (isExpected()) return "open"
  return now < issuedAt + registrationDelay ? "unregistered" : "deleted"
}

/**
 * What a deletion leaves behind of a file; null where no URL of its upload can be valid any more.
 *
 * @param urlsEnd until when a URL for its key may be valid, where that is later than what the file says
 * @param isExpected whether an upload of its key was registered that has not ended
 */
export const buryFile = (
  file: Pick<FileRecord, "expires" | "createdAt" | "resumedAt" | "issuedAt">,
  { urlsEnd, isExpected, now }: { readonly urlsEnd: number; readonly isExpected: boolean; readonly now: number },
): Tombstone | null => {
  const until = Math.max(findUrlsEnd(file), urlsEnd, isExpected ? now + limits.uploadLifetime : 0)
  return until > now ? { deletedAt: Math.max(now, file.issuedAt ?? 0), until } : null
}

/** What other transitions of a catalog take from its tombstones, each inside its own transaction. */
export interface TombstoneSteps {
  /** What keeps a grant from beginning. The tombstone of what was deleted then lasts as long as its URL. */
  readonly findRefusal: (grant: UploadGrant, now: number) => Exclude<KeyVerdict, "open"> | undefined
  /** Keeps uploads of a key from beginning; what is buried already stays so until the later end of both. */
  readonly bury: (appId: string, key: string, tombstone: Tombstone, hadFile: boolean) => void
}
