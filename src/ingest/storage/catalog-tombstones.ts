import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { Tombstone } from "./catalog-records.ts"
import type { KeyVerdict } from "./tombstone.ts"

/** Knows what was deleted while a URL of its upload may be valid. {@link CatalogFiles.deleteFiles} makes tombstones. */
export interface CatalogTombstones {
  /** What remains of a file that was deleted, while URLs of its upload may be valid; null when there is nothing. */
  readonly findTombstone: (appId: string, key: string) => Promise<Tombstone | null>
  /** Whether the upload of a grant may begin or go on, for all that the catalog knows of deletions. */
  readonly judgeKey: (grant: UploadGrant, now: number) => Promise<KeyVerdict>
  /** Forgets tombstones that have ended, at most `limit`. Gives how many. */
  readonly forgetTombstones: (forget: { readonly now: number; readonly limit: number }) => Promise<number>
}
