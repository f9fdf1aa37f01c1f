import { createAnnouncer } from "./announcer.ts"
import { toStatusId } from "./element-ids.ts"
import type { UploadController } from "./upload-controller.ts"
import type { UploadState } from "./upload-state.ts"
import type { UploadTexts } from "./upload-texts.ts"

/**
 * Writes what happens into the component's status element, for screen readers.
 *
 * @param id     of the outermost element
 * @param root   where its elements are
 * @param before the last state of which nothing is to be said
 * @returns ends it
 */
export const announceEvents = (
  id: string,
  root: () => NonElementParentNode,
  before: UploadState,
  { getState, subscribe }: Pick<UploadController, "getState" | "subscribe">,
  texts: UploadTexts,
): (() => void) => {
  let shown: Text | undefined
  /** A node of its own: frameworks leave alone what they have not made. A new one each time: the same text twice is said twice. */
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
