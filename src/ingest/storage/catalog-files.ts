import type { FileReference } from "../../protocol/rest-messages.ts"
import type { Acl } from "../../protocol/signed-url.ts"

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
   * Gives the keys of those there were; one that is being deleted already is not among them.
   */
  readonly deleteFiles: (deletion: {
    readonly appId: string
    readonly files: ReadonlyArray<FileReference>
    readonly now: number
  }) => Promise<ReadonlyArray<string>>
  /** Changes files that are `Uploaded`, in order. Gives how many changes found a file. */
  readonly changeFiles: (change: {
    readonly appId: string
    readonly changes: ReadonlyArray<FileChange>
  }) => Promise<number>
}
