/**
 * Shows all of a long name as long as the keyboard focus is in its row: `data-keyed`. While the pointer presses
 * something, the row stays open until it is released, because otherwise the row would close and the click would miss
 * its button.
 *
 * @param id of the outermost element
 * @param root where its elements are: the document, or a shadow root
 * @returns stops it
 */
export const unfoldNames = (id: string, root: Document | ShadowRoot): (() => void) => {
  let open: Element | undefined
  let wanted: Element | undefined
  let isPressed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const settle = () => {
    if (open === wanted) return
    open?.removeAttribute("data-keyed")
    wanted?.setAttribute("data-keyed", "")
    open = wanted
  }
  const onFocus = ({ type, target }: Event) => {
    const row = (target as Element).closest("[data-file]")
    const isIn = type === "focusin" && row !== null && (target as Element).matches(":focus-visible")
    wanted = isIn && root.getElementById(id)?.contains(row) ? row : undefined
    if (!isPressed) settle()
  }
  const onPress = ({ type }: Event) => {
    isPressed = type === "pointerdown"
    clearTimeout(timer)
    // The click comes first.
    if (!isPressed) timer = setTimeout(settle, 0)
  }
  const moves = ["focusin", "focusout"] as const
  const presses = ["pointerdown", "pointerup", "pointercancel"] as const
  for (const type of moves) root.addEventListener(type, onFocus)
  // A pointer pressed in a shadow root may be released outside.
  for (const type of presses) addEventListener(type, onPress, true)
  return () => {
    for (const type of moves) root.removeEventListener(type, onFocus)
    for (const type of presses) removeEventListener(type, onPress, true)
    clearTimeout(timer)
    wanted = undefined
    settle()
  }
}
