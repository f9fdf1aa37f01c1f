import type { FileDescriptor, StoredFile } from "../protocol/messages.ts"
import type { UploadError } from "../protocol/upload-error.ts"

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

export interface MiddlewareArguments<Input> extends RequestArguments {
  readonly input: Input
  readonly files: ReadonlyArray<FileDescriptor>
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
