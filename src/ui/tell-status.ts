import { toStatusId } from "./element-ids.ts"

/** ms. Longer than that a text would be found when it is no longer true. */
const shownFor = 5000

/**
 * Makes what tells screen readers at once, in the component's own status element: an answer to a key, which must not wait
 * for its turn among what happens by itself.
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
