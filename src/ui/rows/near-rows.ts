import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadItem } from "../controller/upload-state.ts"

/** The rows of a component that are near to the visible part of the page. */
export interface NearRows {
  readonly has: (itemId: string) => boolean
  readonly list: () => ReadonlySet<string>
  /** Whether there are rows: the page's own markup may have none. Undefined before the first search. */
  readonly areThere: () => boolean | undefined
  /** Calls back when rows come near or go. */
  readonly subscribe: (listener: () => void) => () => void
  readonly end: () => void
}

/** Where to find the rows. */
interface NearRowsOptions {
  /** Id of the component's outermost element. */
  readonly id: string
  readonly root: Document | ShadowRoot
  readonly controller: Pick<UploadController, "getState" | "subscribe">
}

/** Rows in use, which count as near wherever the page has been scrolled to since. */
const inUse = ":focus-within,[data-lifted],[data-dragged],[data-renaming]"

/**
 * Watches which rows, `[data-file]` with the item's id, are near to the visible part: within half a viewport, and
 * within two heights of a list that scrolls by itself.
 *
 * @returns undefined where this cannot be measured, as in jsdom
 */
export const watchNearRows = ({ id, root, controller }: NearRowsOptions): NearRows | undefined => {
  if (typeof IntersectionObserver === "undefined") return undefined
  const near = new Set<string>()
  const rows = new Map<string, Element>()
  const listeners = new Set<() => void>()
  let listed: ReadonlyArray<UploadItem> | undefined
  let areThere: boolean | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const notify = () => {
    for (const listener of listeners) listener()
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const itemId = target.getAttribute("data-file") ?? ""
        if (isIntersecting) near.add(itemId)
        else near.delete(itemId)
      }
      notify()
    },
    // Not every browser knows the second: there a row comes near when it is visible.
    { rootMargin: "50%", scrollMargin: "200%" },
  )

  /** After the framework has rendered, which is at most a microtask later. */
  const lookForRows = () => {
    timer = undefined
    const found = new Map<string, Element>()
    for (const row of root.getElementById(id)?.querySelectorAll("[data-file]") ?? []) {
      found.set(row.getAttribute("data-file")!, row)
    }
    for (const [itemId, row] of rows) {
      if (found.get(itemId) === row) continue
      observer.unobserve(row)
      near.delete(itemId)
      rows.delete(itemId)
    }
    areThere = found.size > 0
    let isNew = false
    for (const [itemId, row] of found) {
      if (rows.has(itemId)) continue
      observer.observe(row)
      rows.set(itemId, row)
      isNew = true
    }
    // The observer will soon report new rows.
    if (!isNew) notify()
  }
  const look = () => {
    const { files } = controller.getState()
    const before = listed
    listed = files
    if (files.length === before?.length && files.every(({ id }, index) => id === before[index]!.id)) return
    timer ??= setTimeout(lookForRows, 0)
  }
  const unsubscribe = controller.subscribe(look)
  look()
  return {
    has: (itemId) => near.has(itemId),
    list: () => {
      const used = root.getElementById(id)?.querySelectorAll(`[data-file]:is(${inUse})`) ?? []
      return new Set([...near, ...[...used].map((row) => row.getAttribute("data-file")!)])
    },
    areThere: () => areThere,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    end: () => {
      unsubscribe()
      clearTimeout(timer)
      observer.disconnect()
    },
  }
}
