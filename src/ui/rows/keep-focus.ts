import { toMainId } from "../page/element-ids.ts"
import { findRows, isFar, listButtons, toDeed } from "./file-rows.ts"

/**
 * Keeps the focus of keyboard users in place. When the focused element disappears (a file is removed, a button is no
 * longer needed), the focus moves to the same button of the next row or the previous one, otherwise to the component's
 * main button instead of the top of the page. It never moves to a button that does something else: a user who presses
 * Enter at that moment must not remove a file instead of pausing it. Who has deleted a row with the key stays at its
 * neighbour, if need be at another button.
 *
 * @param id of the outermost element
 * @param root where its elements are: the document, or a shadow root
 * @param subscribe calls back before each rendering
 * @param bring has the row of a far file rendered completely
 * @returns stops it
 */
export const keepFocus = (
  id: string,
  root: Document | ShadowRoot,
  subscribe: (listener: () => void) => () => void,
  bring?: (itemId: string) => void,
): (() => void) => {
  let focused: Element | undefined
  let place: ReturnType<typeof findRows> | undefined
  /** The row that gets the focus once it has its buttons. */
  let next: { readonly row: Element; readonly find: (row: Element) => HTMLElement | undefined } | undefined
  /** On what Delete was pressed. */
  let deleting: Element | undefined
  const hold = (element: Element | null) => {
    focused = element !== null && root.getElementById(id)?.contains(element) ? element : undefined
    place = focused && findRows(focused)
  }
  const onFocus = ({ target }: Event) => hold(target as Element)
  const onKey = (event: Event) => {
    deleting = (event as KeyboardEvent).key === "Delete" ? focused : undefined
  }
  const isNowhere = () =>
    document.activeElement === null || document.activeElement === document.body || root.activeElement === null
  const focus = (button: HTMLElement | undefined) => (button ?? root.getElementById(toMainId(id)))?.focus()
  const findIn = (row: Element, deed: string | null) => listButtons(row).find((button) => toDeed(button) === deed)
  const arrive = () => {
    if (next === undefined || (next.row.isConnected && isFar(next.row))) return
    const { row, find } = next
    next = undefined
    if (isNowhere()) focus(find(row))
  }
  const look = () => {
    arrive()
    if (focused === undefined || place === undefined) return
    if (focused.isConnected) {
      // A key that has removed nothing is over: what disappears later was not deleted by it.
      deleting = undefined
      place = findRows(focused)
      return
    }
    const { rows, at } = place
    const deed = toDeed(focused)
    const isDeleted = focused === deleting
    focused = deleting = undefined
    if (!isNowhere()) return
    const near = at < 0 ? [] : [...rows.slice(at), ...rows.slice(0, at).toReversed()].filter((row) => row.isConnected)
    // Only rows of files share buttons with other rows: the line that offers to undo has none in common.
    const isFile = rows[at]?.hasAttribute("data-file") === true
    const find = (row: Element) => findIn(row, deed) ?? (isDeleted ? listButtons(row)[0] : undefined)
    const row = near.find((row) => (isFile && isFar(row)) || find(row) !== undefined)
    if (row === undefined || !isFar(row)) return focus(row && find(row))
    next = { row, find }
    bring?.(row.getAttribute("data-file")!)
  }
  hold(root.activeElement)
  root.addEventListener("focusin", onFocus)
  root.addEventListener("keydown", onKey)
  // After the framework has rendered, which is at most a microtask later.
  const unsubscribe = subscribe(() => setTimeout(look, 0))
  return () => {
    root.removeEventListener("focusin", onFocus)
    root.removeEventListener("keydown", onKey)
    unsubscribe()
  }
}
