/** The rows that can be dragged, and what happens to them. */
interface DragOptions {
  /** The row that an event begins to drag, if any. */
  readonly start: (event: Event) => HTMLElement | undefined
  readonly rows: () => ReadonlyArray<HTMLElement>
  /** The row was dropped before or after another one. */
  readonly drop: (row: HTMLElement, target: HTMLElement, isAfter: boolean) => void
}

/** Dragging of rows by mouse, pen and finger. */
interface RowDrags {
  readonly onDown: (event: Event) => void
  /** Whether the pointer has moved since it went down: its click is then ignored. */
  readonly hasMoved: () => boolean
  readonly end: () => void
}

/**
 * px. `least`: less is a click. `edge`: this near to the end of the scrolling element, it scrolls. `speed`: per frame,
 * at the very end.
 */
const sizes = { least: 5, edge: 48, speed: 14 }

interface Target {
  readonly row: HTMLElement
  readonly isAfter: boolean
}

/** The element that scrolls when a pointer comes to its end: the list itself, if its height is limited, otherwise the page. */
const findScroller = (row: HTMLElement): Element => {
  const list = row.parentElement
  return list !== null &&
    list.scrollHeight > list.clientHeight + 1 &&
    /auto|scroll/.test(getComputedStyle(list).overflowY)
    ? list
    : document.documentElement
}

/**
 * Drags rows by pointer events, because HTML's drag and drop does not support touch, and files arrive by it. The row
 * follows the pointer, a line shows where it would go, and nothing changes before it is dropped; Escape cancels.
 */
export const dragRows = ({ start, rows, drop }: DragOptions): RowDrags => {
  let hasMoved = false
  let stop: (() => void) | undefined

  const onDown = (event: Event) => {
    const { pointerId, button, isPrimary, clientX, clientY } = event as PointerEvent
    if (stop === undefined) hasMoved = false
    const row = start(event)
    if (row === undefined || button !== 0 || !isPrimary || stop !== undefined) return
    const scroller = findScroller(row)
    const list = row.parentElement!
    const at = { x: clientX, y: clientY }
    const scrolled = () => scroller.scrollTop
    const first = { ...at, scroll: scrolled() }
    const isRightToLeft = getComputedStyle(list).direction === "rtl"
    // It stays in its list: beyond it, it would only extend the scrollable area.
    const [own, around] = [row.getBoundingClientRect(), list.getBoundingClientRect()]
    const left = around.left - own.left
    const top = around.top - own.top - list.scrollTop
    const room = { x: list.clientWidth - own.width, y: list.scrollHeight - own.height }
    const keepIn = (value: number, least: number, most: number) => Math.max(least, Math.min(value, least + most))
    let target: Target | undefined
    let frame = 0

    const findTarget = (): Target | undefined => {
      const all = rows().filter((other) => other !== row)
      const boxes = all.map((other) => ({ row: other, box: other.getBoundingClientRect() }))
      const isGrid = boxes.some(({ box }, index) => index > 0 && Math.abs(box.top - boxes[index - 1]!.box.top) < 2)
      let best: (typeof boxes)[number] | undefined
      let least = Number.POSITIVE_INFINITY
      for (const each of boxes) {
        const { left, right, top, bottom } = each.box
        const x = isGrid ? Math.max(left - at.x, 0, at.x - right) : 0
        const y = Math.max(top - at.y, 0, at.y - bottom)
        const distance = x * x + y * y
        if (distance >= least) continue
        least = distance
        best = each
      }
      if (best === undefined) return undefined
      const { left, right, top, bottom } = best.box
      const isBeyond = isGrid ? at.x > (left + right) / 2 !== isRightToLeft : at.y > (top + bottom) / 2
      return { row: best.row, isAfter: isBeyond }
    }
    const show = () => {
      const x = keepIn(at.x - first.x, left, room.x)
      const y = keepIn(at.y - first.y + scrolled() - first.scroll, top, room.y)
      row.style.translate = `${x}px ${y}px`
      const next = findTarget()
      target?.row.removeAttribute("data-drop")
      target = next
      next?.row.setAttribute("data-drop", next.isAfter ? "after" : "before")
    }
    const scroll = () => {
      const box = scroller === document.documentElement ? { top: 0, bottom: innerHeight } : list.getBoundingClientRect()
      const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)]
      const near = (distance: number) => Math.max(0, Math.min(1, (sizes.edge - distance) / sizes.edge))
      const by = (near(bottom - at.y) - near(at.y - top)) * sizes.speed
      if (by !== 0) {
        const before = scrolled()
        scroller.scrollTop = before + by
        if (scrolled() !== before) show()
      }
      frame = requestAnimationFrame(scroll)
    }
    const onMove = (move: Event) => {
      const { pointerId: of, clientX: x, clientY: y } = move as PointerEvent
      if (of !== pointerId) return
      Object.assign(at, { x, y })
      if (!hasMoved) {
        if (Math.hypot(x - first.x, y - first.y) < sizes.least) return
        hasMoved = true
        row.setAttribute("data-dragged", "")
        list.setAttribute("data-sorting", "")
        frame = requestAnimationFrame(scroll)
      }
      show()
    }
    const onUp = (up: Event) => {
      if ((up as PointerEvent).pointerId !== pointerId) return
      const last = hasMoved && up.type === "pointerup" ? target : undefined
      finish()
      if (last !== undefined) drop(row, last.row, last.isAfter)
    }
    const onKey = (key: Event) => {
      if ((key as KeyboardEvent).key !== "Escape" || !hasMoved) return
      key.preventDefault()
      key.stopPropagation()
      finish()
    }
    const finish = () => {
      stop = undefined
      cancelAnimationFrame(frame)
      for (const [type, listen] of Object.entries(listeners)) removeEventListener(type, listen, true)
      row.style.translate = ""
      row.removeAttribute("data-dragged")
      list.removeAttribute("data-sorting")
      target?.row.removeAttribute("data-drop")
    }
    // The picture of a row may have come under the pointer, and browsers would drag that.
    const onDrag = (drag: Event) => drag.preventDefault()
    const listeners = {
      pointermove: onMove,
      pointerup: onUp,
      pointercancel: onUp,
      keydown: onKey,
      dragstart: onDrag,
    }
    for (const [type, listen] of Object.entries(listeners)) addEventListener(type, listen, true)
    stop = finish
  }
  return { onDown, hasMoved: () => hasMoved, end: () => stop?.() }
}
