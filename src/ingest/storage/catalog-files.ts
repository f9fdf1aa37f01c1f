import type { FileReference } from "../../protocol/rest-messages.ts"
import type { Acl } from "../../protocol/signed-url.ts"
import type { CatalogBounds } from "./catalog-records.ts"

/** A change to one file of an app. A custom id means all files that have it. */
export interface FileChange {
  readonly file: FileReference
  /** Its new name. */
  readonly name?: string | undefined
  /** Who may read it from now on. */
  readonly acl?: Acl | undefined
}

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
   * file gets one as well, and its registration is deleted: its upload must not come later.
   *
   * @returns the keys of the files that existed, without those already being deleted; `tooMany` when more keys without
   *              a file were given than `bounds` allow, and nothing changed
   */
  readonly deleteFiles: (deletion: {
    readonly appId: string
    readonly files: ReadonlyArray<FileReference>
    readonly now: number
    readonly bounds?: Pick<CatalogBounds, "expectedFiles"> | undefined
    /** See {@link Catalog}. Nothing of another app is deleted. */
    readonly appSince?: number | undefined
  }) => Promise<ReadonlyArray<string> | "tooMany">
  /** Changes files that are `Uploaded`, in order. Returns how many changes found a file. */
  readonly changeFiles: (change: {
    readonly appId: string
    readonly changes: ReadonlyArray<FileChange>
  }) => Promise<number>
}
