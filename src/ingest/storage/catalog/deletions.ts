import type { FileSelection } from "../../../protocol/rest-messages.ts"
import type { CatalogBounds } from "./records.ts"

/** A deletion of many files of an app, by what it says of them. */
export interface DeletionRecord {
  /** Grows with every deletion. */
  readonly id: number
  /** Only this owner's files; null: anybody's. */
  readonly owner: string | null
  /** Only files whose path begins with it; null: all. */
  readonly prefix: string | null
  readonly askedAt: number
  /** When the last file was marked; null: some are left. */
  readonly doneAt: number | null
  readonly deletedCount: number
}

/** What {@link CatalogDeletions.deleteMatching} decided. */
export type DeletedMatching =
  | {
      readonly kind: "deleted"
      readonly deletion: DeletionRecord
      /** The files that this call has marked. */
      readonly keys: ReadonlyArray<string>
    }
  /** Too many deletions of the app are not done, or remembered; nothing changed. */
  | { readonly kind: "tooMany" }
  /** The app was deleted since it was asked for; nothing changed. */
  | { readonly kind: "unknownApp" }

/**
 * Deletions of any number of files.
 *
 * Which files are meant is settled once, in constant time: all that fit then. From then on every method of the catalog
 * treats them as `Deleting`, whether or not their rows say so by now; only usage and deliveries follow with the rows. The
 * rows are changed step by step, as {@link CatalogFiles.deleteFiles} does it, so that no transaction is long. A file whose path
 * is changed later is not meant.
 */
export interface CatalogDeletions {
  /** Begins a deletion, and marks at most `limit` of its files. A catalog may mark all of them at once. */
  readonly deleteMatching: (deletion: {
    readonly appId: string
    readonly selection: FileSelection
    readonly now: number
    readonly limit: number
    /** A deletion that is remembered counts as a key without a file. */
    readonly bounds?: Pick<CatalogBounds, "expectedFiles"> | undefined
    /** See {@link Catalog}. */
    readonly appSince?: number | undefined
  }) => Promise<DeletedMatching>
  /** Marks at most `limit` files more, of the oldest deletion that is not done. `isDone`: none is left. */
  readonly continueDeletions: (step: {
    readonly now: number
    readonly limit: number
  }) => Promise<{ readonly keys: ReadonlyArray<string>; readonly isDone: boolean }>
  /** Those of an app that are not done, and those that were asked for lately, newest first. */
  readonly listDeletions: (appId: string, limit: number) => Promise<ReadonlyArray<DeletionRecord>>
  /** Forgets deletions that are done, and were asked for before a moment, at most `limit`. Returns how many. */
  readonly forgetDeletions: (forget: { readonly before: number; readonly limit: number }) => Promise<number>
}
