import { createAnnouncementTexts } from "../texts/announcement-texts.ts"
import { isByFinger } from "../page/by-finger.ts"
import { dragRows } from "./drag-rows.ts"
import { lists } from "./file-rows.ts"
import type { RowTools } from "./row-tools.ts"
import { createTeller } from "../announcements/tell-status.ts"

/** A row that was lifted by its handle, and where it was then. */
interface Lifted {
  readonly itemId: string
  readonly from: number
}

const handle = '[data-action="move"]'

/** How many places a key moves a file. `columns`: how many rows are next to each other. */
const toStep = (key: string, columns: number, isRightToLeft: boolean): number => {
  const forward = isRightToLeft ? -1 : 1
  const steps: Record<string, number> = {
    ArrowUp: -columns,
    ArrowDown: columns,
    ArrowLeft: -forward,
    ArrowRight: forward,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  }
  return steps[key] ?? 0
}

/**
 * Lets users change the order of files. By pointer: the handle is dragged; or, without dragging, a click on it lifts
 * the file, and one on another handle puts it there. By keyboard: Space or Enter on the handle lifts it, arrows, Home
 * and End move it, Space or Enter drops it, Escape puts it back; Alt and an arrow move the file of any button at once.
 * Each step is announced.
 *
 * @returns stops it
 */
