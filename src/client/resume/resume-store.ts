import type { Json } from "../../protocol/json.ts"
import type { PresignedUpload } from "../../protocol/messages.ts"
import type { UploadableFile } from "../../transfer/uploadable-file.ts"

/** What tells the upload of one file from that of another. */
export interface ResumeEntryOptions {
  /** Of the route handler, absolute. */
  readonly url: string
  readonly slug: string
  readonly input: unknown
  readonly file: UploadableFile
}

/** The upload of one file, as it is remembered. */
export interface ResumeEntry {
  /** What an interrupted upload of the same file got from the app; undefined for a new one. */
  readonly kept: PresignedUpload | undefined
  /**
   * Remembers a new upload. Another tab may have been first: what to use is what comes back. One with the key of what is
   * remembered takes its place: its URL was renewed.
   */
  readonly keep: (upload: PresignedUpload) => Promise<PresignedUpload>
  /**
   * Does the work while no other tab does work on the same upload.
   *
   * @param onWait called if another tab has to end first
   */
  readonly exclusively: <A>(work: () => Promise<A>, signal: AbortSignal, onWait: () => void) => Promise<A>
  /** So many bytes of the file are sent; told as often as it changes. */
  readonly advance?: (loaded: number) => unknown
  /** There is nothing to go on with any more. */
  readonly forget: () => Promise<unknown>
}

/** An upload that was interrupted and can go on with the same file. */
export interface InterruptedUpload {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Bytes that were sent before it was interrupted, as far as is known; a few of them may not have arrived. */
  readonly loaded?: number | undefined
  readonly type: string
  /** ms since the epoch. */
  readonly lastModified: number
  /** As it was given to the upload. */
  readonly input: Json | undefined
  /** When it began, ms since the epoch. */
  readonly startedAt: number
  /**
   * The same file again, without the user looking for it: asks for leave to read it, so call it on a click.
   * Absent where the browser keeps no handle: then the user picks the file once more, and it is recognised.
   */
  readonly reopen?: (() => Promise<File | undefined>) | undefined
}

/**
 * Where uploads are remembered over a reload of the page: `createResumeStore` of `sluice/resume`, or your own.
 *
 * Fails: where nothing can be kept (private windows, no secure context) uploads work as without it.
 */
export interface ResumeStore {
  readonly open: (options: ResumeEntryOptions) => Promise<ResumeEntry>
  /** What can be gone on with, newest first; not what a tab is working on right now. */
  readonly list: (slug?: string) => Promise<ReadonlyArray<InterruptedUpload>>
  /** Forgets an interrupted upload. */
  readonly remove: (id: string) => Promise<void>
  /** Remembers that the file can be opened again by this handle, from a drop or a file picker. */
  readonly attachHandle: (file: File, handle: FileSystemFileHandle) => void
}
