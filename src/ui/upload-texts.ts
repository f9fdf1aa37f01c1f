import type { InterruptedUpload } from "../client/resume/resume-store.ts"
import type { ProblemCode } from "../protocol/problem.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { UploadError } from "../protocol/upload-error.ts"
import type { AcceptedKind } from "./accepted-files.ts"
import type { AnnouncementTexts } from "./announcement-texts.ts"
import type { PictureTexts } from "./avatar/picture-texts.ts"
import type { NameMistake } from "./rename-file.ts"
import type { UploadItem, UploadState } from "./upload-state.ts"

/** Everything the components say. Each may be replaced on its own, for another language or another tone. */
export interface UploadTexts {
  readonly choose: (isMultiple: boolean) => string
  /** Beside the button of a dropzone. */
  readonly drop: (isMultiple: boolean) => string
  /** While files are held over the dropzone. */
  readonly dropNow: (isMultiple: boolean) => string
  /** The same where only some of them can be taken. */
  readonly dropSome: (taken: number, count: number) => string
  /** The same where none can be taken: none is of a type the route takes, or there is no place left. */
  readonly dropNone: (config: RouteConfig, reason: "type" | "count") => string
  /** While files are held anywhere over a page that takes them; `name` is what the page calls the component. */
  readonly dropOnto: (name: string) => string
  readonly loading: () => string
  /** Which files, how many, how large. */
  readonly allowed: (config: RouteConfig) => string
  /** On the button that starts the upload. */
  readonly upload: (count: number) => string
  /** On the button while files are on their way. Screen readers are not told its figures: `Uploading 37 %` is `Uploading`. */
  readonly progress: (percent: number) => string
  /** All bytes were sent a second ago: they are stored, as a rule, and the app is asked what it makes of them. */
  readonly processing: () => string
  readonly pause: () => string
  readonly resume: () => string
  readonly cancel: () => string
  readonly retry: () => string
  /** Ends the wait before the next try. */
  readonly tryNow: () => string
  /** Stands behind the state of a file that waits; seen, not read out. */
  readonly retryIn: (seconds: number) => string
  /** Of all files together: how many wait for their next try. When it is made stands behind it, as behind the state of one. */
  readonly retrying: (count: number) => string
  readonly remove: () => string
  readonly clear: () => string
  /** Stands in the place of what was removed; `name` is that of the first file. */
  readonly removed: (name: string, count: number) => string
  /** Stands there instead where another file has taken its place. */
  readonly replaced: (name: string) => string
  readonly undo: () => string
  /** On the button that opens the camera of a phone. */
  readonly capture: (kind: "photo" | "video") => string
  /** Of the handle that a file is put into another place by. */
  readonly move: () => string
  /** Of the button that renames a file. */
  readonly rename: () => string
  /** Names the field for a new name. */
  readonly newName: (fileName: string) => string
  /** Why a name cannot be one. */
  readonly nameMistake: (mistake: NameMistake) => string
  readonly pauseAll: () => string
  readonly resumeAll: () => string
  readonly cancelAll: () => string
  /** How many have failed and can be tried again. */
  readonly retryAll: (count: number) => string
  /** Takes what is uploaded or cancelled off the list. */
  readonly removeFinished: () => string
  /** How far all files are, in one line; at the end what became of them. */
  readonly summary: (state: UploadState) => string
  readonly speed: (bytesPerSecond: number) => string
  readonly timeLeft: (seconds: number) => string
  /** Name of the main button of a component that has a name itself: `Choose a file`, `Cover` → `Choose a file, Cover`. */
  readonly labelled: (action: string, label: string) => string
  /** An action on one file, for screen readers: `Pause`, `a.png` → `Pause a.png`. */
  readonly actOn: (action: string, fileName: string) => string
  /** Name of the list of files. */
  readonly files: () => string
  readonly size: (bytes: number) => string
  /** State of one file, below its name. */
  readonly fileState: (item: UploadItem) => string
  /** What went wrong and what to do, in words for the user. */
  readonly error: (error: UploadError) => string
  /** Below a button of one line: which file went wrong, and why. */
  readonly failedFile: (fileName: string, reason: string) => string
  /** The same of several: what became of all, and the common reason, or else `failedFile` of the first. */
  readonly failedFiles: (summary: string, reason: string, isShared: boolean) => string
  /** Instead of an error that many files share, which is said once above the list. */
  readonly notUploaded: () => string
  /** How many files an error concerns that is said once for all. */
  readonly affected: (count: number) => string
  /** Why a file waits for its next try. */
  readonly waitingAfter: (error: UploadError | undefined) => string
  /** Instead of what only the app's operators can mend; in development the detail itself is shown. */
  readonly notSetUp: (code: ProblemCode) => string
  /** What a screen reader is told as it happens; English where a text is left out. */
  readonly announce: Partial<AnnouncementTexts>
  /** What an avatar and its crop say; English where a text is left out. */
  readonly picture: Partial<PictureTexts>
  readonly typeNotAllowed: (config: RouteConfig) => string
  /** Of a file without a byte, where it would have to be an image or the like. */
  readonly empty: () => string
  /** Of a file that has no name. */
  readonly unnamed: () => string
  /** Both in bytes. */
  readonly tooLarge: (size: number, maxSize: number) => string
  readonly tooMany: (kind: AcceptedKind) => string
  /** How many more have to be chosen before the upload can start. */
  readonly chooseMore: (kind: AcceptedKind, count: number) => string
  /** Of a file that the route's limits keep out, where it is not known which of them. */
  readonly limits: (config: RouteConfig) => string
  /** Name of the list of uploads that were interrupted. */
  readonly interrupted: () => string
  /** How far an interrupted upload had come. */
  readonly interruptedState: (upload: InterruptedUpload) => string
  readonly continue: () => string
  /** Like `continue`, where the user has to pick the file again. */
  readonly chooseAgain: () => string
  readonly discard: () => string
  /** In a form that must not be sent because of a file that failed or was refused. */
  readonly blocksForm: (item: UploadItem) => string
  /** In a form that must not be sent because files wait for their upload. */
  readonly uploadFirst: (count: number) => string
  /** In a form that must not be sent because files are on their way. */
  readonly stillUploading: () => string
  readonly continueAll: () => string
  readonly discardAll: () => string
  /** What was chosen to go on with an interrupted upload is another file, or are others; `size` in bytes. */
  readonly otherFile: (size: number, count: number) => string
  readonly uploadToo: () => string
  /** Nothing is uploaded, and the interrupted upload is kept. */
  readonly leaveOut: () => string
  /** Of a dropped folder in which nothing is. */
  readonly emptyFolder: () => string
  /** Of a dropped folder that the browser may not read. */
  readonly unreadableFolder: () => string
  /** Of a file in a dropped folder that the browser may not read. */
  readonly unreadableFile: () => string
  /** Name of an image of the clipboard, without its extension. */
  readonly pastedImage: (at: Date) => string
  /** Name of the tray. */
  readonly uploads: () => string
  /** What the tray says while so many files are on their way. */
  readonly uploading: (count: number) => string
  /** The button of the tray that shows and hides its files; screen readers hear which of them it is. */
  readonly showFiles: () => string
  /** The button that puts the tray away. */
  readonly close: () => string
}
