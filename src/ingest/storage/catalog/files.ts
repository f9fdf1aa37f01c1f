import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { Acl } from "../../../protocol/signing/signed-url.ts"
import type { CatalogBounds } from "./records.ts"

/** A change to one file of an app. A custom id means all files that have it. */
export interface FileChange {
  readonly file: FileReference
  /** Its new name. */
  readonly name?: string | undefined
  /** Who may read it from now on. */
  readonly acl?: Acl | undefined
  /** Its new path; null: it has none any more. */
  readonly path?: string | null | undefined
  /** When it expires, ms since the epoch and later than now; null: never. */
  readonly removeAt?: number | null | undefined
}

/** What {@link CatalogFiles.claimFiles} decided. */
export type Claimed =
  /** All are claimed; `replaced` are the keys of the files that were deleted. */
  | { readonly kind: "claimed"; readonly replaced: ReadonlyArray<string> }
  /** Keys without a file that could be claimed; nothing changed. */
  | { readonly kind: "missing"; readonly keys: ReadonlyArray<string> }
  /** The app was deleted since it was asked for; nothing changed. */
  | { readonly kind: "unknownApp" }

/**
 * What an app does with its files through the REST API. A file of another app is treated as one that does not exist.
 *
 * Each method finds its files through an index: the cost grows with the files that it is given, not with those that
 * exist.
 */
export interface CatalogFiles {
  /**
   * `→ Deleting`, whatever the state, and fences off a writer; their events are deleted, so that none is sent any
   * more. While a URL of a deleted upload may be valid, a tombstone keeps it from beginning again. A key without a
   * file, or whose file is being deleted already, gets one as well, and what is registered for it is deleted: its upload
   * must not come later.
   *
   * @returns the keys of the files that existed, without those already being deleted; `tooMany` when more keys without
   *              a file were given than `bounds` allow, and nothing changed
   */
  readonly deleteFiles: (deletion: {
    readonly appId: string
    readonly files: ReadonlyArray<FileReference>
    readonly now: number
    /** Whose these files must be: others, and keys without a file, are treated as those of another app. By default anybody's. */
    readonly owner?: string | undefined
    /** Files at most: where it returns as many keys, the same call finds the others. By default all. */
    readonly limit?: number | undefined
    readonly bounds?: Pick<CatalogBounds, "expectedFiles"> | undefined
    /** See {@link Catalog}. Nothing of another app is deleted. */
    readonly appSince?: number | undefined
  }) => Promise<ReadonlyArray<string> | "tooMany">
  /**
   * Changes files that are `Uploaded` and whose time has not passed, in order.
   *
   * @returns how many changes found a file; `tooMany` when they are for more than `mostFiles`, and `overQuota` when the
   *          catalog has no room for their paths, and nothing changed
   */
  readonly changeFiles: (change: {
    readonly appId: string
    readonly changes: ReadonlyArray<FileChange>
    /** Whose these files must be; others are not found. By default anybody's. */
    readonly owner?: string | undefined
    readonly now: number
    /** A custom id means all files that have it, and one transaction changes them all. By default any number. */
    readonly mostFiles?: number | undefined
    /** The app's quota, bytes; by default none. */
    readonly quota?: number | undefined
  }) => Promise<number | "tooMany" | "overQuota">
  /**
   * Files that are `Uploading` or `Uploaded` wait for no claim any more, and the files of `replaces` are deleted, all
   * of it or nothing. A file whose time has passed is missing. Claiming twice is the same as once.
   */
  readonly claimFiles: (claim: {
    readonly appId: string
    readonly keys: ReadonlyArray<string>
    readonly replaces: ReadonlyArray<FileReference>
    /** Whose all of these files must be; files of another owner are missing, and are not replaced. */
    readonly owner?: string | undefined
    /** Through which file route the keys must have come, all of them or each; files of another one, or of none, are missing. */
    readonly slug?: string | ReadonlyMap<string, string> | undefined
    readonly now: number
    /** See {@link Catalog}. */
    readonly appSince?: number | undefined
  }) => Promise<Claimed>
  /**
   * `→ Deleting` of files whose time has passed, as {@link CatalogFiles.deleteFiles} does it, at most `limit`,
   * of those that expire and of those that nobody has claimed the oldest first. Returns their keys.
   */
  readonly deleteOverdue: (sweep: { readonly now: number; readonly limit: number }) => Promise<ReadonlyArray<string>>
  /** When the time of a file passes next, ms since the epoch, past or to come; null: no file has one. */
  readonly findNextDeadline: () => Promise<number | null>
}
