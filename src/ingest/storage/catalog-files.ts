import type { FileReference } from "../../protocol/rest-messages.ts"
import type { Acl } from "../../protocol/signed-url.ts"
import type { CatalogBounds } from "./catalog-records.ts"

/** A change to one file of an app. A custom id means all files that have it. */
export interface FileChange {
  readonly file: FileReference
  /** What it is called from now on. */
  readonly name?: string | undefined
  /** Who may read it from now on. */
  readonly acl?: Acl | undefined
}

/**
 * What an app does to its files by its own hand. A file of another app is as one that does not exist.
 *
 * Each method finds its files through an index: what it costs grows with the files it is given, not with those there are.
 */
export interface CatalogFiles {
  /**
   * `→ Deleting`, whatever the state, and fences a writer off; their events are forgotten, so that none is sent any more.
   * While a URL of a deleted upload may be valid a tombstone keeps it from beginning again. A key without a file gets
   * one as well, and what it was registered with is forgotten: its upload must not come later.
   *
   * @returns the keys of the files there were, one that is being deleted already is not among them; `tooMany` when
   *          more keys without a file were given than `bounds` allow, nothing changed then
   */
  readonly deleteFiles: (deletion: {
    readonly appId: string
    readonly files: ReadonlyArray<FileReference>
    readonly now: number
    readonly bounds?: Pick<CatalogBounds, "expectedFiles"> | undefined
    /** See {@link Catalog}; nothing is deleted for another one. */
    readonly appSince?: number | undefined
  }) => Promise<ReadonlyArray<string> | "tooMany">
  /** Changes files that are `Uploaded`, in order. Gives how many changes found a file. */
  readonly changeFiles: (change: {
    readonly appId: string
    readonly changes: ReadonlyArray<FileChange>
  }) => Promise<number>
}
