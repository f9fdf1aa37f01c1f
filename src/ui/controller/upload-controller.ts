import type { RouteInput, TypedFileRoute } from "../../protocol/files/file-route.ts"
import type { UploadOutcome } from "../../client/upload-outcome.ts"
import type { DraggedItem } from "../drop/judge-drag.ts"
import type { NameMistake } from "../files/rename-file.ts"
import type { UploadComponentOptions } from "./upload-component-options.ts"
import type { FileStatus, UploadState } from "./upload-state.ts"

/** A small picture of a file; pixels. */
export interface Preview {
  readonly url: string
  readonly width: number
  readonly height: number
}

/** The behaviour and the state of a component, without a framework. */
export interface UploadController<Route extends TypedFileRoute<any> = TypedFileRoute> {
  /** The same object until something changes. */
  readonly getState: () => UploadState<Route>
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
  /** Loads the code for uploading, because the user seems about to choose files. Fails: never; a later use reports the failure. */
  readonly preload: () => Promise<void>
  /** What was loaded for it, which components know how to use; undefined until then. Listeners are told of it. */
  readonly loaded: () => object | undefined
  /** Call it when the component is on a page: requests the route's configuration, and looks for interrupted uploads. */
  readonly connect: () => () => void
  /** Takes new options, for example from a new rendering. */
  readonly setOptions: (options: UploadComponentOptions<any, any>) => void
  /** Chooses files; those that the route would refuse are listed as failed. In mode `auto` the upload starts. */
  readonly addFiles: (files: Iterable<File>) => void
  /** Removes a file from the list; an upload in progress is aborted. `undo` restores it. */
  readonly removeFile: (id: string) => void
  /** Removes uploaded and cancelled files from the list; failed and waiting ones stay. */
  readonly removeFinished: () => void
  /** Removes all files from the list, which is final, or all in the given states, which `undo` restores. */
  readonly clear: (statuses?: ReadonlyArray<FileStatus>) => void
  /** Removes all files from the list and restores `initialFiles`. This cannot be undone. */
  readonly reset: () => void
  /** Restores the files removed last, in their place and state; those that were uploading then are cancelled. */
  readonly undo: () => void
  /** Moves a file to another place in the list, from 0: the order of `files` is that of the stored keys. */
  readonly moveFile: (id: string, place: number) => void
  /**
   * Gives a file that waits for its upload another name, including its extension.
   *
   * @returns why the name is invalid; undefined where it is valid
   */
  readonly renameFile: (id: string, name: string) => NameMistake | undefined
  /** Removed files can no longer be restored: the state's `removed` is undefined. */
  readonly forgetRemoved: () => void
  /**
   * Uploads the given files, otherwise the chosen ones.
   *
   * Shape: one outcome per file, beginning with those that the route's limits keep from being sent.
   * Fails: never.
   */
  readonly startUpload: (
    files?: Iterable<File>,
    input?: RouteInput<Route>,
  ) => Promise<Array<UploadOutcome<Route, File>>>
  readonly pauseUpload: (id?: string) => void
  /** Resumes files that are paused or have failed; an aborted one only if it is named. */
  readonly resumeUpload: (id?: string) => void
  readonly abortUpload: (id?: string) => void
  /**
   * Resumes an upload that a reload interrupted. Call it on a click: the browser may ask for permission.
   *
   * @returns false where the user has to choose the file again
   */
  readonly continueInterrupted: (id: string) => Promise<boolean>
  readonly discardInterrupted: (id: string) => void
  /** Makes the next attempt at once, for one waiting file or for all. */
  readonly retryNow: (id?: string) => void
  /**
   * Resumes an interrupted upload with files that the user has chosen for it. Where none of them is the same file,
   * nothing is listed: the state has them as `otherFile`.
   */
  readonly continueWith: (id: string, files: Iterable<File>) => void
  /** Whether to upload the `otherFile` of the state as well. */
  readonly answerOtherFile: (isWanted: boolean) => void
  /** @param items what is dragged over the component, as far as the browser says */
  readonly setDragActive: (isDragActive: boolean, items?: Iterable<DraggedItem>) => void
  /** Shows a picture of a file, or none: its tile. The caller has to revoke an object URL. */
  readonly setPreview: (id: string, preview: Preview | undefined) => void
  /** Reports which rows of a component are near to the visible part; undefined: it is no longer measured. */
  readonly setNear: (componentId: string, near: ReadonlySet<string> | undefined) => void
}
