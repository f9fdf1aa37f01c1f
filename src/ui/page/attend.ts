import type { ResumeStore } from "../../client/resume/resume-store.ts"
import { announceEvents } from "../announcements/announce-events.ts"
import { keepFocus } from "../rows/keep-focus.ts"
import { takePasted } from "./listen-to-paste.ts"
import { watchNearRows } from "../rows/near-rows.ts"
import { startPreviews } from "../pictures/previews.ts"
import { startRowTools } from "../rows/start-row-tools.ts"
import { bringNear, thinFarRows } from "../rows/thin-far-rows.ts"
import type { UploadConfig } from "../controller/upload-component-options.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import { unfoldNames } from "../rows/unfold-names.ts"
import { walkRows } from "../rows/walk-rows.ts"
import { warnBeforeLeaving } from "./warn-before-leaving.ts"

/** A component on its page. */
export interface Attended {
  /** Id of its outermost element. */
  readonly id: string
  /** The tree it is in: the document, or a shadow root. */
  readonly root: () => Document | ShadowRoot
  readonly controller: UploadController
  readonly texts: UploadTexts
  /** Whether its markup has a row for each file. */
  readonly hasList: boolean
  /** The current ones. */
  readonly options: () => {
    readonly config: UploadConfig
    readonly isDisabled: boolean
    readonly resumeStore: ResumeStore | undefined
  }
  /** The state when it was added to the page: later changes are announced. */
  readonly before: UploadState
}

/**
 * Does on the page what a component in use needs in addition to its markup: it keeps the focus, moves through rows by
 * arrow keys, shows pictures, announces to screen readers, accepts pasted files and warns before the user leaves the
 * page.
 *
 * @returns stops it
 */
export const attend = ({ id, root, controller, texts, hasList, options, before }: Attended): (() => void) => {
  const tree = root()
  const rows = watchNearRows({ id, root: tree, controller })
  const { subscribe } = controller
  const bring = (itemId: string) => bringNear({ id, root: tree, controller }, itemId)
  const ends = [
    keepFocus(id, tree, subscribe, bring),
    startRowTools({ id, root: tree, controller, texts, config: () => options().config }),
    walkRows(id, tree, subscribe, bring),
    unfoldNames(id, tree),
    startPreviews({ id, root: tree, rows, controller, isWanted: () => options().config.previews !== "none" }),
    announceEvents(id, root, before, controller, texts),
    // Even where it was not wanted when the component was added to the page.
    takePasted({ id, root, controller, texts, isOff: () => !options().config.appendOnPaste || options().isDisabled }),
    warnBeforeLeaving(controller, () => options().config.warnBeforeLeaving ?? options().resumeStore === undefined),
  ]
  if (rows !== undefined) {
    if (hasList) ends.push(thinFarRows(rows, { id, root: tree, controller }))
    ends.push(rows.end)
  }
  return () => ends.forEach((end) => end())
}
