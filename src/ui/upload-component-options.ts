import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../protocol/file-route.ts"
import type { UploadProgress } from "../client/progress.ts"
import type { UploadHeaders } from "../client/request-urls.ts"
import type { InputOption } from "../client/upload-options.ts"
import type { DoneUpload, RouteUploadError } from "../client/upload-outcome.ts"

/** What an upload component tells the page. */
export interface UploadCallbacks<Route extends TypedFileRoute<any>> {
  /** Before anything is sent: may resize, rename, add or leave out files. What it throws is the files' error; an `UploadError` ABORTED cancels them. */
  readonly onBeforeUploadBegin?: ((files: Array<File>) => Iterable<File> | Promise<Iterable<File>>) | undefined
  /** Once per file, before its first byte leaves. */
  readonly onUploadBegin?: ((event: { readonly file: File }) => void) | undefined
  readonly onUploadProgress?: ((progress: UploadProgress<File>) => void) | undefined
  /** When nothing of an upload is on its way any more, with the stored files in their order; not called if there are none. */
  readonly onClientUploadComplete?: ((results: Array<DoneUpload<Route, File>>) => void) | undefined
  /** Once per error, with the files it concerns: a refusal by the app concerns all of an upload. */
  readonly onUploadError?: ((error: RouteUploadError<Route>, files: Array<File>) => void) | undefined
  readonly onUploadAborted?: ((files: Array<File>) => void) | undefined
  /** When files were chosen or removed, with all that wait for their upload. */
  readonly onChange?: ((files: Array<File>) => void) | undefined
}

/** How an upload component behaves. */
export interface UploadConfig {
  /** `auto` uploads what is chosen at once; `manual` waits for the user. Default: a button `auto`, a dropzone `manual`. */
  readonly mode?: "auto" | "manual" | undefined
  /** Takes files from the clipboard. Default false. */
  readonly appendOnPaste?: boolean | undefined
  /** The file dialog chooses a folder, all of whose files are taken. Default false. */
  readonly folder?: boolean | undefined
  /** Merges class names, `twMerge` say. Default: joins them by a space. */
  readonly cn?: ((...classes: Array<string>) => string) | undefined
}

/** What a hook is told beside its route. */
export interface UploadHookOptions<Route extends TypedFileRoute<any>> extends UploadCallbacks<Route> {
  /** For the route handler; the ingest never sees them. */
  readonly headers?: UploadHeaders | undefined
  readonly disabled?: boolean | undefined
  readonly config?: UploadConfig | undefined
  /** What the route takes, unless it is given to `startUpload`. */
  readonly input?: RouteInput<Route> | undefined
}

/** What an upload component is told, whatever it looks like. */
export type UploadComponentOptions<Router extends TypedFileRouter, Slug extends keyof Router & string> = Omit<
  UploadHookOptions<Router[Slug]>,
  "input"
> & {
  /** The file route. */
  readonly endpoint: Slug
} & InputOption<RouteInput<Router[Slug]>>
