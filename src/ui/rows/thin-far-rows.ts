import { isFar } from "./file-rows.ts"
import { isLongList } from "./long-list.ts"
import type { NearRows } from "./near-rows.ts"
import type { UploadController } from "../controller/upload-controller.ts"

/** The component whose rows are meant. */
interface ThinRows {
  /** Id of its outermost element. */
  readonly id: string
  readonly root: Document | ShadowRoot
  readonly controller: Pick<UploadController<any>, "getState" | "setNear">
}

const isSame = (a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean =>
  a?.size === b.size && [...b].every((itemId) => a.has(itemId))

/** How long rows that came near are gathered, ms, because each rendering of a long list is expensive. */
const pause = 150

/** Has the row of a file rendered completely now, or as soon as it exists: it is about to get the focus. */
export const bringNear = ({ id, root, controller }: ThinRows, itemId: string): void => {
  if (!isLongList(controller.getState().files)) return
  const rows = [...(root.getElementById(id)?.querySelectorAll("[data-file]") ?? [])].filter((row) => !isFar(row))
  if (rows.length === 0) return
  controller.setNear(id, new Set([...rows.map((row) => row.getAttribute("data-file")!), itemId]))
}

/**
 * Tells the component which rows of a long list are near, so that it only renders the names of the others: pages with
 * thousands of files stay light.
 *
 * @returns stops it: all rows are then complete again
 */
export const thinFarRows = (rows: NearRows, { id, root, controller }: ThinRows): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  /** How wide the list was when the height of a failed row was measured. */
  let width: number | undefined
  /** Keeps the height of rows at that of a complete one, so that nothing moves when one becomes complete. */
  const reserve = () => {
    const list = root.getElementById(id)?.querySelector<HTMLElement>('[data-sluice="file-list"]')
    if (!list) return
    const set = (property: string, which: string) => {
      const row = list.querySelector<HTMLElement>(`[data-file]${which}:not([data-far])`)
      // The size as laid out, whatever the transform of an opening dialog is. In a hidden tab there is no layout.
      const size = row?.offsetHeight ? getComputedStyle(row).blockSize : undefined
      if (size !== undefined && list.style.getPropertyValue(property) !== size) list.style.setProperty(property, size)
      return size
    }
    set("--_row", ":not([data-state=failed])")
    // A message makes a row higher, and each message differently: whichever is near now, far rows keep the height of the first.
    const isMeasured = width === list.clientWidth && list.style.getPropertyValue("--_failed") !== ""
    if (!isMeasured && set("--_failed", "[data-state=failed]")) width = list.clientWidth
  }
  const tell = () => {
    timer = undefined
    const now = rows.list()
    if (!isSame(controller.getState().near?.get(id), now)) controller.setNear(id, now)
    // After the framework has rendered, which is at most a microtask later.
    setTimeout(reserve, 0)
  }
  const look = () => {
    const { files, near } = controller.getState()
    if (!isLongList(files)) return controller.setNear(id, undefined)
    if (!rows.areThere()) return
    if (near?.has(id) !== true) tell()
    else timer ??= setTimeout(tell, pause)
  }
  const unsubscribe = rows.subscribe(look)
  return () => {
    unsubscribe()
    clearTimeout(timer)
    controller.setNear(id, undefined)
  }
}
