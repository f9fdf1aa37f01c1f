import { hasFiles } from "./read-transfer.ts"
import type { followDrags } from "./drags-on-page.ts"
import type { DropZone } from "./drop-zone.ts"

/** The components on the page, by the id of their outermost element. */
const zones = new Map<string, DropZone>()

/** The code that follows drags; undefined until it is loaded. */
let code: ReturnType<typeof followDrags> | undefined
let loading: Promise<void> | undefined
/** A picture of the page itself is dragged like a file. */
let isInner = false

const load = () =>
  import("./drags-on-page.ts").then(
    ({ followDrags }) => {
      code = followDrags(zones)
    },
    () => {
      // With the next event once more.
      loading = undefined
    },
  )

const onDrag = (event: DragEvent) => {
  const { type, dataTransfer, defaultPrevented } = event
  isInner = type === "dragstart" || (isInner && type !== "dragend")
  if (isInner || !hasFiles(dataTransfer)) return
  if (code !== undefined) return code.followDrag(event)
  loading ??= load()
  // Files that are dropped before the code is loaded must not replace the page either.
  const [inner] = event.composedPath() as Array<EventTarget & Partial<Element>>
  const editors = type === "drop" ? "" : ", textarea, [contenteditable]"
  if (defaultPrevented || inner?.closest?.(`[type=file]${editors}`)) return
  event.preventDefault()
  dataTransfer.dropEffect = "none"
}

/**
 * The page's own drag is over: where the dragged element was removed, nobody is told of `dragend`. It is still the page's own for
 * all who are told of this drop after this.
 */
const endInner = () =>
  setTimeout(() => {
    isInner = false
  })

const events = ["dragstart", "dragend", "dragenter", "dragover", "dragleave", "drop"] as const

/**
 * Keeps files that are dropped outside of a component from replacing the page, and lets the component take them where
 * `config.dropOnPage` says so. The code for that is loaded with the first drag of files.
 *
 * @returns stops it
 */
export const listenToDrops = (id: string, zone: Omit<DropZone, "id">): (() => void) => {
  if (zones.size === 0) {
    addEventListener("drop", endInner, true)
    for (const type of events) addEventListener(type, onDrag)
  }
  zones.set(id, { id, ...zone })
  return () => {
    zones.delete(id)
    if (zones.size > 0) return
    code?.endDrags()
    removeEventListener("drop", endInner, true)
    for (const type of events) removeEventListener(type, onDrag)
  }
}
