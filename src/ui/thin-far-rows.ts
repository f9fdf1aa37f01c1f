import type { NearRows } from "./near-rows.ts"
import type { UploadController } from "./upload-controller.ts"
import { isLongList } from "./long-list.ts"

const isSame = (a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean =>
  a?.size === b.size && [...b].every((itemId) => a.has(itemId))

/** For how long rows that came near are gathered, ms: each rendering of a long list costs. */
const pause = 150

/** Keeps the place of rows, so that nothing moves when one is described whole. */
const reserve = (list: HTMLElement | null | undefined, height: number | undefined) => {
  const size = height === undefined ? "" : `${height}px`
  if (list && list.style.getPropertyValue("--_row") !== size) list.style.setProperty("--_row", size)
}

/**
 * Tells the component which rows of a long list are near, so that it describes the others by their names alone: pages with
 * thousands of files stay light.
 *
 * @returns ends it: all rows are whole again
 */
export const thinFarRows = (
  rows: NearRows,
  findList: () => HTMLElement | null | undefined,
  controller: Pick<UploadController, "getState" | "subscribe" | "setNear">,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    timer = undefined
    const now = rows.list()
    if (!isSame(controller.getState().near, now)) controller.setNear(now)
  }
  const look = () => {
    const { files, near } = controller.getState()
    if (!isLongList(files) || !rows.areThere()) return
    reserve(findList(), rows.height())
    if (near === undefined) tell()
    else timer ??= setTimeout(tell, pause)
  }
  const unsubscribe = rows.subscribe(look)
  return () => {
    unsubscribe()
    clearTimeout(timer)
    controller.setNear(undefined)
  }
}
