import { hasFiles, readTransfer } from "./read-transfer.ts"
import type { UploadController } from "./upload-controller.ts"
import type { UploadTexts } from "./upload-texts.ts"

interface Taker {
  readonly root: () => NonElementParentNode
  readonly take: () => ((files: ReadonlyArray<File>) => void) | undefined
}

/** Those who take pasted files, by the id of their outermost element. */
const takers = new Map<string, Taker>()

const isEditable = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName))

/** Who the user means: the component that has the focus or is under the pointer, else the only one there is. */
const chooseTaker = () => {
  const willing = [...takers].flatMap(([id, taker]) => {
    const take = taker.take()
    return take === undefined ? [] : [{ take, element: taker.root().getElementById(id) }]
  })
  const meant = willing.find(({ element }) => element?.matches(":focus-within, :hover"))
  return (meant ?? (willing.length === 1 ? willing[0] : undefined))?.take
}

const onPaste = (event: ClipboardEvent) => {
  if (event.defaultPrevented || isEditable(document.activeElement) || !hasFiles(event.clipboardData)) return
  const take = chooseTaker()
  if (take === undefined) return
  event.preventDefault()
  void readTransfer(event.clipboardData).then(take)
}

/**
 * Lets a component take files from the clipboard; text fields keep what is pasted into them.
 *
 * @param root the tree the component is in
 * @param take gives what to do with the files, undefined while the component does not want any
 * @returns ends it
 */
const listenToPaste = (id: string, root: Taker["root"], take: Taker["take"]): (() => void) => {
  if (takers.size === 0) document.addEventListener("paste", onPaste)
  takers.set(id, { root, take })
  return () => {
    takers.delete(id)
    if (takers.size === 0) document.removeEventListener("paste", onPaste)
  }
}

/** A component that takes what is pasted. */
interface PasteOptions {
  readonly id: string
  readonly root: Taker["root"]
  readonly controller: UploadController
  readonly texts: UploadTexts
  readonly isOff: () => boolean
}

/**
 * Adds what is pasted to a component, images under a name of their own, as soon as the code of that is there; where it cannot
 * be had the rows say so.
 *
 * @returns ends it
 */
export const takePasted = ({ id, root, controller, texts, isOff }: PasteOptions): (() => void) => {
  const add = async (files: ReadonlyArray<File>) => {
    await controller.preload()
    const named = controller.loaded()
      ? await import("./pasted-images.ts").then(
          ({ nameImages }) => nameImages(files, texts),
          () => files,
        )
      : files
    controller.addFiles(named)
  }
  return listenToPaste(id, root, () => (isOff() ? undefined : (files) => void add(files)))
}
