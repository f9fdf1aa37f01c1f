/** What comes before a choice: a pointer, the focus, a drag. */
const signs = ["pointerover", "focusin", "dragenter"] as const

/**
 * Loads what a component needs for uploading as soon as somebody comes near it.
 *
 * @param id of its outermost element
 * @param root where its elements are
 * @returns ends it
 */
export const preloadOnIntent = (id: string, root: Document | ShadowRoot, preload: () => void): (() => void) => {
  const look = ({ target }: Event) => {
    if (!root.getElementById(id)?.contains(target as Node)) return
    stop()
    preload()
  }
  const stop = () => {
    for (const sign of signs) root.removeEventListener(sign, look)
  }
  for (const sign of signs) root.addEventListener(sign, look, { passive: true })
  return stop
}
