import type { RouteInput, TypedFileRoute } from "../protocol/file-route.ts"
import type { UploadOutcome } from "../client/upload-outcome.ts"
import type { DraggedItem } from "./judge-drag.ts"
import type { NameMistake } from "./rename-file.ts"
import type { UploadComponentOptions } from "./upload-component-options.ts"
import type { FileStatus, UploadState } from "./upload-state.ts"

/** A small picture of a file; pixels. */
export interface Preview {
  readonly url: string
  readonly width: number
  readonly height: number
}

/** What a component does and shows, without a framework. */
export interface UploadController<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** The same object until something changes. */
  readonly getState: () => UploadState<Route>
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
  /** Loads what uploading needs: the user seems about to choose files. Fails: never, whoever uses it is told. */
  readonly preload: () => Promise<void>
  /** What was loaded for it, which components know how to use; undefined until then. Listeners are told of it. */
  readonly loaded: () => object | undefined
  /** Call it when the component is on a page: asks what the route takes, and looks for interrupted uploads. */
  readonly connect: () => () => void
  /** Takes new options, of a new rendering say. */
  readonly setOptions: (options: UploadComponentOptions<any, any>) => void
  /** Chooses files; those the route would refuse are listed as failed. In mode `auto` the upload starts. */
  readonly addFiles: (files: Iterable<File>) => void
  /** Takes a file off the list; one on its way is aborted. `undo` brings it back. */
  readonly removeFile: (id: string) => void
  /** Takes what is uploaded or cancelled off the list: what has failed and what waits stays. */
  readonly removeFinished: () => void
  /** Takes all files off the list, which is final, or all that are in the given states, which `undo` brings back. */
  readonly clear: (statuses?: ReadonlyArray<FileStatus>) => void
  /** Takes all files off the list but `initialFiles`, which come back. Nothing of it can be undone. */
  readonly reset: () => void
  /** Brings back what was removed last, at its place and as it was; what was on its way then is cancelled. */
  readonly undo: () => void
  /** Puts a file at another place of the list, from 0: the order of `files` is that of the stored keys. */
  readonly moveFile: (id: string, place: number) => void
  /**
   * Gives a file that waits for its upload another name, its extension with it.
   *
   * @returns why the name cannot be one; undefined where nothing is wrong with it
   */
  readonly renameFile: (id: string, name: string) => NameMistake | undefined
  /** What was removed cannot come back any more: the state's `removed` is undefined. */
  readonly forgetRemoved: () => void
  /**
   * Uploads the given files, else those chosen.
   *
   * Shape: one outcome per file, first those that the route's limits keep from being sent.
   * Fails: never.
   */
  readonly startUpload: (
    files?: Iterable<File>,
    input?: RouteInput<Route>,
  ) => Promise<Array<UploadOutcome<Route, File>>>
  readonly pauseUpload: (id?: string) => void
  /** Goes on with what is paused or has failed; with what was aborted only if it is named. */
  readonly resumeUpload: (id?: string) => void
  readonly abortUpload: (id?: string) => void
  /**
   * Goes on with an upload that a reload interrupted. Call it on a click: the browser may ask for leave.
   *
   * @returns false where the user has to choose the file again
   */
  readonly continueInterrupted: (id: string) => Promise<boolean>
  readonly discardInterrupted: (id: string) => void
  /** Makes the next try at once, of a file that waits for it, else of all. */
  readonly retryNow: (id?: string) => void
  /**
   * Goes on with an interrupted upload by files that the user has chosen for it. Where none of them is the same file,
   * nothing is listed: the state has them as `otherFile`.
   */
  readonly continueWith: (id: string, files: Iterable<File>) => void
  /** Whether the `otherFile` of the state is to be uploaded as well. */
  readonly answerOtherFile: (isWanted: boolean) => void
  /** @param items what is held over the component, as far as the browser says */
  readonly setDragActive: (isDragActive: boolean, items?: Iterable<DraggedItem>) => void
  /** Shows a picture of a file, or none: its tile. Whoever gives an object URL revokes it. */
  readonly setPreview: (id: string, preview: Preview | undefined) => void
  /** Says which rows of a component are near to what is seen; undefined: nobody looks any more. */
  readonly setNear: (componentId: string, near: ReadonlySet<string> | undefined) => void
}
