import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadItem } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { ComponentView } from "./component-view.ts"
import type { PartName } from "./looks.ts"
import type { Markup } from "./markup.ts"
import { isToldAbove } from "./notice.ts"

/** All that complete rows are described from besides their files; the same object as long as nothing in it changes. */
interface Sources {
  readonly controller: UploadController
  readonly texts: UploadTexts
  readonly rename: boolean | undefined
  readonly isDisabled: boolean
  readonly isMovable: boolean
}

/** A row as it was described, and from what besides its file. */
interface KeptRow {
  readonly markup: Markup
  readonly from: object
  readonly isTold: boolean
}

/** Describes a row anew. */
export type DescribeRow<View> = (view: View, item: UploadItem) => Markup

/** The parts that a row is made of. A far one is only the first. */
const rowParts: ReadonlyArray<PartName> = [
  "file",
  "fileHandle",
  "filePreview",
  "fileName",
  "fileState",
  "fileRename",
  "fileButton",
  "fileProgress",
]

/** What the name of a file is described from besides the file. */
const nothing = {}

const rows = new WeakMap<UploadItem, KeptRow>()

const latest = new WeakMap<UploadController, Sources>()

const findSources = ({ controller, state, texts, config }: ComponentView): Sources => {
  const { isDisabled, files } = state
  const isMovable = config.reorder === true && files.length > 1
  const sources: Sources = { controller, texts, rename: config.rename, isDisabled, isMovable }
  const before = latest.get(controller)
  if (before && Object.entries(sources).every(([name, value]) => value === before[name as keyof Sources])) return before
  latest.set(controller, sources)
  return sources
}

/**
 * Describes a row only when something in it has changed, because usually that is one file of many.
 *
 * @returns describes the rows of one rendering; `isFar`: whether a row is outside the visible part, and so only a name, and
 *          why it has failed. It is called for each of thousands of rows, and allocates nothing for those that it keeps
 */
export const keepRows = <View extends ComponentView>(
  view: View,
): ((item: UploadItem, isFar: boolean, describeAnew: DescribeRow<View>) => Markup) => {
  const { texts, looks, blocking } = view
  const sources = findSources(view)
  // The page's own looks and content may depend on anything.
  const isOurs = (part: PartName) => looks.appearance?.[part] === undefined && looks.content?.[part] === undefined
  const isFarOurs = isOurs("file")
  const isNearOurs = rowParts.every(isOurs)
  return (item, isFar, describeAnew) => {
    // The validity control is in the row that blocks a form; what a waiting file shows changes with the clock.
    const mayKeep = isFar ? isFarOurs : isNearOurs && item !== blocking && item.status !== "waiting"
    if (!mayKeep) return describeAnew(view, item)
    const from = isFar ? (item.status === "failed" ? texts : nothing) : sources
    const isTold = !isFar && isToldAbove(view, item)
    const kept = rows.get(item)
    if (kept?.from === from && kept.isTold === isTold) return kept.markup
    const markup: Markup = { ...describeAnew(view, item), isKept: true }
    rows.set(item, { markup, from, isTold })
    return markup
  }
}
