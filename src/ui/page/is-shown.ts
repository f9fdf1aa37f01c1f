/** What is around an element, the nearest first, also outside of the shadow root it is in. */
const listAround = (element: Element): ReadonlyArray<Element> => {
  const around: Array<Element> = []
  for (let next: Element | null = element; next !== null;) {
    around.push(next)
    const root = next.getRootNode()
    next = next.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
  }
  return around
}

/**
 * Whether users see an element and can use it: it is in the document, nothing hides it, and no dialog lies over it. A
 * page that is kept for later (`<KeepAlive>`), a closed dialog and a folded tab are not shown. Ask before a component acts
 * on what happens elsewhere on the page.
 */
export const isShown = (element: Element): boolean => {
  if (!element.isConnected) return false
  const around = listAround(element)
  // An element without a box of its own is where its parent is.
  const boxed = around.find((each) => getComputedStyle(each).display !== "contents")
  if (boxed?.checkVisibility?.({ checkVisibilityCSS: true }) === false) return false
  const dialog = [...document.querySelectorAll("dialog[open]")].findLast((each) => each.matches(":modal"))
  return !around.some((each) => each.hasAttribute("inert")) && (dialog === undefined || around.includes(dialog))
}
