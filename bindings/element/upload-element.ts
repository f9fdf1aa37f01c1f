import type {
  Appearance,
  Content,
  DoneUpload,
  InitialFile,
  RouteInput,
  RouteUploadError,
  TypedFileRoute,
  TypedFileRouter,
  UploadActions,
  UploadConfig,
  UploadHookOptions,
  UploadItem,
  UploadProgress,
  UploadState,
  UploadTexts,
} from "../../src/ui.ts"
import type { ElementContent } from "./patch-markup.ts"

/** The events of an element: `CustomEvent`s that bubble, with these as `detail`. */
export interface UploadElementDetails<Route extends TypedFileRoute<any>> {
  /** Before anything is sent. `preventDefault()` cancels these files. */
  readonly "before-upload": {
    readonly files: ReadonlyArray<File>
    /** Sends other files instead: resized, renamed, fewer or more. Call it during the event; a rejection is the files' error. */
    readonly respondWith: (files: Iterable<File> | PromiseLike<Iterable<File>>) => void
  }
  /** Once per file, before its first byte is sent. */
  readonly "upload-begin": { readonly file: File }
  readonly "upload-progress": UploadProgress<File>
  /** When no file of an upload is in progress any more, with the stored files. */
  readonly "upload-complete": { readonly results: ReadonlyArray<DoneUpload<Route, File>> }
  /** Once per error, with the files it concerns. */
  readonly "upload-error": { readonly error: RouteUploadError<Route>; readonly files: ReadonlyArray<File> }
  readonly "upload-aborted": { readonly files: ReadonlyArray<File> }
  /** Called when the keys of the listed stored files have changed here, with all of them in the order of the list. */
  readonly "value-change": { readonly keys: Array<string> }
  /** Called when files were chosen or removed, with all that wait for their upload. */
  readonly change: { readonly files: ReadonlyArray<File> }
}

/** The events of an element by name. */
export type UploadElementEvents<Route extends TypedFileRoute<any>> = {
  readonly [name in keyof UploadElementDetails<Route>]: CustomEvent<UploadElementDetails<Route>[name]>
}

type EventsOf<Route extends TypedFileRoute<any>> = Omit<HTMLElementEventMap, keyof UploadElementEvents<Route>> &
  UploadElementEvents<Route>

/** Options of an element, as attributes of the same names or as properties. */
export interface UploadElementAttributes<Router extends TypedFileRouter, Slug extends keyof Router & string> {
  /** The file route. Required. */
  endpoint: Slug
  /** The address of the route handler, if it is not that of the elements' setup. */
  url: string
  /** Only for requests to the route handler: `include` sends cookies to an app on another origin. */
  credentials: RequestCredentials | undefined
  /** `auto` uploads chosen files at once; `manual` waits for the user. Default: a button `auto`, a dropzone `manual`. */
  mode: UploadConfig["mode"]
  /** Takes files from the clipboard. */
  paste: boolean
  /** Takes files that are dropped anywhere on the page; a text is its name during the drag. The attribute is `page-drop`. */
  pageDrop: boolean | string
  /** The file dialog chooses a folder. */
  folder: boolean
  /** How chosen files are shown: `thumbnail`, the default, `grid` or `none`. */
  previews: UploadConfig["previews"]
  /** Lets the user change the order of the files. */
  reorder: boolean
  /** Lets the user rename files that wait for their upload. */
  rename: boolean
  /** On phones, a second button that opens the camera. */
  capture: UploadConfig["capture"]
  disabled: boolean
  /** The route's input; as an attribute it is JSON. */
  input: RouteInput<Router[Slug]> | undefined
  /** The name under which a form gets the key of each listed stored file. */
  name: string
  /** Whether a form may only be sent with a stored file. */
  required: boolean
  /** Sending the form first uploads the chosen files. */
  uploadOnSubmit: boolean
  /** Files that were stored before: listed, and removable. As an attribute it is JSON. A reset of the form restores them. */
  initialFiles: ReadonlyArray<InitialFile>
}

/** Options that exist only as properties. */
export interface UploadElementProperties<Route extends TypedFileRoute<any>> {
  headers: UploadHookOptions<Route>["headers"]
  appearance: Appearance | undefined
  /** Content that replaces that of parts; children with a `slot` do the same. A part that repeats needs a function. */
  content: Content<ElementContent> | undefined
  config: UploadConfig | undefined
  /** When it changes, the element starts over, as with `url` and `credentials`: set them first. */
  texts: Partial<UploadTexts> | undefined
  /** `createResumeStore()` of `sluice/resume`. */
  resumeStore: UploadHookOptions<Route>["resumeStore"]
  /** `createUploads()`: its uploads continue when the element leaves the page. When it changes, the element starts over. */
  uploads: UploadHookOptions<Route>["uploads"]
}

/**
 * `<sluice-dropzone>` or `<sluice-button>`. With a router its routes are known by type:
 * `document.querySelector<UploadElement<typeof router, "photos">>("sluice-dropzone")`.
 */
export interface UploadElement<
  Router extends TypedFileRouter = TypedFileRouter,
  Slug extends keyof Router & string = keyof Router & string,
>
  extends
    HTMLElement,
    UploadElementAttributes<Router, Slug>,
    UploadElementProperties<Router[Slug]>,
    UploadActions<Router[Slug]> {
  readonly files: ReadonlyArray<UploadItem<Router[Slug]>>
  /** Keys of the stored files, in the order of the list. */
  value: ReadonlyArray<string>
  readonly state: UploadState<Router[Slug]>
  readonly form: HTMLFormElement | null
  readonly validity: ValidityState
  readonly validationMessage: string
  checkValidity(): boolean
  reportValidity(): boolean
  addEventListener<Name extends keyof EventsOf<Router[Slug]>>(
    type: Name,
    listener: (this: UploadElement<Router, Slug>, event: EventsOf<Router[Slug]>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
  removeEventListener<Name extends keyof EventsOf<Router[Slug]>>(
    type: Name,
    listener: (this: UploadElement<Router, Slug>, event: EventsOf<Router[Slug]>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void
}
