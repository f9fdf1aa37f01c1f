import { toStatusId } from "../page/element-ids.ts"

/** ms. A text that stayed longer could be read when it is no longer true. */
const shownFor = 5000

/**
 * Makes the function that tells screen readers something at once, in the component's own status element: the reply to
 * a key, which must not wait for announcements of other events.
 *
 * @param id of the outermost element
 */
export const createTeller = (id: string, root: NonElementParentNode): ((text: string) => void) => {
  let node: Text | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  return (text) => {
    clearTimeout(timer)
    node?.remove()
    if (text === "") return
    node = document.createTextNode(text)
    root.getElementById(toStatusId(id))?.replaceChildren(node)
    timer = setTimeout(() => node?.remove(), shownFor)
  }
}
