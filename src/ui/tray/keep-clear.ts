/** px between the focused element and the overlay. */
const gap = 8

/**
 * Keeps the focused element from being hidden below an overlay (WCAG 2.4.11): the page scrolls as far as it can, and
 * if that is not enough, the overlay is made small.
 *
 * @param cover returns the overlay
 * @param give  makes the overlay small
 * @returns stops it
 */
export const keepClear = (cover: () => Element | null, give: () => void): (() => void) => {
  /** How far an element reaches below the cover, if they overlap. */
  const overlap = (element: Element): number => {
    const over = cover()?.getBoundingClientRect()
    const box = element.getBoundingClientRect()
    if (over === undefined || over.height === 0) return 0
    const isClear = box.right <= over.left || box.left >= over.right || box.bottom <= over.top || box.top >= over.bottom
    return isClear ? 0 : box.bottom - over.top + gap
  }
  const look = ({ target }: Event) => {
    const element = target as Element
    if (cover()?.contains(element)) return
    // The browser scrolls to it first.
    requestAnimationFrame(() => {
      const below = overlap(element)
      if (below === 0 || document.activeElement !== element) return
      scrollBy({ top: below, behavior: "instant" })
      if (overlap(element) > 0) give()
    })
  }
  document.addEventListener("focusin", look)
  return () => document.removeEventListener("focusin", look)
}
