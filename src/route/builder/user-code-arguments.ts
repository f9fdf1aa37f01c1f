import type { Json } from "../../protocol/json.ts"
import type { FileDescriptor, StoredFile } from "../../protocol/messages.ts"
import type { Acl, ContentDisposition } from "../../protocol/signed-url.ts"
import type { UploadError } from "../../protocol/upload-error.ts"

/** Which delivery of an event this is. */
export interface Delivery {
  /** The same over all attempts: deduplicate by it. */
  readonly id: string
  /** From 1. */
  readonly attempt: number
  /** Of this attempt, ms since the epoch. */
  readonly sentAt: number
}

/** What every piece of user code gets, beside what the framework's adapter adds. */
interface RequestArguments {
  /** The request as the Web platform knows it; its body is read already. */
  readonly request: Request
}

/** An upload whose URL is to be renewed. */
export interface RenewedUpload {
  readonly key: string
  /**
   * What the middleware returned when the upload was first allowed, after its trip through JSON. Of any type: that of a
   * function's result is not known yet where its arguments get theirs, and a former version of the app may have returned
   * something else.
   */
  readonly metadata: Json
}

export interface MiddlewareArguments<Input> extends RequestArguments {
  readonly input: Input
  readonly files: ReadonlyArray<FileDescriptor>
  /**
   * Where URLs are renewed: whose uploads they are, one for each of `files`. Compare it with who asks, and throw where it
   * is somebody else. Absent where an upload begins.
   */
  readonly renewal?: ReadonlyArray<RenewedUpload> | undefined
}

/**
 * What the seed of a file's key can be made of, beside the file. The route's schema and middleware are written after its
 * options, so their types are not known here; `keySeed` among what `.file()` returns has them.
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
export interface FileDecision {
  /** The name the file is stored under; the client's by default. */
  readonly name?: string | undefined
  /** The app's own id of the file: it can be read and deleted by it. */
  readonly customId?: string | undefined
  /** Makes the file's key deterministic, as the route option `fileKeySeed` does, with the types of this route. */
  readonly keySeed?: string | undefined
  /** Who may read the file. Default: what the route says of this kind of file. */
  readonly acl?: Acl | undefined
  /** How browsers are offered the file. Default: what the route says of this kind of file. */
  readonly contentDisposition?: ContentDisposition | undefined
}

export interface UploadCompleteArguments<Metadata> extends RequestArguments {
  /** What the middleware returned, after its trip through JSON. */
  readonly metadata: Metadata
  readonly file: StoredFile
  readonly delivery: Delivery
}

export interface UploadErrorArguments<Metadata> extends RequestArguments {
  readonly metadata: Metadata
  readonly fileKey: string
  readonly error: UploadError
  readonly delivery: Delivery
}