export const reorderRows = ({ id, root, controller, texts, config }: RowTools): (() => void) => {
  const say = createAnnouncementTexts(texts)
  const tell = createTeller(id, root)
  let lifted: Lifted | undefined

  const find = () => root.getElementById(id)
  const listRows = () => [...(find()?.querySelectorAll<HTMLElement>("[data-file]") ?? [])]
  const toId = (row: Element | null | undefined) => row?.getAttribute("data-file") ?? undefined
  const findRow = (itemId: string) => listRows().find((row) => toId(row) === itemId)
  const rowOf = (event: Event, selector: string): HTMLElement | undefined => {
    if (config().reorder !== true || controller.getState().isDisabled) return undefined
    const element = (event.target as Element).closest(selector)
    const row = element?.closest<HTMLElement>("[data-file]")
    return row && find()?.contains(row) ? row : undefined
  }
  const placeOf = (itemId: string) => controller.getState().files.findIndex((item) => item.id === itemId)
  const announce = (what: "lifted" | "liftedByFinger" | "moved" | "dropped" | "putBack", itemId: string) => {
    const { files } = controller.getState()
    const place = placeOf(itemId)
    if (place >= 0) tell(say[what](files[place]!, place + 1, files.length))
  }
  /** Restores the focus, which an element that is moved loses, once the framework has rendered, usually in a microtask. */
  const follow = (itemId: string, focused: Element | null) => {
    const action = focused?.getAttribute("data-action")
    const look = () => {
      const row = findRow(itemId)
      const button = row?.querySelector<HTMLElement>(`[data-action="${action}"]`)
      // If the user has moved the focus meanwhile, it stays there.
      const isNowhere = document.activeElement === null || document.activeElement === document.body
      if (button && isNowhere) button.focus({ preventScroll: true })
      row?.scrollIntoView?.({ block: "nearest" })
    }
    queueMicrotask(look)
    setTimeout(look, 0)
  }
  const mark = () => {
    for (const row of listRows()) {
      const isLifted = toId(row) === lifted?.itemId
      row.toggleAttribute("data-lifted", isLifted)
      row.querySelector(handle)?.setAttribute("aria-pressed", String(isLifted))
    }
  }
  const lift = (itemId: string) => {
    lifted = { itemId, from: placeOf(itemId) }
    mark()
    announce(isByFinger() ? "liftedByFinger" : "lifted", itemId)
  }
  const drop = (what: "dropped" | "putBack" | undefined) => {
    const { itemId } = lifted ?? {}
    lifted = undefined
    mark()
    if (itemId !== undefined && what !== undefined) announce(what, itemId)
  }
  const move = (itemId: string, place: number) => {
    const before = placeOf(itemId)
    const focused = root.activeElement
    controller.moveFile(itemId, Math.max(0, Math.min(place, controller.getState().files.length - 1)))
    if (focused && findRow(itemId)?.contains(focused)) follow(itemId, focused)
    if (placeOf(itemId) !== before) announce("moved", itemId)
  }
  const countColumns = () => {
    const boxes = listRows().map((row) => row.getBoundingClientRect())
    const next = boxes.findIndex(({ top }) => top !== boxes[0]!.top)
    // Without a layout, as in jsdom, rows have no size and are where lists have them.
    if (boxes[0]?.height === 0) return 1
    return next < 0 ? boxes.length : next
  }
  const step = (itemId: string, key: string, button: Element): boolean => {
    const columns = countColumns()
    const by = toStep(key, columns, getComputedStyle(button).direction === "rtl")
    // Rows in a single column are only moved by up and down.
    if (by === 0 || (columns === 1 && /Left|Right/.test(key))) return false
    const place = placeOf(itemId) + by
    const isOut = Number.isFinite(by) && (place < 0 || place >= controller.getState().files.length)
    if (!isOut) move(itemId, place)
    return true
  }

  const onKey = (event: Event) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event as KeyboardEvent
    if (ctrlKey || metaKey || shiftKey || event.defaultPrevented) return
    // The next key may be pressed before the focus is back.
    const isNowhere = lifted !== undefined && event.target === document.body
    const button = isNowhere
      ? findRow(lifted!.itemId)?.querySelector(handle)
      : (event.target as Element).closest("button")
    const itemId = isNowhere ? lifted!.itemId : toId(rowOf(event, "button"))
    if (!button || itemId === undefined) return
    const isLifted = lifted !== undefined && lifted.itemId === itemId
    if (isLifted && key === "Escape") {
      const { from } = lifted!
      controller.moveFile(itemId, from)
      follow(itemId, button)
      drop("putBack")
    } else if (!(isLifted || altKey) || !step(itemId, key, button)) return
    // Other listeners must not get the key: arrows would lead to the next row.
    event.preventDefault()
    event.stopPropagation()
  }
  const onClick = (event: Event) => {
    const itemId = toId(rowOf(event, handle))
    // A drag ends in a click with a click count; the count of a key is 0.
    if (itemId === undefined || ((event as MouseEvent).detail > 0 && drag.hasMoved())) return
    if (lifted === undefined) return lift(itemId)
    const { itemId: wanted } = lifted
    if (wanted !== itemId) move(wanted, placeOf(itemId))
    drop("dropped")
  }
  /** Moving the focus elsewhere drops the file; a list that scrolls has it after a click beside a handle. */
  const onFocus = ({ target }: Event) => {
    if (lifted === undefined || (target as Element).closest(handle) || (target as Element).matches(lists)) return
    drop(undefined)
  }
  const drag = dragRows({
    start: (event) => rowOf(event, handle),
    rows: listRows,
    drop: (row, target, isAfter) => {
      const [itemId, otherId] = [toId(row), toId(target)]
      drop(undefined)
      if (itemId === undefined || otherId === undefined) return
      const [from, to] = [placeOf(itemId), placeOf(otherId)]
      move(itemId, to + (isAfter ? 1 : 0) - (from < to ? 1 : 0))
    },
  })
  // The file may leave the list, or its row may be replaced.
  const unsubscribe = controller.subscribe(() => {
    if (lifted === undefined) return
    if (placeOf(lifted.itemId) < 0) lifted = undefined
    setTimeout(mark, 0)
  })
  const events = { click: onClick, focusin: onFocus, pointerdown: drag.onDown } as const
  for (const [type, listen] of Object.entries(events)) root.addEventListener(type, listen)
  root.addEventListener("keydown", onKey, true)
  return () => {
    for (const [type, listen] of Object.entries(events)) root.removeEventListener(type, listen)
    root.removeEventListener("keydown", onKey, true)
    unsubscribe()
    drag.end()
    tell("")
    lifted = undefined
    mark()
  }
}
