import type { UploadItem } from "../controller/upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import type { PartName } from "./looks.ts"
import type { Markup } from "./markup.ts"
import { isToldAbove } from "./notice.ts"

/** A row as it was described, and from what besides its file. */
interface KeptRow {
  readonly markup: Markup
  readonly from: ReadonlyArray<unknown>
}

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

const rows = new WeakMap<UploadItem, KeptRow>()

/** All but its file that a row is described from; undefined where that cannot be known. */
const listSources = (
  component: ComponentView,
  item: UploadItem,
  isFar: boolean,
): ReadonlyArray<unknown> | undefined => {
  const { controller, state, texts, config, looks, blocking } = component
  // The page's own looks and content may depend on anything.
  const isOurs = (part: PartName) => looks.appearance?.[part] === undefined && looks.content?.[part] === undefined
  if (!(isFar ? isOurs("file") : rowParts.every(isOurs))) return undefined
  if (isFar) return item.status === "failed" ? [texts] : []
  // The validity control is in the row that blocks a form; what a waiting file shows changes with the clock.
  if (item === blocking || item.status === "waiting") return undefined
  const isMovable = config.reorder === true && state.files.length > 1
  return [controller, texts, config.rename, state.isDisabled, isMovable, isToldAbove(component, item)]
}

/**
 * Describes a row only when something in it has changed, because usually that is one file of many.
 *
 * @param isFar whether it is outside the visible part, and so only a name, and why it has failed
 */
export const keepRow = (
  component: ComponentView,
  item: UploadItem,
  isFar: boolean,
  describeAnew: () => Markup,
): Markup => {
  const from = listSources(component, item, isFar)
  if (from === undefined) return describeAnew()
  const kept = rows.get(item)
  if (kept?.from.length === from.length && from.every((value, index) => value === kept.from[index])) return kept.markup
  const markup: Markup = { ...describeAnew(), isKept: true }
  rows.set(item, { markup, from })
  return markup
}
