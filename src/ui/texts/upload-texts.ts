import type { InterruptedUpload } from "../../client/resume/resume-store.ts"
import type { ProblemCode } from "../../protocol/errors/problem.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import type { AcceptedKind } from "../files/accepted-files.ts"
import type { AnnouncementTexts } from "./announcement-texts.ts"
import type { PictureTexts } from "../avatar/picture-texts.ts"
import type { NameMistake } from "../files/rename-file.ts"
import type { UploadItem, UploadState } from "../controller/upload-state.ts"

/** All texts of the components. Each may be replaced on its own, for another language or another tone. */
export interface UploadTexts {
  readonly choose: (isMultiple: boolean) => string
  /** Next to the button of a dropzone. */
  readonly drop: (isMultiple: boolean) => string
  /** While files are dragged over the dropzone. */
  readonly dropNow: (isMultiple: boolean) => string
  /** The same where only some of them can be accepted. */
  readonly dropSome: (taken: number, count: number) => string
  /** The same where none can be accepted: none is of a type that the route takes, or there is no room left. */
  readonly dropNone: (config: RouteConfig, reason: "type" | "count") => string
  /** While files are dragged anywhere over a page that takes them; `name` is the page's name for the component. */
  readonly dropOnto: (name: string) => string
  readonly loading: () => string
  /** Which files, how many, how large. */
  readonly allowed: (config: RouteConfig) => string
  /** On the button that starts the upload. */
  readonly upload: (count: number) => string
  /** On the button while files are uploading. Screen readers do not get its figures: `Uploading 37 %` is `Uploading`. */
  readonly progress: (percent: number) => string
  /** All bytes were sent a second ago: usually they are stored, and the app is handling the file. */
  readonly processing: () => string
  /** In its place where the app holds the file until somebody has looked at it; behind the state of one that is stored by then. */
  readonly checking: () => string
  readonly pause: () => string
  readonly resume: () => string
  readonly cancel: () => string
  readonly retry: () => string
  /** Ends the wait before the next attempt. */
  readonly tryNow: () => string
  /** Added to the state of a file that waits; visible, but not read out. */
  readonly retryIn: (seconds: number) => string
  /** For all files together: how many wait for their next attempt. Its time is added, as it is for the state of one file. */
  readonly retrying: (count: number) => string
  readonly remove: () => string
  readonly clear: () => string
  /** Replaces what was removed; `name` is that of the first file. */
  readonly removed: (name: string, count: number) => string
  /** Replaces it where another file has taken its place. */
  readonly replaced: (name: string) => string
  readonly undo: () => string
  /** On the button that opens the camera of a phone. */
  readonly capture: (kind: "photo" | "video") => string
  /** The handle that moves a file to another place. */
  readonly move: () => string
  /** The button that renames a file. */
  readonly rename: () => string
  /** Names the field for a new name. */
  readonly newName: (fileName: string) => string
  /** Why a name is invalid. */
  readonly nameMistake: (mistake: NameMistake) => string
  readonly pauseAll: () => string
  readonly resumeAll: () => string
  readonly cancelAll: () => string
  /** How many files have failed and can be retried. */
  readonly retryAll: (count: number) => string
  /** Removes uploaded and cancelled files from the list. */
  readonly removeFinished: () => string
  /** Removes all failed files from the list, also those that were refused. */
  readonly removeFailed: () => string
  /** The progress of all files, in one line; at the end the result. */
  readonly summary: (state: UploadState) => string
  readonly speed: (bytesPerSecond: number) => string
  readonly timeLeft: (seconds: number) => string
  /** Name of the main button of a component with a name of its own: `Choose a file`, `Cover` → `Choose a file, Cover`. */
  readonly labelled: (action: string, label: string) => string
  /** An action on one file, for screen readers: `Pause`, `a.png` → `Pause a.png`. */
  readonly actOn: (action: string, fileName: string) => string
  /** Name of the list of files. */
  readonly files: () => string
  readonly size: (bytes: number) => string
  /** State of one file, below its name. */
  readonly fileState: (item: UploadItem) => string
  /** What went wrong and what to do, for the user. */
  readonly error: (error: UploadError) => string
  /** For a file that was checked, and is not wanted; the reason is the app's own words, and may be empty. */
  readonly rejected: (reason: string) => string
  /** Below a button with one line: which file failed, and why. */
  readonly failedFile: (fileName: string, reason: string) => string
  /** The same for several files: the result of all, and the common reason, otherwise `failedFile` of the first. */
  readonly failedFiles: (summary: string, reason: string, isShared: boolean) => string
  /** Replaces an error that many files share, which is shown once above the list. */
  readonly notUploaded: () => string
  /** How many files a shared error concerns. */
  readonly affected: (count: number) => string
  /** Why a file waits for its next attempt. */
  readonly waitingAfter: (error: UploadError | undefined) => string
  /** Replaces an error that only the app's operators can fix; in development the detail itself is shown. */
  readonly notSetUp: (code: ProblemCode) => string
  /** The announcements for screen readers; English where a text is left out. */
  readonly announce: Partial<AnnouncementTexts>
  /** The texts of an avatar and its crop; English where a text is left out. */
  readonly picture: Partial<PictureTexts>
  readonly typeNotAllowed: (config: RouteConfig) => string
  /** For an empty file, where it should be an image or the like. */
  readonly empty: () => string
  /** For a file without a name. */
  readonly unnamed: () => string
  /** Both in bytes. */
  readonly tooLarge: (size: number, maxSize: number) => string
  readonly tooMany: (kind: AcceptedKind) => string
  /** How many more files have to be chosen before the upload can start. */
  readonly chooseMore: (kind: AcceptedKind, count: number) => string
  /** For a file that the route's limits refuse, where it is not known which limit. */
  readonly limits: (config: RouteConfig) => string
  /** Name of the list of uploads that were interrupted. */
  readonly interrupted: () => string
  /** The progress of an interrupted upload. */
  readonly interruptedState: (upload: InterruptedUpload) => string
  readonly continue: () => string
  /** Like `continue`, where the user has to pick the file again. */
  readonly chooseAgain: () => string
  readonly discard: () => string
  /** In a form that must not be sent because a file failed or was refused. */
  readonly blocksForm: (item: UploadItem) => string
  /** In a form that must not be sent because files wait for their upload. */
  readonly uploadFirst: (count: number) => string
  /** In a form that must not be sent because files are uploading. */
  readonly stillUploading: () => string
  /** The same where all of them are sent, and are being checked. */
  readonly stillChecking: () => string
  readonly continueAll: () => string
  readonly discardAll: () => string
  /** The files that were chosen to resume an interrupted upload are other files; `size` in bytes. */
  readonly otherFile: (size: number, count: number) => string
  readonly uploadToo: () => string
  /** Nothing is uploaded, and the interrupted upload is kept. */
  readonly leaveOut: () => string
  /** For a dropped folder that is empty. */
  readonly emptyFolder: () => string
  /** For a dropped folder that the browser may not read. */
  readonly unreadableFolder: () => string
  /** For a file in a dropped folder that the browser may not read. */
  readonly unreadableFile: () => string
  /** Name of an image from the clipboard, without its extension. */
  readonly pastedImage: (at: Date) => string
  /** Name of the tray. */
  readonly uploads: () => string
  /** What the tray says while this many files are uploading. */
  readonly uploading: (count: number) => string
  /** The button of the tray that shows and hides its files; screen readers are told its state. */
  readonly showFiles: () => string
  /** The button that closes the tray. */
  readonly close: () => string
}
