import type { ResumeStore } from "../client/resume/resume-store.ts"
import { announceEvents } from "./announce-events.ts"
import { keepFocus } from "./keep-focus.ts"
import { takePasted } from "./listen-to-paste.ts"
import { watchNearRows } from "./near-rows.ts"
import { startPreviews } from "./previews.ts"
import { startRowTools } from "./start-row-tools.ts"
import { bringNear, thinFarRows } from "./thin-far-rows.ts"
import type { UploadConfig } from "./upload-component-options.ts"
import type { UploadController } from "./upload-controller.ts"
import type { UploadState } from "./upload-state.ts"
import type { UploadTexts } from "./upload-texts.ts"
import { unfoldNames } from "./unfold-names.ts"
import { walkRows } from "./walk-rows.ts"
import { warnBeforeLeaving } from "./warn-before-leaving.ts"

/** A component on its page. */
export interface Attended {
  /** Of its outermost element. */
  readonly id: string
  /** The tree it is in: the document, or a shadow root. */
  readonly root: () => Document | ShadowRoot
  readonly controller: UploadController
  readonly texts: UploadTexts
  /** Whether its markup has a row per file. */
  readonly hasList: boolean
  /** As they are now. */
  readonly options: () => {
    readonly config: UploadConfig
    readonly isDisabled: boolean
    readonly resumeStore: ResumeStore | undefined
  }
  /** When it came onto the page: what has changed since then is told. */
  readonly before: UploadState
}

/**
 * Does on the page what a component in use needs beside its markup: keeps the focus, walks rows by arrows, shows pictures,
 * speaks to screen readers, takes what is pasted and warns before the page goes.
 *
 * @returns ends it
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
    // Also where it was not wanted when the component came onto the page.
    takePasted({ id, root, controller, texts, isOff: () => !options().config.appendOnPaste || options().isDisabled }),
    warnBeforeLeaving(controller, () => options().config.warnBeforeLeaving ?? options().resumeStore === undefined),
  ]
  if (rows !== undefined) {
    if (hasList) ends.push(thinFarRows(rows, { id, root: tree, controller }))
    ends.push(rows.end)
  }
  return () => ends.forEach((end) => end())
}
