import type { PathFileOptions } from "../transfer/no-file-system.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"
import type { FileLabelsInput } from "../protocol/files/read-labels.ts"
import type { Acl, CacheRule, ContentDisposition } from "../protocol/signing/signed-url.ts"

/** What the upload URL of a file says about it, in addition to its name, size and type. */
export interface UploadDetails {
  /** The app's own id for the file, with which it can be read, changed and deleted; at most 512 bytes. */
  readonly customId?: string | undefined
  /** Whether browsers show the file or offer it for download; by default as the ingest decides. */
  readonly contentDisposition?: ContentDisposition | undefined
  /** Who may read the file; by default as the app's settings say. */
  readonly acl?: Acl | undefined
  /**
   * How long caches may keep the file, where anybody may read it: `immutable` is a year, in which nobody asks again, whatever is
   * deleted or changed. By default as the ingest's settings say.
   */
  readonly cache?: CacheRule | undefined
  /** What the app says of the file for itself: its owner, where it files it, how long it is kept. */
  readonly labels?: FileLabelsInput | undefined
}

/** A file on the server's own disk. */
export interface PathInput extends PathFileOptions, UploadDetails {
  /** A path, or a `file:` URL. */
  readonly path: string | URL
}

/** The names of {@link UploadDetails}. */
export const detailFields = [
  "customId",
  "contentDisposition",
  "acl",
  "cache",
  "labels",
] as const satisfies ReadonlyArray<keyof UploadDetails>

/** What is said of a file, and nothing else that its object has. */
export const pickDetails = ({
  customId,
  contentDisposition,
  acl,
  cache,
  labels,
}: UploadDetails): Required<UploadDetails> => ({
  customId,
  contentDisposition,
  acl,
  cache,
  labels,
})

/** A file that is open for its upload. An empty `type` is looked up by the extension of its name. */
export interface UploadSource extends UploadableFile, UploadDetails {
  /** Releases what it holds. */
  close?(): Promise<void>
}
