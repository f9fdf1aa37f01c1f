import type { UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

/** How many more files an upload needs; undefined where it may start. */
export const sayMissing = ({ missing }: UploadState, texts: UploadTexts): string | undefined =>
  missing && texts.chooseMore(missing.kind, missing.count)

/** Says why the upload cannot start yet; the button that would start it refers to this. */
export const describeMissing = ({ state, texts, id }: ComponentView): Markup | undefined => {
  const says = sayMissing(state, texts)
  return says === undefined
    ? undefined
    : describe("p", "missing", { attributes: { id: `${id}-missing`, "data-sluice": "missing" } }, [says])
}
