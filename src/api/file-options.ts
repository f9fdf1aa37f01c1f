import type { DurationInput } from "../protocol/duration.ts"
import type { CallOptions } from "./call-ingest.ts"
import type { KeyOptions } from "./file-reference.ts"

/** What else happens when files are claimed, in the same step. */
/** Keys that are claimed; by the slugs of their file routes where these are several. */
export type ClaimedKeys = string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>>

export interface ClaimOptions extends CallOptions {
  /** Keys of files that are deleted with the claim: the avatar that the new one replaces. */
  readonly replaces?: string | ReadonlyArray<string> | undefined
  /** Whose all of these files must be, so that a page cannot name the files of somebody else. */
  readonly owner?: string | undefined
  /**
   * Through which file route all of the claimed files must have come, so that a page cannot name a file of the user's that another
   * route took: a larger one, of another type, or one that waits for a verdict. What they replace may be of any.
   */
  readonly slug?: string | undefined
}

/** How files are rejected. */
export interface RejectOptions extends CallOptions {
  /** Why, for the app's `onUploadError` and for whoever sent the file; 1 to 500 characters. */
  readonly reason?: string | undefined
}

/** What is changed about files. */
export interface UpdateOptions extends KeyOptions {
  /** How long they are kept from now on, `"30 days"` or seconds; null: for ever. */
  readonly expiresIn: DurationInput | null
}

/** A file, by its key, and where it is filed from now on; null takes its path away. */
export interface FileMove {
  readonly key: string
  readonly path: string | null
}
