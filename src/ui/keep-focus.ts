import { toMainId } from "./element-ids.ts"
import { findRows, listButtons, toDeed } from "./file-rows.ts"

/**
 * Keeps users of a keyboard where they are: when the element that has the focus goes away (a file is removed, a button is
 * no longer needed), the focus goes to the same button of the next row or the one before, else to the component's main
 * button instead of the top of the page. Never to a button that does something else: who presses Enter at that very
 * moment must not remove what was to be paused.
 *
 * @param id of the outermost element
 * @param root where its elements are: the document, or a shadow root
 * @param subscribe tells of each rendering to come
 * @returns ends it
 */
export const keepFocus = (
  id: string,
  root: Document | ShadowRoot,
  subscribe: (listener: () => void) => () => void,
): (() => void) => {
  let focused: Element | undefined
  let place: ReturnType<typeof findRows> | undefined
  const hold = (element: Element | null) => {
    focused = element !== null && root.getElementById(id)?.contains(element) ? element : undefined
    place = focused && findRows(focused)
  }
  const onFocus = ({ target }: Event) => hold(target as Element)
  const look = () => {
    if (focused === undefined || place === undefined) return
    if (focused.isConnected) {
      place = findRows(focused)
      return
    }
    const { rows, at } = place
    const deed = toDeed(focused)
    focused = undefined
    const isNowhere = document.activeElement === null || document.activeElement === document.body
    if (!isNowhere && root.activeElement !== null) return
    const near = at < 0 ? [] : [...rows.slice(at), ...rows.slice(0, at).toReversed()].filter((row) => row.isConnected)
    const same = near.flatMap(listButtons).find((button) => toDeed(button) === deed)
    ;(same ?? root.getElementById(toMainId(id)))?.focus()
  }
  hold(root.activeElement)
  root.addEventListener("focusin", onFocus)
  // After the framework has rendered, which is a microtask later at the most.
  const unsubscribe = subscribe(() => setTimeout(look, 0))
  return () => {
    root.removeEventListener("focusin", onFocus)
    unsubscribe()
  }
}
