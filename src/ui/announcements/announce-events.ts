import { createAnnouncer } from "./announcer.ts"
import { toStatusId } from "../page/element-ids.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/**
 * Writes announcements into the component's status element, for screen readers.
 *
 * @param id     of the outermost element
 * @param root   where its elements are
 * @param before the last state, which is not announced
 * @returns stops it
 */
export const announceEvents = (
  id: string,
  root: () => NonElementParentNode,
  before: UploadState,
  { getState, subscribe }: Pick<UploadController, "getState" | "subscribe">,
  texts: UploadTexts,
): (() => void) => {
  let shown: Text | undefined
  /**
   * A node of its own, because frameworks leave nodes alone that they have not made. A new one each time, because the
   * same text is then announced again.
   */
  const show = (text: string) => {
    shown?.remove()
    shown = document.createTextNode(text)
    if (text !== "") root().getElementById(toStatusId(id))?.replaceChildren(shown)
  }
  const { look, end } = createAnnouncer(before, getState, texts, show)
  const unsubscribe = subscribe(look)
  if (getState() !== before) look()
  return () => {
    unsubscribe()
    end()
    show("")
  }
}
