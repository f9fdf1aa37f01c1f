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

/** What an element tells the page: `CustomEvent`s that bubble, with these as `detail`. */
export interface UploadElementDetails<Route extends TypedFileRoute<any>> {
  /** Before anything is sent. `preventDefault()` cancels these files. */
  readonly "before-upload": {
    readonly files: ReadonlyArray<File>
    /** Sends others instead: resized, renamed, fewer or more. Only during the event; what it rejects with is the files' error. */
    readonly respondWith: (files: Iterable<File> | PromiseLike<Iterable<File>>) => void
  }
  /** Once per file, before its first byte leaves. */
  readonly "upload-begin": { readonly file: File }
  readonly "upload-progress": UploadProgress<File>
  /** When nothing of an upload is on its way any more, with the files that are stored. */
  readonly "upload-complete": { readonly results: ReadonlyArray<DoneUpload<Route, File>> }
  /** Once per error, with the files it concerns. */
  readonly "upload-error": { readonly error: RouteUploadError<Route>; readonly files: ReadonlyArray<File> }
  readonly "upload-aborted": { readonly files: ReadonlyArray<File> }
  /** When the keys of the stored files that are listed have changed here, with all of them in the order of the list. */
  readonly "value-change": { readonly keys: Array<string> }
  /** When files were chosen or removed, with all that wait for their upload. */
  readonly change: { readonly files: ReadonlyArray<File> }
}

/** The events of an element by name. */
export type UploadElementEvents<Route extends TypedFileRoute<any>> = {
  readonly [name in keyof UploadElementDetails<Route>]: CustomEvent<UploadElementDetails<Route>[name]>
}

type EventsOf<Route extends TypedFileRoute<any>> = Omit<HTMLElementEventMap, keyof UploadElementEvents<Route>> &
  UploadElementEvents<Route>

/** What makes an element, as attributes of the same names or as properties. */
export interface UploadElementAttributes<Router extends TypedFileRouter, Slug extends keyof Router & string> {
  /** The file route. Required. */
  endpoint: Slug
  /** Where the route handler is, if not where the elements' setup says. */
  url: string
  /** Of the requests to the route handler alone: `include` sends cookies to an app on another origin. */
  credentials: RequestCredentials | undefined
  /** `auto` uploads what is chosen at once; `manual` waits for the user. Default: a button `auto`, a dropzone `manual`. */
  mode: UploadConfig["mode"]
  /** Takes files from the clipboard. */
  paste: boolean
  /** Takes files that are dropped anywhere on the page; a text is its name meanwhile. The attribute is `page-drop`. */
  pageDrop: boolean | string
  /** The file dialog chooses a folder. */
  folder: boolean
  /** What is shown of chosen files: `thumbnail`, the default, `grid` or `none`. */
  previews: UploadConfig["previews"]
  /** Lets the user put the files into another order. */
  reorder: boolean
  /** Lets the user rename what waits for its upload. */
  rename: boolean
  /** On phones, a second button that opens the camera. */
  capture: UploadConfig["capture"]
  disabled: boolean
  /** What the route takes; as an attribute it is JSON. */
  input: RouteInput<Router[Slug]> | undefined
  /** Under which a form gets the key of each stored file that is listed. */
  name: string
  /** Whether a form may be sent only with a stored file. */
  required: boolean
  /** Sending the form uploads what is chosen first. */
  uploadOnSubmit: boolean
  /** Files that were stored before: listed, and removable. As an attribute it is JSON. A reset of the form brings them back. */
  initialFiles: ReadonlyArray<InitialFile>
}

/** What an element is given by properties alone. */
export interface UploadElementProperties<Route extends TypedFileRoute<any>> {
  headers: UploadHookOptions<Route>["headers"]
  appearance: Appearance | undefined
  /** What stands in parts instead of the usual; `slot`ted children do the same. A part that repeats wants a function. */
  content: Content<ElementContent> | undefined
  config: UploadConfig | undefined
  /** A change of it begins anew, as one of `url` and `credentials` does: set them first. */
  texts: Partial<UploadTexts> | undefined
  /** `createResumeStore()` of `sluice/resume`. */
  resumeStore: UploadHookOptions<Route>["resumeStore"]
  /** `createUploads()`: its uploads go on when the element leaves the page. A change of it begins anew. */
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
