import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../protocol/file-route.ts"
import type { UploadProgress } from "../client/progress.ts"
import type { InputOption } from "../client/upload-options.ts"
import type { DoneUpload, RouteUploadError, UploadOutcome } from "../client/upload-outcome.ts"
import type { UploadController } from "./upload-controller.ts"
import type { AnyComponentOptions, UploadHome } from "./upload-component-options.ts"
import type { UploadSetup, UploadSetupOptions } from "./upload-setup.ts"
import type { FileStatus, UploadItem, UploadState } from "./upload-state.ts"

/** What a home gives to the components whose uploads live in it. */
export interface LendingHome extends UploadHome {
  /** What a component is told by its own generator, with the address, the headers and the resume store of the home. */
  readonly share: (setup: UploadSetup<any>) => UploadSetup<any>
  /** The controller of a component; undefined where it has to have its own: on a server, and as a field of a form. */
  readonly borrow: (options: AnyComponentOptions) => UploadController | undefined
}

/** By route: what a callback is told, and of which route. */
type OfRoutes<
  Router extends TypedFileRouter,
  Told extends { readonly [Slug in keyof Router]: ReadonlyArray<unknown> },
> = {
  [Slug in keyof Router & string]: [...told: Told[Slug], endpoint: Slug]
}[keyof Router & string]

/**
 * What `createUploads` tells, whether the component that took the files is still there or not. The last argument is the
 * route, and tells by type what the others are.
 */
export interface UploadsCallbacks<Router extends TypedFileRouter> {
  /** May resize, rename, add or leave out files, after the component's own. What it throws is the files' error. */
  readonly onBeforeUploadBegin?:
    ((files: Array<File>, endpoint: keyof Router & string) => Iterable<File> | Promise<Iterable<File>>) | undefined
  readonly onUploadBegin?: ((event: { readonly file: File }, endpoint: keyof Router & string) => void) | undefined
  readonly onUploadProgress?: ((progress: UploadProgress<File>, endpoint: keyof Router & string) => void) | undefined
  readonly onClientUploadComplete?:
    | ((
        ...args: OfRoutes<Router, { [Slug in keyof Router]: [results: Array<DoneUpload<Router[Slug], File>>] }>
      ) => void)
    | undefined
  readonly onUploadError?:
    | ((
        ...args: OfRoutes<
          Router,
          { [Slug in keyof Router]: [error: RouteUploadError<Router[Slug]>, files: Array<File>] }
        >
      ) => void)
    | undefined
  readonly onUploadAborted?: ((files: Array<File>, endpoint: keyof Router & string) => void) | undefined
}

/** What `createUploads` takes: what components of a router share, and whom to tell. */
export interface UploadsOptions<Router extends TypedFileRouter>
  extends Omit<UploadSetupOptions, "uploads">, UploadsCallbacks<Router> {
  /** Lets the browser ask before the page goes while files are on their way. Default: without a `resumeStore`. */
  readonly warnBeforeLeaving?: boolean | undefined
}

/** All uploads together. The same object until something changes, equal parts of it the same. */
export type UploadsState<Route extends TypedFileRoute<any> = TypedFileRoute> = Pick<
  UploadState<Route>,
  "status" | "files" | "isUploading" | "progress" | "speed" | "timeLeft" | "summary"
>

/** A state, and who wants to know when it changes. */
export interface UploadsSource {
  readonly getState: () => UploadsState
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
}

/** How code adds files. */
export type AddFilesOptions<Input> = InputOption<Input> & {
  /** Which list of the route they come into. Default: by `input`. */
  readonly group?: string | undefined
}

/** Uploads that belong to the app, and not to a component: they outlast the page of a router. */
export interface Uploads<Router extends TypedFileRouter = TypedFileRouter> extends LendingHome, UploadsSource {
  readonly setup: UploadSetup<Router>
  /** Of a server: nothing is uploaded there. */
  readonly getServerState: () => UploadsState
  /** What no component on the page takes care of now: what the tray tells screen readers of. */
  readonly unattended: UploadsSource
  /** Whether a component on the page takes files of a route. */
  readonly isAttended: (endpoint: string) => boolean
  /** Forgets an upload that a reload has interrupted, in every list that offers it. */
  readonly discardInterrupted: (id: string) => void
  /** Called when a component has come that takes care of files, or has gone. @returns ends it */
  readonly onAttend: (listener: () => void) => () => void
  /**
   * Uploads files.
   *
   * Shape: one outcome per file, first those that the route's limits keep from being sent.
   * Fails: never.
   */
  readonly addFiles: <Slug extends keyof Router & string>(
    endpoint: Slug,
    files: Iterable<File>,
    ...options: undefined extends RouteInput<Router[Slug]>
      ? [options?: AddFilesOptions<RouteInput<Router[Slug]>>]
      : [options: AddFilesOptions<RouteInput<Router[Slug]>>]
  ) => Promise<Array<UploadOutcome<Router[Slug], File>>>
  /**
   * A list of its own for the components that are told of it: `uploads.group("album-7")`. Without it components of one
   * route and the same `input` show the same files.
   */
  readonly group: (name: string) => UploadHome
  readonly pauseUpload: (id?: string) => void
  readonly resumeUpload: (id?: string) => void
  readonly abortUpload: (id?: string) => void
  readonly retryNow: (id?: string) => void
  /** Takes a file off the list; what is uploaded stays in the list of a component that shows it. */
  readonly removeFile: (id: string) => void
  readonly removeFinished: () => void
  /** Takes all files off the list that are in the given states. */
  readonly clear: (statuses: ReadonlyArray<FileStatus>) => void
  /** Ends all uploads and forgets all files, of components on the page too, for good: call it when a user logs out. */
  readonly reset: () => void
  /** The controller that a listed file belongs to. */
  readonly controllerOf: (id: string) => UploadController | undefined
}

/** Whether a file is listed among the uploads: what waits for a click beside its dropzone, or was stored before, is not. */
export const isUpload = ({ file, status }: UploadItem): boolean => file !== undefined && status !== "picked"
