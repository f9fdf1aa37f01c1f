import { toFamily } from "./file-family.ts"
import { makeThumbnail, type Thumbnail } from "./make-thumbnail.ts"
import type { NearRows } from "./near-rows.ts"
import type { UploadController } from "./upload-controller.ts"
import { type ChosenItem, isChosen } from "./upload-item.ts"
import type { UploadItem } from "./upload-state.ts"
import { offerWork } from "./work-in-turn.ts"

/** What a component needs for its pictures. */
export interface PreviewOptions {
  /** Of its outermost element. */
  readonly id: string
  readonly root: Document | ShadowRoot
  /** Undefined where nothing tells what is in view: tiles stay. */
  readonly rows: NearRows | undefined
  readonly controller: Pick<UploadController, "getState" | "subscribe" | "setPreview">
  /** Whether pictures are wanted. */
  readonly isWanted: () => boolean
}

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
 * Makes thumbnails of the files whose rows are near to what is seen; where the component has no rows, of its first
 * files. Gives each back when its file leaves the list.
 *
 * @returns ends it, and gives all back
 */
export const watchPreviews = ({
  rows,
  controller,
  isWanted,
}: PreviewOptions & { readonly rows: NearRows }): (() => void) => {
  const made = new Map<string, Made>()
  let listed: ReadonlyArray<UploadItem> = []

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
    const areThere = rows.areThere()
    if (areThere === undefined) return undefined
    const wanted = areThere ? chosen.filter((item) => rows.has(item.id)) : chosen.slice(0, most)
    const item = wanted.find(isOpen)
    return item && (() => make(item))
  })

  const look = () => {
    const { files } = controller.getState()
    if (files === listed) return
    listed = files
    const left = new Set(files.map((item) => item.id))
    for (const itemId of made.keys()) if (!left.has(itemId)) give(itemId)
  }
  const unsubscribe = controller.subscribe(look)
  const unwatch = rows.subscribe(() => offer.look())
  look()
  offer.look()
  return () => {
    unsubscribe()
    unwatch()
    offer.end()
    for (const [itemId, { thumbnail }] of made) {
      give(itemId)
      if (thumbnail !== undefined) controller.setPreview(itemId, undefined)
    }
  }
}
