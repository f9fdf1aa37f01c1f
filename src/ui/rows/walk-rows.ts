import { buttons, findRows, isFar, listButtons, lists, toDeed } from "./file-rows.ts"

/** The button of a row that does the same as another one, otherwise the row's last button. */
const findLike = (row: Element, button: Element): HTMLElement | undefined => {
  const there = listButtons(row)
  return there.find((other) => toDeed(other) === toDeed(button)) ?? there.at(-1)
}

/** Where a key leads from a button: to another one, to a row that is far, or nowhere. */
const follow = (key: string, button: Element): Element | undefined => {
  const { rows: all, at } = findRows(button)
  const rows = all.filter((row, index) => index === at || isFar(row) || listButtons(row).length > 0)
  const place = rows.indexOf(all[at]!)
  const own = listButtons(all[at]!)
  const turn = key === "ArrowLeft" || key === "ArrowRight"
  if (turn) {
    const isForward = (key === "ArrowRight") === (getComputedStyle(button).direction !== "rtl")
    return own[own.indexOf(button as HTMLElement) + (isForward ? 1 : -1)]
  }
  const row = { ArrowDown: rows[place + 1], ArrowUp: rows[place - 1], Home: rows[0], End: rows.at(-1) }[key]
  return row && (isFar(row) ? row : findLike(row, button))
}

const keys = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"])

/**
 * Makes a list of files one stop of the Tab key, however long it is: up, down, Home and End move between rows, left
 * and right between the buttons of one, Delete removes it. A tap on a name shows all of it. It works on the elements
 * in the page, by their `data-sluice` attributes, and changes none of the page's own elements.
 *
 * @param id of the outermost element
 * @param root where its elements are: the document, or a shadow root
 * @param subscribe calls back before each rendering
 * @param bring has the row of a far file rendered completely
 * @returns stops it
 */
export const walkRows = (
  id: string,
  root: Document | ShadowRoot,
  subscribe: (listener: () => void) => () => void,
  bring?: (itemId: string) => void,
): (() => void) => {
  /** The closest ancestor of an event's target, or the target itself, if it is in a list of this component. */
  const find = ({ target }: Event, selector: string): HTMLElement | null => {
    const found = (target as Element).closest<HTMLElement>(selector)
    return found?.closest(lists) && root.getElementById(id)?.contains(found) ? found : null
  }
  /** Sets the Tab stop to the button that had the focus last, or to the first. */
  const mark = (list: Element, chosen?: Element) => {
    const all = listButtons(list)
    const stop = chosen ?? all.find((button) => button.getAttribute("tabindex") === "0") ?? all[0]
    for (const button of all) {
      const index = button === stop ? "0" : "-1"
      if (button.getAttribute("tabindex") !== index) button.setAttribute("tabindex", index)
    }
  }
  /** The row that a key leads to, and the button it was pressed on. */
  let wanted: { readonly row: Element; readonly from: HTMLElement } | undefined
  const arrive = () => {
    if (wanted === undefined || isFar(wanted.row)) return
    const { row, from } = wanted
    wanted = undefined
    // If the user has moved the focus meanwhile, it stays there.
    if (root.activeElement === from) findLike(row, from)?.focus()
  }
  const onFocus = (event: Event) => {
    const button = find(event, buttons)
    wanted = undefined
    if (button) mark(button.closest(lists)!, button)
  }
  const onKey = (event: Event) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event as KeyboardEvent
    if (event.defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return
    const button = find(event, buttons)
    if (button === null) return
    if (wanted !== undefined && key !== "Tab") {
      // The focus is about to move to another row: keys no longer act on this one.
      event.preventDefault()
    } else if (key === "Delete") {
      const { rows, at } = findRows(button)
      listButtons(rows[at]!)
        .find((other) => toDeed(other) === "remove")
        ?.click()
    } else if (keys.has(key)) {
      event.preventDefault() // the page does not scroll, even at the ends of the list
      const there = follow(key, button)
      wanted = there && isFar(there) ? { row: there, from: button } : undefined
      if (wanted) bring?.(there!.getAttribute("data-file")!)
      else (there as HTMLElement | undefined)?.focus()
    }
  }
  const onClick = (event: Event) => {
    // Selecting a name to copy it is not a tap.
    if (getSelection()?.isCollapsed !== false) find(event, '[data-sluice="file-name"]')?.toggleAttribute("data-whole")
  }
  const seen = new WeakSet<Element>()
  /** The row of a refused file shows the reason, so it is scrolled into view within its list. */
  const show = (list: Element) => {
    let refused: Element | undefined
    // There may be thousands, and this is done whenever one of them has changed.
    for (let row = list.firstElementChild; row !== null; row = row.nextElementSibling) {
      if (seen.has(row)) continue
      seen.add(row)
      if (row.getAttribute("data-state") === "failed") refused ??= row
    }
    if (refused === undefined) return
    const [box, place] = [list.getBoundingClientRect(), refused.getBoundingClientRect()]
    // Not to its very edge: who sees the end of a row above knows that there are others.
    if (place.bottom > box.bottom || place.top < box.top) list.scrollTop += place.top - box.top - 48
  }
  // After the framework has rendered, which is at most a microtask later.
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const list of root.getElementById(id)?.querySelectorAll(lists) ?? []) {
        mark(list)
        show(list)
      }
      arrive()
    }, 0)
  }
  const events = { focusin: onFocus, keydown: onKey, click: onClick }
  for (const [type, handle] of Object.entries(events)) root.addEventListener(type, handle)
  const unsubscribe = subscribe(look)
  look()
  return () => {
    for (const [type, handle] of Object.entries(events)) root.removeEventListener(type, handle)
    clearTimeout(timer)
    unsubscribe()
  }
}
