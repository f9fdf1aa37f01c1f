import { isShown } from "./is-shown.ts"
import { hasFiles, readTransfer } from "../drop/read-transfer.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

interface Taker {
  readonly root: () => NonElementParentNode
  readonly take: () => ((files: ReadonlyArray<File>) => void) | undefined
}

/** Components that accept pasted files, by the id of their outermost element. */
const takers = new Map<string, Taker>()

const isEditable = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName))

/**
 * Chooses the component that the user means: of those that are shown the one that has the focus or is under the pointer,
 * otherwise the only one there is. What is pasted would go unseen into one that is not shown.
 */
const chooseTaker = () => {
  const willing = [...takers].flatMap(([id, taker]) => {
    const take = taker.take()
    const element = take && taker.root().getElementById(id)
    return element && isShown(element) ? [{ take, element }] : []
  })
  const meant = willing.find(({ element }) => element.matches(":focus-within, :hover"))
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
 * @param take returns the function for the files, undefined while the component does not want any
 * @returns stops it
 */
const listenToPaste = (id: string, root: Taker["root"], take: Taker["take"]): (() => void) => {
  if (takers.size === 0) document.addEventListener("paste", onPaste)
  takers.set(id, { root, take })
  return () => {
    takers.delete(id)
    if (takers.size === 0) document.removeEventListener("paste", onPaste)
  }
}

/** A component that accepts pasted files. */
interface PasteOptions {
  readonly id: string
  readonly root: Taker["root"]
  readonly controller: UploadController
  readonly texts: UploadTexts
  readonly isOff: () => boolean
}

/**
 * Adds pasted files to a component, images under a generated name, as soon as the code for that is loaded; where it
 * cannot be, the rows say so.
 *
 * @returns stops it
 */
export const takePasted = ({ id, root, controller, texts, isOff }: PasteOptions): (() => void) => {
  const add = async (files: ReadonlyArray<File>) => {
    await controller.preload()
    const named = controller.loaded()
      ? await import("../files/pasted-images.ts").then(
          ({ nameImages }) => nameImages(files, texts),
          () => files,
        )
      : files
    controller.addFiles(named)
  }
  return listenToPaste(id, root, () => (isOff() ? undefined : (files) => void add(files)))
}
