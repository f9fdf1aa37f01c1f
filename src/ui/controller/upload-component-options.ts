import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../../protocol/files/file-route.ts"
import type { UploadProgress } from "../../client/progress.ts"
import type { UploadHeaders } from "../../client/request-urls.ts"
import type { InputOption } from "../../client/upload-options.ts"
import type { ResumeStore } from "../../client/resume/resume-store.ts"
import type { DoneUpload, RouteUploadError } from "../../client/upload-outcome.ts"
import type { CropOptions } from "../avatar/crop-options.ts"

/** The callbacks of an upload component. */
export interface UploadCallbacks<Route extends TypedFileRoute<any>> {
  /**
   * Called before anything is sent: may resize, rename, add or leave out files. An error that it throws is the files'
   * error; an `UploadError` ABORTED cancels them.
   */
  readonly onBeforeUploadBegin?: ((files: Array<File>) => Iterable<File> | Promise<Iterable<File>>) | undefined
  /** Called once per file, before its first byte is sent. */
  readonly onUploadBegin?: ((event: { readonly file: File }) => void) | undefined
  readonly onUploadProgress?: ((progress: UploadProgress<File>) => void) | undefined
  /**
   * Called when no file of an upload is in progress any more, with the stored files in their order; not called if there
   * are none.
   */
  readonly onClientUploadComplete?: ((results: Array<DoneUpload<Route, File>>) => void) | undefined
  /** Called once per error, with the files it concerns: a refusal by the app concerns all files of an upload. */
  readonly onUploadError?: ((error: RouteUploadError<Route>, files: Array<File>) => void) | undefined
  readonly onUploadAborted?: ((files: Array<File>) => void) | undefined
  /** Called when the keys of the listed stored files have changed here, with all of them in the order of the list. */
  readonly onValueChange?: ((keys: Array<string>) => void) | undefined
  /** Called when files were chosen or removed, with all that wait for their upload. */
  readonly onChange?: ((files: Array<File>) => void) | undefined
}

/** How an upload component behaves. */
export interface UploadConfig {
  /** `auto` uploads chosen files at once; `manual` waits for the user. Default: a button `auto`, a dropzone `manual`. */
  readonly mode?: "auto" | "manual" | undefined
  /**
   * In a form: sending it first uploads the chosen files, and sends the form when all are stored; for mode `manual`.
   * Default false: the form cannot be sent while files wait for their upload.
   */
  readonly uploadOnSubmit?: boolean | undefined
  /** Takes files from the clipboard. Default false. */
  readonly appendOnPaste?: boolean | undefined
  /**
   * Takes files that are dropped anywhere on the page: a text is the page's name for the component, such as "Photos",
   * and is shown during the drag. Of several components the one under the pointer takes them, otherwise the nearest
   * that can. Default false.
   */
  readonly dropOnPage?: boolean | string | undefined
  /** Lets the browser ask before the user leaves the page while files are uploading. Default: only without a `resumeStore`. */
  readonly warnBeforeLeaving?: boolean | undefined
  /** The file dialog chooses a folder, and all its files are taken. Default false. */
  readonly folder?: boolean | undefined
  /**
   * How chosen files are shown: small pictures in rows, cards with the picture on top, or a tile for each and no
   * picture. Default `thumbnail`; a button, which lists no files, `none`.
   */
  readonly previews?: "thumbnail" | "grid" | "none" | undefined
  /** How an avatar's picture is cropped before it is uploaded; `false` uploads it unchanged. */
  readonly crop?: CropOptions | false | undefined
  /** Whether removed files can be restored for a while. Default true; false where `onValueChange` deletes them at once. */
  readonly undo?: boolean | undefined
  /**
   * Lets the user change the order of the files, by pointer and by keyboard: it is the order of the keys in a form.
   * Default false.
   */
  readonly reorder?: boolean | undefined
  /** Lets the user rename files that wait for their upload. Default false. */
  readonly rename?: boolean | undefined
  /**
   * On phones and tablets, a second button that opens the camera: the one that faces the user, or the other one. For
   * photos; for videos where the route takes no images. Default: none.
   */
  readonly capture?: "user" | "environment" | undefined
  /** Merges class names, for example `twMerge`. Default: joins them by a space. */
  readonly cn?: ((...classes: Array<string>) => string) | undefined
}

/** A file that was stored before, as the app describes it. */
export interface InitialFile {
  readonly key: string
  readonly name: string
  /** Bytes. */
  readonly size?: number | undefined
  /** Media type. */
  readonly type?: string | undefined
  /** URL of a small picture of it. */
  readonly previewUrl?: string | undefined
  /** Whether it is still being checked (`Held`): its row says so. */
  readonly isHeld?: boolean | undefined
}

/**
 * Options that make a component a field of a form. With a `name`, a `value` or `initialFiles`, stored files count
 * towards the route's limits.
 */
export interface UploadFieldOptions {
  /** Files that were stored before: listed, and removable. A reset of the form restores them, unless there is a `value`. */
  readonly initialFiles?: ReadonlyArray<InitialFile> | undefined
  /**
   * Keys of the stored files, in their order, where the page controls them; `onValueChange` reports changes. The names
   * come from `initialFiles`. A reset of the form leaves them to the page.
   */
  readonly value?: ReadonlyArray<string> | undefined
  /** The name under which a form gets the key of each listed stored file. */
  readonly name?: string | undefined
  /** Whether a form may only be sent with a stored file. */
  readonly required?: boolean | undefined
}

declare const home: unique symbol

/** The owner of a component's uploads if it is not the component itself: `createUploads()`, or a group of it. */
export interface UploadHome {
  /** By type alone: what it gives to components only they know. */
  readonly [home]?: never
}

/** Options of a hook, in addition to its route. */
export interface UploadHookOptions<Route extends TypedFileRoute<any>>
  extends UploadCallbacks<Route>, UploadFieldOptions {
  /** For the route handler; the ingest never sees them. */
  readonly headers?: UploadHeaders | undefined
  /**
   * Where uploads are remembered over a reload: `createResumeStore({ scope: userId })` of `sluice/resume`. Overrides
   * the setup's.
   */
  readonly resumeStore?: ResumeStore | undefined
  /**
   * `createUploads()`: its uploads continue when the component leaves the page, with that address, those headers and
   * that resume store. Overrides the setup's; must not change. A field of a form keeps its files, and ignores it.
   */
  readonly uploads?: UploadHome | undefined
  readonly disabled?: boolean | undefined
  readonly config?: UploadConfig | undefined
  /** The route's input, unless it is given to `startUpload`. */
  readonly input?: RouteInput<Route> | undefined
}

/** Options of an upload component, whatever it looks like. */
export type UploadComponentOptions<Router extends TypedFileRouter, Slug extends keyof Router & string> = Omit<
  UploadHookOptions<Router[Slug]>,
  "input"
> & {
  /** The file route. */
  readonly endpoint: Slug
} & InputOption<RouteInput<Router[Slug]>>

/** Options of a component whose router's type is not known. */
export type AnyComponentOptions = UploadComponentOptions<TypedFileRouter, string> & { readonly input?: unknown }
