/** The lists whose rows have our buttons. */
export const lists = '[data-sluice="file-list"],[data-sluice="interrupted"]'

/** The buttons in them. */
export const buttons =
  '[data-sluice="file-handle"],[data-sluice="file-rename"],[data-sluice="file-button"],[data-sluice="continue"],[data-sluice="discard"]'

/** What a button does: the same value in every row. */
export const toDeed = (button: Element): string | null =>
  button.getAttribute("data-action") ?? button.getAttribute("data-sluice")

/** The rows of the list that an element is in, including those without buttons, and the index of its own row. */
export const findRows = (element: Element): { readonly rows: ReadonlyArray<Element>; readonly at: number } => {
  const rows = [...(element.closest(lists)?.children ?? [])]
  return { rows, at: rows.findIndex((row) => row.contains(element)) }
}

/** Whether a row is far from the visible part of a long list: it gets its buttons once it comes near. */
export const isFar = (row: Element): boolean => row.hasAttribute("data-far")

/** The buttons of a row, or of a list. */
export const listButtons = (within: Element): ReadonlyArray<HTMLElement> => [
  ...within.querySelectorAll<HTMLElement>(buttons),
]
