import { toFamily } from "./file-family.ts"
import { makeThumbnail, type Thumbnail } from "./make-thumbnail.ts"
import type { PreviewOptions } from "./previews.ts"
import { type ChosenItem, isChosen } from "./upload-item.ts"
import { offerWork } from "./work-in-turn.ts"

/** Of how many files pictures are made where no row of theirs is found, in markup of the page's own. */
const most = 100

/** ms until a picture is given back: a tray, or a component that came back, may just have begun to show it, and asks a moment later. */
const grace = 1000

/** What a file became. */
interface Made {
  readonly file: File
  /** Undefined where there is no picture of it. */
  readonly thumbnail: Thumbnail | undefined
}

/** A file that was only renamed looks as before. */
const looksSame = (a: File, b: File): boolean => a === b || (a.size === b.size && a.type === b.type)

/**
 * Makes thumbnails of the files whose rows, `[data-file]` with the item's id, are near the viewport; where the component
 * has no such row, of its first files. Gives each back when its file leaves the list.
 *
 * @returns ends it, and gives all back
 */
export const watchPreviews = ({ id, root, controller, isWanted }: PreviewOptions): (() => void) => {
  const made = new Map<string, Made>()
  const near = new Set<string>()
  const seen = new WeakSet<Element>()
  let hasRows = false
  let listed = ""
  let timer: ReturnType<typeof setTimeout> | undefined

  const give = (itemId: string) => {
    const url = made.get(itemId)?.thumbnail?.url
    if (url !== undefined) setTimeout(() => URL.revokeObjectURL(url), grace)
    made.delete(itemId)
  }
  const find = (itemId: string) => controller.getState().files.find((item) => item.id === itemId)
  const isOpen = (item: ChosenItem): boolean => {
    const before = made.get(item.id)
    return (
      (before === undefined || !looksSame(before.file, item.file)) &&
      ["image", "video"].includes(toFamily(item.name, item.type))
    )
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const itemId = target.getAttribute("data-file") ?? ""
        if (isIntersecting) near.add(itemId)
        else near.delete(itemId)
      }
      offer.look()
    },
    // Of the viewport and of lists that scroll by themselves, where the browser knows that.
    { rootMargin: "50%", scrollMargin: "50%" },
  )

  const make = async ({ id: itemId, name, type, file }: ChosenItem) => {
    const thumbnail = await makeThumbnail(file, toFamily(name, type) === "video").catch(() => undefined)
    const item = find(itemId)
    // Removed or exchanged meanwhile, or nobody looks any more.
    if (offer.isOver() || item?.file === undefined || !looksSame(item.file, file)) {
      if (thumbnail !== undefined) URL.revokeObjectURL(thumbnail.url)
      return
    }
    const { previewUrl } = item
    give(itemId)
    made.set(itemId, { file, thumbnail })
    if (thumbnail !== undefined || previewUrl !== undefined) controller.setPreview(itemId, thumbnail)
  }

  const offer = offerWork(() => {
    if (!isWanted()) return undefined
    const chosen = controller.getState().files.filter(isChosen)
    const wanted = hasRows ? chosen.filter((item) => near.has(item.id)) : chosen.slice(0, most)
    const item = wanted.find(isOpen)
    return item && (() => make(item))
  })

  /** Once the framework has rendered, which is a microtask later at the most. */
  const lookForRows = () => {
    timer = undefined
    const rows = root.getElementById(id)?.querySelectorAll("[data-file]") ?? []
    hasRows = rows.length > 0
    for (const row of rows) {
      if (!seen.has(row)) observer.observe(row)
      seen.add(row)
    }
    if (!hasRows) offer.look()
  }
  const look = () => {
    const { files } = controller.getState()
    const ids = files.map((item) => item.id).join()
    if (ids === listed) return
    listed = ids
    const left = new Set(files.map((item) => item.id))
    for (const itemId of made.keys()) if (!left.has(itemId)) give(itemId)
    for (const itemId of near) if (!left.has(itemId)) near.delete(itemId)
    timer ??= setTimeout(lookForRows, 0)
  }
  const unsubscribe = controller.subscribe(look)
  look()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    observer.disconnect()
    offer.end()
    for (const [itemId, { thumbnail }] of made) {
      give(itemId)
      if (thumbnail !== undefined) controller.setPreview(itemId, undefined)
    }
  }
}
