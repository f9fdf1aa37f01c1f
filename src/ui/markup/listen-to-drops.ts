import { hasFiles } from "../files/read-transfer.ts"
import { type DropZone, zones } from "./drop-zones.ts"

/** The code that follows drags; undefined until it is loaded. */
let code: Pick<typeof import("./drags-on-page.ts"), "followDrag" | "endDrags"> | undefined
let isLoading = false
/** A picture of the page itself is dragged like a file. */
let isInner = false

const load = async () => {
  isLoading = true
  try {
    const { prepare, followDrag, endDrags } = await import("./drags-on-page.ts")
    code = { followDrag, endDrags }
    prepare()
  } catch {
    // With the next event once more.
  }
  isLoading = false
}

const onDrag = (event: DragEvent) => {
  const { type, dataTransfer, defaultPrevented } = event
  if (type === "dragstart" || type === "dragend") isInner = type === "dragstart"
  if (isInner || !hasFiles(dataTransfer)) return
  if (code !== undefined) return code.followDrag(event)
  if (!isLoading) void load()
  // Files that are dropped before the code is loaded must not replace the page either.
  const [inner] = event.composedPath() as Array<EventTarget & Partial<Element>>
  const editors = type === "drop" ? "" : ", textarea, [contenteditable]"
  if (defaultPrevented || inner?.closest?.(`[type=file]${editors}`)) return
  event.preventDefault()
  dataTransfer.dropEffect = "none"
}

const events = ["dragstart", "dragend", "dragenter", "dragover", "dragleave", "drop"] as const

/**
 * Keeps files that are dropped outside of a component from replacing the page, and lets the component take them where
 * `config.dropOnPage` says so. The code for that is loaded with the first drag of files.
 *
 * @returns stops it
 */
export const listenToDrops = (id: string, zone: Omit<DropZone, "id">): (() => void) => {
  if (zones.size === 0) for (const type of events) addEventListener(type, onDrag)
  zones.set(id, { id, ...zone })
  return () => {
    zones.delete(id)
    if (zones.size > 0) return
    code?.endDrags()
    for (const type of events) removeEventListener(type, onDrag)
  }
}
