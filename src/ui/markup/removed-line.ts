import { splitName } from "../split-name.ts"
import type { RemovedFiles } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

/** Most that is shown of a name, in UTF-16 code units, beside its end. */
const most = 24

/** A name that fits on one line; its end stays. */
const shorten = (name: string): string => {
  const [stem, end] = splitName(name)
  if (end === undefined || stem.length <= most) return name
  // No half of a character stays.
  return `${stem
    .slice(0, most)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…${end}`
}

/** What was removed, in words. */
export const sayRemoved = ({ files, replacedBy }: RemovedFiles<any>, texts: UploadTexts): string => {
  const name = shorten(files[0]!.name)
  return replacedBy === undefined ? texts.removed(name, files.length) : texts.replaced(name)
}

/**
 * Stands where files were that can come back.
 *
 * @param id where something is described by it
 */
export const describeRemoved = ({ state, texts, parts, part }: ComponentView, tag: string, id?: string): Markup => {
  const text = sayRemoved(state.removed!, texts)
  return part(tag, "removed", { attributes: { id } }, [
    describe("span", "text", {}, [text]),
    part("button", "undoButton", parts.undo, [texts.undo()]),
  ])
}
