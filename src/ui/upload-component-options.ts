import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../protocol/file-route.ts"
import type { UploadProgress } from "../client/progress.ts"
import type { UploadHeaders } from "../client/request-urls.ts"
import type { InputOption } from "../client/upload-options.ts"
import type { ResumeStore } from "../client/resume/resume-store.ts"
import type { DoneUpload, RouteUploadError } from "../client/upload-outcome.ts"
import type { CropOptions } from "./avatar/crop-options.ts"

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
  /** When the keys of the stored files that are listed have changed here, with all of them in the order of the list. */
  readonly onValueChange?: ((keys: Array<string>) => void) | undefined
  /** When files were chosen or removed, with all that wait for their upload. */
  readonly onChange?: ((files: Array<File>) => void) | undefined
}

/** How an upload component behaves. */
export interface UploadConfig {
  /** `auto` uploads what is chosen at once; `manual` waits for the user. Default: a button `auto`, a dropzone `manual`. */
  readonly mode?: "auto" | "manual" | undefined
  /**
   * In a form: sending it uploads what is chosen first, and sends it when all is stored; for mode `manual`. Default false:
   * the form cannot be sent while files wait for their upload.
   */
  readonly uploadOnSubmit?: boolean | undefined
  /** Takes files from the clipboard. Default false. */
  readonly appendOnPaste?: boolean | undefined
  /**
   * Takes files that are dropped anywhere on the page: a text is what the page calls the component, "Photos" say, and is
   * shown during the drag. Of several the one under the pointer takes them, else the nearest that can. Default false.
   */
  readonly dropOnPage?: boolean | string | undefined
  /** Lets the browser ask before the page goes while files are on their way. Default: without a `resumeStore`. */
  readonly warnBeforeLeaving?: boolean | undefined
  /** The file dialog chooses a folder, all of whose files are taken. Default false. */
  readonly folder?: boolean | undefined
  /**
   * What is shown of chosen files: small pictures in rows, cards with the picture on top, or a tile for each and no
   * picture. Default `thumbnail`; a button, which lists no files, `none`.
   */
  readonly previews?: "thumbnail" | "grid" | "none" | undefined
  /** How an avatar's picture is cropped before it is uploaded; `false` uploads it as it is. */
  readonly crop?: CropOptions | false | undefined
  /** Whether what is removed can be brought back for a while. Default true; false where `onValueChange` deletes it at once. */
  readonly undo?: boolean | undefined
  /** Lets the user put the files into another order, by pointer and by keyboard: that of the keys in a form. Default false. */
  readonly reorder?: boolean | undefined
  /** Lets the user rename what waits for its upload. Default false. */
  readonly rename?: boolean | undefined
  /**
   * On phones and tablets, a second button that opens the camera: the one that sees the user, or the other one. For photos;
   * for videos where the route takes no images. Default: none.
   */
  readonly capture?: "user" | "environment" | undefined
  /** Merges class names, `twMerge` say. Default: joins them by a space. */
  readonly cn?: ((...classes: Array<string>) => string) | undefined
}

/** A file that was stored before, as the app knows it. */
export interface InitialFile {
  readonly key: string
  readonly name: string
  /** Bytes. */
  readonly size?: number | undefined
  /** Media type. */
  readonly type?: string | undefined
  /** Where a small picture of it is. */
  readonly previewUrl?: string | undefined
}

/**
 * What makes a component a field of a form. With a `name`, a `value` or `initialFiles`, stored files count towards the
 * route's limits.
 */
export interface UploadFieldOptions {
  /** Files that were stored before: listed, and removable. A reset of the form brings them back. */
  readonly initialFiles?: ReadonlyArray<InitialFile> | undefined
  /**
   * Keys of the stored files, in their order, where the page keeps them; `onValueChange` tells of others. What they are
   * called comes from `initialFiles`.
   */
  readonly value?: ReadonlyArray<string> | undefined
  /** Under which a form gets the key of each stored file that is listed. */
  readonly name?: string | undefined
  /** Whether a form may be sent only with a stored file. */
  readonly required?: boolean | undefined
}

declare const home: unique symbol

/** Where the uploads of a component live when they are not its own: `createUploads()`, or a group of it. */
export interface UploadHome {
  /** By type alone: what it gives to components only they know. */
  readonly [home]?: never
}

/** What a hook is told beside its route. */
export interface UploadHookOptions<Route extends TypedFileRoute<any>>
  extends UploadCallbacks<Route>, UploadFieldOptions {
  /** For the route handler; the ingest never sees them. */
  readonly headers?: UploadHeaders | undefined
  /** Where uploads are remembered over a reload: `createResumeStore({ scope: userId })` of `sluice/resume`. Wins over the setup's. */
  readonly resumeStore?: ResumeStore | undefined
  /**
   * `createUploads()`: its uploads go on when the component leaves the page, with that address, those headers and that
   * resume store. Wins over the setup's; may not change. A field of a form keeps its files, and goes on without.
   */
  readonly uploads?: UploadHome | undefined
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

/** Options of a component whose router is not known by type. */
export type AnyComponentOptions = UploadComponentOptions<TypedFileRouter, string> & { readonly input?: unknown }
