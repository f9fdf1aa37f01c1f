import { toFamily } from "../files/file-family.ts"
import { makeThumbnail, type Thumbnail } from "./make-thumbnail.ts"
import type { NearRows } from "../rows/near-rows.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import { type ChosenItem, isChosen } from "../controller/upload-item.ts"
import type { UploadItem } from "../controller/upload-state.ts"
import { offerWork } from "./work-in-turn.ts"

/** What a component needs to show pictures. */
export interface PreviewOptions {
  /** Id of its outermost element. */
  readonly id: string
  readonly root: Document | ShadowRoot
  /** Undefined where visibility cannot be measured: tiles are shown. */
  readonly rows: NearRows | undefined
  readonly controller: Pick<UploadController, "getState" | "subscribe" | "setPreview">
  /** Whether pictures are wanted. */
  readonly isWanted: () => boolean
}

/** For how many files pictures are made where no rows are found, in the page's own markup. */
const most = 100

/**
 * ms until a picture is released: a tray, or a component that came back, may just have begun to show it, and requests
 * it a moment later.
 */
const grace = 1000

/** The result for a file. */
interface Made {
  readonly file: File
  /** Undefined where there is no picture of it. */
  readonly thumbnail: Thumbnail | undefined
}

/** A file that was only renamed looks the same. */
const looksSame = (a: File, b: File): boolean => a === b || (a.size === b.size && a.type === b.type)

/**
 * Makes thumbnails of the files whose rows are near to the visible part; where the component has no rows, of its first
 * files. Releases each when its file leaves the list.
 *
 * @returns stops it, and releases all
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
  /** Whether a picture is to be made. Asked of all rows that are near, whenever one of them comes or goes. */
  const isOpen = ({ id, name, type, file }: ChosenItem): boolean => {
    const before = made.get(id)
    if (before !== undefined && looksSame(before.file, file)) return false
    if (["image", "video"].includes(toFamily(name, type))) return true
    give(id)
    made.set(id, { file, thumbnail: undefined })
    return false
  }

  const make = async ({ id: itemId, name, type, file }: ChosenItem) => {
    const thumbnail = await makeThumbnail(file, toFamily(name, type) === "video").catch(() => undefined)
    const item = find(itemId)
    // Removed or replaced meanwhile, or no longer needed.
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
    const areThere = rows.areThere()
    if (areThere === undefined) return undefined
    let left = most
    const isWantedOf = ({ id }: ChosenItem) => (areThere ? rows.has(id) : left-- > 0)
    const item = controller.getState().files.find((each) => isChosen(each) && isWantedOf(each) && isOpen(each))
    return item && (() => make(item as ChosenItem))
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
