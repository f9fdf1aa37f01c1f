/**
 * Keeps users of a keyboard where they are: when the element that has the focus goes away (a file is removed, a button is
 * no longer needed), the focus goes to the component's main button instead of the top of the page.
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
  const onFocus = ({ target }: Event) => {
    focused = root.getElementById(id)?.contains(target as Element) ? (target as Element) : undefined
  }
  const look = () => {
    if (focused === undefined || focused.isConnected) return
    focused = undefined
    const isNowhere = document.activeElement === null || document.activeElement === document.body
    if (isNowhere || root.activeElement === null) root.getElementById(toMainId(id))?.focus()
  }
  root.addEventListener("focusin", onFocus)
  // After the framework has rendered, which is a microtask later at the most.
  const unsubscribe = subscribe(() => setTimeout(look, 0))
  return () => {
    root.removeEventListener("focusin", onFocus)
    unsubscribe()
  }
}

/** Id of the button that opens the file dialog. */
export const toMainId = (id: string): string => `${id}-main`
