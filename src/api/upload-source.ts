import type { UploadableFile } from "../transfer/uploadable-file.ts"
import type { Acl, ContentDisposition } from "../protocol/signed-url.ts"

/** What the URL that a file is uploaded to says about it, beside its name, size and type. */
export interface UploadDetails {
  /** The app's own id for the file, by which it can be read, changed and deleted; at most 512 bytes. */
  readonly customId?: string | undefined
  /** How browsers are offered the file; the ingest's default unless given. */
  readonly contentDisposition?: ContentDisposition | undefined
  /** Who may read the file; the app's default unless given. */
  readonly acl?: Acl | undefined
}

/** The names of {@link UploadDetails}. */
export const detailFields = ["customId", "contentDisposition", "acl"] as const satisfies ReadonlyArray<
  keyof UploadDetails
>

/** A file that is open for its upload. An empty `type` is looked up by the extension of its name. */
export interface UploadSource extends UploadableFile, UploadDetails {
  /** Gives back what it holds. */
  close?(): Promise<void>
}
