import { isFar } from "./file-rows.ts"
import { isLongList } from "./long-list.ts"
import type { NearRows } from "./near-rows.ts"
import type { UploadController } from "./upload-controller.ts"

/** The component whose rows are meant. */
interface ThinRows {
  /** Of its outermost element. */
  readonly id: string
  readonly root: Document | ShadowRoot
  readonly controller: Pick<UploadController<any>, "getState" | "setNear">
}

const isSame = (a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean =>
  a?.size === b.size && [...b].every((itemId) => a.has(itemId))

/** For how long rows that came near are gathered, ms: each rendering of a long list costs. */
const pause = 150

/** Has the row of a file described whole now, or as soon as it is there: the focus is about to go to it. */
export const bringNear = ({ id, root, controller }: ThinRows, itemId: string): void => {
  if (!isLongList(controller.getState().files)) return
  const rows = [...(root.getElementById(id)?.querySelectorAll("[data-file]") ?? [])].filter((row) => !isFar(row))
  if (rows.length === 0) return
  controller.setNear(id, new Set([...rows.map((row) => row.getAttribute("data-file")!), itemId]))
}

/**
 * Tells the component which rows of a long list are near, so that it describes the others by their names alone: pages with
 * thousands of files stay light.
 *
 * @returns ends it: all rows are whole again
 */
export const thinFarRows = (rows: NearRows, { id, root, controller }: ThinRows): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Keeps the place of rows, as high as a whole one, so that nothing moves when one becomes whole. */
  const reserve = () => {
    const list = root.getElementById(id)?.querySelector<HTMLElement>('[data-sluice="file-list"]')
    const row = list?.querySelector<HTMLElement>("[data-file]:not([data-far],[data-state=failed])")
    // As it is laid out, whatever a dialog that just opens makes of it. In a tab that is not shown it is not.
    const size = row?.offsetHeight ? getComputedStyle(row).blockSize : undefined
    if (list && size !== undefined && list.style.getPropertyValue("--_row") !== size) {
      list.style.setProperty("--_row", size)
    }
  }
  const tell = () => {
    timer = undefined
    const now = rows.list()
    if (!isSame(controller.getState().near?.get(id), now)) controller.setNear(id, now)
    // Once the framework has rendered, which is a microtask later at the most.
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
