import type { Json } from "../../protocol/json.ts"
import type { FailedFile, FileDescriptor, OwnLabels, StoredFile } from "../../protocol/messages.ts"
import type { FileLabelsInput } from "../../protocol/files/read-labels.ts"
import type { Acl, CacheRule, ContentDisposition } from "../../protocol/signing/signed-url.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"

/** Which delivery of an event this is. */
export interface Delivery {
  /** The same over all attempts: use it to deduplicate. */
  readonly id: string
  /** From 1. */
  readonly attempt: number
  /** Of this attempt, ms since the epoch. */
  readonly sentAt: number
}

/** Arguments of all user code, in addition to those of the framework's adapter. */
export interface RequestArguments {
  /** The request as a Web API object; its body has already been read. */
  readonly request: Request
}

/** An upload whose URL is to be renewed. */
export interface RenewedUpload {
  readonly key: string
  /**
   * What the middleware returned when the upload was first allowed, after its serialization to JSON. Its type is
   * unknown: a function's result type is not known yet where its arguments get their types, and a former version of
   * the app may have returned something else.
   */
  readonly metadata: Json
}

export interface MiddlewareArguments<Input> extends RequestArguments {
  readonly input: Input
  readonly files: ReadonlyArray<FileDescriptor>
  /**
   * Where URLs are renewed: the uploads, one for each of `files`. Compare their owner with the caller, and throw where
   * they differ. Absent where an upload begins.
   */
  readonly renewal?: ReadonlyArray<RenewedUpload> | undefined
}

/**
 * Arguments for the seed of a file's key, in addition to the file. The route's schema and middleware are written after
 * its options, so their types are not known here; `keySeed` in the result of `.file()` has them.
 */
export interface FileKeySeedArguments {
  readonly input: unknown
  /** What the middleware returned. */
  readonly metadata: unknown
}

export interface FileArguments<Input, Metadata> extends RequestArguments {
  readonly file: FileDescriptor
  readonly input: Input
  readonly metadata: Metadata
}

/** What the app can decide about a file before it is uploaded. */
export interface FileDecision extends Omit<FileLabelsInput, "claim"> {
  /** The name the file is stored under; by default the client's. */
  readonly name?: string | undefined
  /** The app's own id of the file, with which it can be read and deleted. */
  readonly customId?: string | undefined
  /** Makes the file's key deterministic, as the route option `fileKeySeed` does, with the types of this route. */
  readonly keySeed?: string | undefined
  /** Who may read the file. Default: as the route says for this kind of file. */
  readonly acl?: Acl | undefined
  /** Whether browsers show the file or offer it for download. Default: as the route says for this kind of file. */
  readonly contentDisposition?: ContentDisposition | undefined
  /** How long caches may keep the file. Default: as the route says for this kind of file. */
  readonly cache?: CacheRule | undefined
}

export interface UploadCompleteArguments<Metadata> extends RequestArguments {
  /** What the middleware returned, after its serialization to JSON. */
  readonly metadata: Metadata
  /** Owner and path that `.file()` or `middleware` gave the file; null where they gave none, and from an older ingest. */
  readonly labels: OwnLabels
  readonly file: StoredFile
  readonly delivery: Delivery
}

export interface UploadErrorArguments<Metadata> extends RequestArguments {
  readonly metadata: Metadata
  /** See {@link UploadCompleteArguments.labels}. */
  readonly labels: OwnLabels
  readonly fileKey: string
  /** What the upload announced: the file's name, size and type. Null from an older ingest, which says its key alone. */
  readonly file: FailedFile | null
  readonly error: UploadError
  readonly delivery: Delivery
}
