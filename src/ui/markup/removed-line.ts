import { splitName } from "../files/split-name.ts"
import type { RemovedFiles } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

/** The most that is shown of a name, in UTF-16 code units, in addition to its end. */
const most = 24

/** Shortens a name to fit on one line; its end stays. */
const shorten = (name: string): string => {
  const [stem, end] = splitName(name)
  if (end === undefined || stem.length <= most) return name
  // No half of a character remains.
  return `${stem
    .slice(0, most)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…${end}`
}

/** Text about what was removed. */
export const sayRemoved = ({ files, replacedBy }: RemovedFiles<any>, texts: UploadTexts): string => {
  const name = shorten(files[0]!.name)
  return replacedBy === undefined ? texts.removed(name, files.length) : texts.replaced(name)
}

/**
 * Replaces files that were removed and can be restored.
 *
 * @param id where another element refers to it as its description
 */
export const describeRemoved = ({ state, texts, parts, part }: ComponentView, tag: string, id?: string): Markup => {
  const text = sayRemoved(state.removed!, texts)
  return part(tag, "removed", { attributes: { id } }, [
    describe("span", "text", {}, [text]),
    part("button", "undoButton", parts.undo, [texts.undo()]),
  ])
}
