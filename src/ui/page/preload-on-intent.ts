/** Events that precede a choice: a pointer, the focus, a drag. */
const signs = ["pointerover", "focusin", "dragenter"] as const

/**
 * Loads the code for uploading as soon as the pointer or the focus comes near a component.
 *
 * @param id of its outermost element
 * @param root where its elements are
 * @returns stops it
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
