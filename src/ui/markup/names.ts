import { toMainId } from "../page/element-ids.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { UploadNames } from "./looks.ts"
import type { Attributes, Markup } from "./markup.ts"

/** Attributes of the outermost element: a component with a name is a group. */
export const toGroup = (names: UploadNames): Attributes => {
  const { "aria-label": label, "aria-labelledby": labelledBy } = names
  return label || labelledBy
    ? { role: "group", "aria-label": labelledBy ? undefined : label, "aria-labelledby": labelledBy }
    : {}
}

/** The name of the main button, in addition to its visible text. */
export interface MainName {
  readonly attributes: Attributes
  /** Its content. */
  readonly children: ReadonlyArray<Markup | string>
}

/** The main button's text and, for assistive technology, the component's name after it. */
export const nameMain = (names: UploadNames, texts: UploadTexts, id: string, says: string): MainName => {
  const { "aria-label": label, "aria-labelledby": labelledBy } = names
  const attributes: Attributes = labelledBy
    ? { "aria-labelledby": `${toMainId(id)} ${labelledBy}` }
    : label
      ? { "aria-label": texts.labelled(says, label) }
      : {}
  return { attributes, children: [says] }
}
