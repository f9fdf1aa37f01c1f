import type { Json } from "../../protocol/json.ts"
import type { PresignedUpload } from "../../protocol/messages.ts"
import type { UploadableFile } from "../../transfer/uploadable-file.ts"

/** What identifies the upload of a file. */
export interface ResumeEntryOptions {
  /** The address of the route handler, absolute. */
  readonly url: string
  readonly slug: string
  readonly input: unknown
  readonly file: UploadableFile
  /** Whether it is a file of a field of a form: only fields offer it again. */
  readonly isField?: boolean | undefined
}

/** The remembered upload of one file. */
export interface ResumeEntry {
  /** What the app returned for an interrupted upload of the same file; undefined for a new one. */
  readonly kept: PresignedUpload | undefined
  /**
   * Remembers a new upload. Another tab may have been first: use the result. An upload with the same key as the
   * remembered one replaces it, because its URL was renewed.
   */
  readonly keep: (upload: PresignedUpload) => Promise<PresignedUpload>
  /**
   * Does the work while no other tab works on the same upload.
   *
   * @param onWait called if another tab has to finish first
   */
  readonly exclusively: <A>(work: () => Promise<A>, signal: AbortSignal, onWait: () => void) => Promise<A>
  /** This many bytes of the file have been sent; called whenever that changes. */
  readonly advance?: (loaded: number) => unknown
  /** There is nothing to resume any more. */
  readonly forget: () => Promise<unknown>
}

/** An upload that was interrupted and can be resumed with the same file. */
export interface InterruptedUpload {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Bytes that were sent before it was interrupted, as far as is known; the last of them may not have arrived. */
  readonly loaded?: number | undefined
  readonly type: string
  /** ms since the epoch. */
  readonly lastModified: number
  /** As it was given to the upload. */
  readonly input: Json | undefined
  /** When it began, ms since the epoch. */
  readonly startedAt: number
  /** Whether it was begun by a field of a form: resumed anywhere else its key would miss the form. */
  readonly isField?: boolean | undefined
  /**
   * Opens the same file again without the user searching for it. It asks for permission to read the file, so call it
   * on a click. Absent where the browser keeps no handle: the user then picks the file once more, and it is
   * recognised.
   */
  readonly reopen?: (() => Promise<File | undefined>) | undefined
}

/** The browser's `FileSystemFileHandle`, which servers without the DOM's types do not know. */
export interface PickedHandle {
  readonly kind: "file"
  readonly name: string
  readonly getFile: () => Promise<File>
}

/**
 * Where uploads are remembered over a reload of the page: `createResumeStore` of `sluice/resume`, or your own.
 *
 * Fails: where nothing can be kept (private windows, no secure context), uploads work as without it.
 */
export interface ResumeStore {
  readonly open: (options: ResumeEntryOptions) => Promise<ResumeEntry>
  /** What can be resumed, newest first, without uploads that a tab is working on right now, and those that are occupied. */
  readonly list: (slug?: string) => Promise<ReadonlyArray<InterruptedUpload>>
  /** Forgets an interrupted upload, and ends it at the ingest. */
  readonly remove: (id: string) => Promise<void>
  /** Remembers that the file can be opened again with this handle, from a drop or a file picker. */
  readonly attachHandle: (file: File, handle: PickedHandle) => void
  /**
   * The page shows the upload of this file, whether it moves, waits or has failed: it is listed nowhere, in no tab, until it
   * is left, or the page is gone. May be called before the upload is opened. @returns leaves it
   */
  readonly occupy?: ((file: File) => () => void) | undefined
  /** Calls back when what {@link list} returns may have changed, in this tab or another one. @returns stops it */
  readonly subscribe?: ((listener: () => void) => () => unknown) | undefined
}
