import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { Tombstone } from "./records.ts"
import type { KeyVerdict } from "../tombstone.ts"

/** Knows which files were deleted while a URL of their upload may be valid. {@link CatalogFiles.deleteFiles} makes tombstones. */
export interface CatalogTombstones {
  /** What remains of a deleted file, while URLs of its upload may be valid; null when there is nothing. */
  readonly findTombstone: (appId: string, key: string) => Promise<Tombstone | null>
  /** Whether the upload of a grant may begin or resume, given the deletions that the catalog knows. */
  readonly judgeKey: (grant: UploadGrant, now: number) => Promise<KeyVerdict>
  /** Deletes tombstones that have ended, at most `limit`. Returns how many. */
  readonly forgetTombstones: (forget: { readonly now: number; readonly limit: number }) => Promise<number>
}
