import type { RouteInput, TypedFileRoute } from "../protocol/files/file-route.ts"
import type { UploadProgress } from "./progress.ts"
import type { UploadHeaders } from "./request-urls.ts"
import type { ResumeStore } from "./resume/resume-store.ts"
import type { UploadEvent } from "./upload-event.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** Options of every upload, whatever its route. */
export interface BaseUploadOptions<File extends UploadableFile> {
  /** An array, a `FileList`, … Without files nothing is sent. */
  readonly files: Iterable<File>
  /** For the route handler; they override the uploader's own. The ingest never sees them. */
  readonly headers?: UploadHeaders | undefined
  /** Replaces the uploader's own: the store of the signed-in user. */
  readonly resumeStore?: ResumeStore | undefined
  /** Aborts every file at once. */
  readonly signal?: AbortSignal | undefined
  /** Called once per file, before its first byte is sent. */
  readonly onUploadBegin?: ((event: { readonly file: File }) => void) | undefined
  /** Called whenever bytes have been sent, and once when the server has confirmed a file. */
  readonly onUploadProgress?: ((progress: UploadProgress<File>) => void) | undefined
}

/** `input`, required exactly where the route takes one. */
export type InputOption<Input> = undefined extends Input ? { readonly input?: Input } : { readonly input: Input }

/** Options of an upload to a route. */
export type UploadOptions<Route extends TypedFileRoute<any>, File extends UploadableFile> = BaseUploadOptions<File> &
  InputOption<RouteInput<Route>> & {
    /** Called for everything that happens, see {@link UploadEvent}. */
    readonly onEvent?: ((event: UploadEvent<Route, File>) => void) | undefined
  }
