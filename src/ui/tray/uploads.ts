import type { RouteInput, TypedFileRoute, TypedFileRouter } from "../../protocol/files/file-route.ts"
import type { UploadProgress } from "../../client/progress.ts"
import type { InputOption } from "../../client/upload-options.ts"
import type { DoneUpload, RouteUploadError, UploadOutcome } from "../../client/upload-outcome.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { AnyComponentOptions, UploadHome } from "../controller/upload-component-options.ts"
import type { UploadSetup, UploadSetupOptions } from "../controller/upload-setup.ts"
import type { FileStatus, UploadItem, UploadState } from "../controller/upload-state.ts"

/** What a home gives to the components whose uploads live in it. */
export interface LendingHome extends UploadHome {
  /** The setup of a component's own generator, with the address, the headers and the resume store of this owner. */
  readonly share: (setup: UploadSetup<any>) => UploadSetup<any>
  /** The controller of a component; undefined where it must have its own: on a server, and as a field of a form. */
  readonly borrow: (options: AnyComponentOptions, setup: UploadSetup<any>) => UploadController | undefined
}

/** For each route: the arguments of a callback, and the route. */
type OfRoutes<
  Router extends TypedFileRouter,
  Told extends { readonly [Slug in keyof Router]: ReadonlyArray<unknown> },
> = {
  [Slug in keyof Router & string]: [...told: Told[Slug], endpoint: Slug]
}[keyof Router & string]

/**
 * Callbacks of `createUploads`, called whether or not the component that took the files still exists. The last
 * argument is the route, whose type determines the types of the others.
 */
export interface UploadsCallbacks<Router extends TypedFileRouter> {
  /**
   * May resize, rename, add or leave out files, after the component's own callback. An error that it throws is the
   * files' error.
   */
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

/** The options of `createUploads`: those shared by the components of a router, and callbacks. */
export interface UploadsOptions<Router extends TypedFileRouter>
  extends Omit<UploadSetupOptions, "uploads">, UploadsCallbacks<Router> {
  /** Lets the browser ask before the user leaves the page while files are uploading. Default: only without a `resumeStore`. */
  readonly warnBeforeLeaving?: boolean | undefined
}

/** All uploads together. The same object until something changes; equal parts of it stay the same. */
export type UploadsState<Route extends TypedFileRoute<any> = TypedFileRoute> = Pick<
  UploadState<Route>,
  "status" | "files" | "isUploading" | "progress" | "speed" | "timeLeft" | "summary"
>

/** A state, and the subscription to its changes. */
export interface UploadsSource {
  readonly getState: () => UploadsState
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
}

/** Options for files that code adds. */
export type AddFilesOptions<Input> = InputOption<Input> & {
  /** Which list of the route they are added to. Default: by `input`. */
  readonly group?: string | undefined
}

/** Uploads that belong to the app, and not to a component: they survive navigation between pages. */
export interface Uploads<Router extends TypedFileRouter = TypedFileRouter> extends LendingHome, UploadsSource {
  readonly setup: UploadSetup<Router>
  /** The state for a server, which never uploads. */
  readonly getServerState: () => UploadsState
  /** Uploads that no component on the page handles now: those that the tray announces to screen readers. */
  readonly unattended: UploadsSource
  /** Whether a component on the page takes files for a route. */
  readonly isAttended: (endpoint: string) => boolean
  /** Forgets an upload that a reload has interrupted, in every list that offers it. */
  readonly discardInterrupted: (id: string) => void
  /** Called when a component that handles files was added or removed. @returns stops it */
  readonly onAttend: (listener: () => void) => () => void
  /**
   * Uploads files.
   *
   * Shape: one outcome per file, beginning with those that the route's limits keep from being sent.
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
   * A list of its own for the components that get it: `uploads.group("album-7")`. Without it components of one route
   * and the same `input` show the same files.
   */
  readonly group: (name: string) => UploadHome
  readonly pauseUpload: (id?: string) => void
  readonly resumeUpload: (id?: string) => void
  readonly abortUpload: (id?: string) => void
  readonly retryNow: (id?: string) => void
  /** Removes a file from the list; an uploaded one stays in the list of a component that shows it. */
  readonly removeFile: (id: string) => void
  readonly removeFinished: () => void
  /** Removes all files in the given states from the list. */
  readonly clear: (statuses: ReadonlyArray<FileStatus>) => void
  /** Ends all uploads and forgets all files, including those of components on the page, for good: call it when a user logs out. */
  readonly reset: () => void
  /** The controller that a listed file belongs to. */
  readonly controllerOf: (id: string) => UploadController | undefined
}

/** Whether a file counts as an upload: a file that waits for a click in its dropzone, or was stored before, does not. */
export const isUpload = ({ file, status }: UploadItem): boolean => file !== undefined && status !== "picked"
