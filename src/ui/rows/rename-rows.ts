import { createAnnouncementTexts } from "../texts/announcement-texts.ts"
import type { NameMistake } from "../files/rename-file.ts"
import type { RowTools } from "./row-tools.ts"
import { createTeller } from "../announcements/tell-status.ts"

const pencil = '[data-action="rename"]'

/** `holiday.tar.gz` → `holiday` and `.tar.gz`; a name that begins with its only dot has no extension. */
const splitExtension = (name: string): readonly [stem: string, extension: string] => {
  const at = /.(?<extension>(?:\.tar)?\.[^.\s]{1,9})$/isu.exec(name)?.groups?.["extension"] ?? ""
  return [name.slice(0, name.length - at.length), at]
}

interface Editor {
  readonly itemId: string
  /** Accepts the name. @returns false where it is invalid */
  readonly take: () => boolean
  readonly close: () => void
}

const create = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/**
 * Lets users rename files in their rows: by the pencil or by F2. Enter and leaving the field accept the name, Escape
 * does not; the extension stays. The field is an element of its own in the row, because frameworks leave elements
 * alone that they have not made.
 *
 * @returns stops it
 */
export const renameRows = ({ id, root, controller, texts, config }: RowTools): (() => void) => {
  const say = createAnnouncementTexts(texts)
  const tell = createTeller(id, root)
  let editor: Editor | undefined

  const findItem = (itemId: string) => controller.getState().files.find((item) => item.id === itemId)
  const rowOf = ({ target }: Event): HTMLElement | undefined => {
    const row = (target as Element).closest<HTMLElement>("[data-file]")
    if (row === null || config().rename !== true || controller.getState().isDisabled) return undefined
    return root.getElementById(id)?.contains(row) && row.querySelector(pencil) ? row : undefined
  }

  const open = (row: HTMLElement) => {
    const itemId = row.getAttribute("data-file") ?? ""
    const item = findItem(itemId)
    if (item?.file === undefined) return
    const { file, name: before } = item
    const [stem, extension] = splitExtension(file.name)
    const mistakeId = `${id}-name-mistake`
    const box = create("span", { "data-sluice": "rename" })
    const input = create("input", {
      "data-sluice": "name-input",
      type: "text",
      dir: "auto",
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      "aria-label": texts.newName(before),
      "aria-describedby": mistakeId,
    })
    input.value = stem
    const ending = create("bdi", { "data-sluice": "name-extension" })
    ending.textContent = extension
    const words = create("span", { "data-sluice": "name-mistake", id: mistakeId, role: "alert" })
    box.append(input, ...(extension === "" ? [] : [ending]), words)

    const refuse = (mistake: NameMistake) => {
      words.textContent = texts.nameMistake(mistake)
      input.setAttribute("aria-invalid", "true")
    }
    const close = () => {
      editor = undefined
      box.remove()
      row.removeAttribute("data-renaming")
    }
    const take = (): boolean => {
      const typed = input.value.trim()
      const isWhole = extension !== "" && typed.toLowerCase().endsWith(extension.toLowerCase()) && typed !== stem
      const own = isWhole ? typed.slice(0, -extension.length) : typed
      const mistake = own === "" ? "empty" : controller.renameFile(itemId, own + extension)
      if (mistake !== undefined) {
        refuse(mistake)
        return false
      }
      close()
      const after = findItem(itemId)
      if (after !== undefined && after.name !== before) tell(say.renamed(before, after))
      return true
    }
    const leave = () => {
      if (editor?.itemId === itemId) close()
      row.querySelector<HTMLElement>(pencil)?.focus()
    }
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || !["Enter", "Escape"].includes(event.key)) return
      // Must not send a form or close a dialog around it.
      event.preventDefault()
      event.stopPropagation()
      if (event.key === "Escape" || take()) leave()
    })
    input.addEventListener("blur", () => {
      // A row that is being removed, or a window that loses the focus, changes nothing.
      if (editor?.itemId === itemId && root.activeElement !== input) take()
    })
    // The page's listeners expect events of files only.
    for (const type of ["input", "change"]) {
      input.addEventListener(type, (event) => {
        event.stopPropagation()
        words.textContent = ""
        input.removeAttribute("aria-invalid")
      })
    }
    row.append(box)
    row.setAttribute("data-renaming", "")
    editor = { itemId, take, close }
    input.focus()
    input.select()
  }

  const begin = (row: HTMLElement) => {
    if (editor !== undefined) {
      const isSame = editor.itemId === row.getAttribute("data-file")
      if (!editor.take() || isSame) return
    }
    open(row)
  }
  const onClick = (event: Event) => {
    const row = (event.target as Element).closest(pencil) && rowOf(event)
    if (row) begin(row)
  }
  const onKey = (event: Event) => {
    const { key, defaultPrevented } = event as KeyboardEvent
    const row = key === "F2" && !defaultPrevented && rowOf(event)
    if (!row) return
    event.preventDefault()
    begin(row)
  }
  /** The pencil of the open row leaves the focus where it is: its click ends the renaming. */
  const onDown = (event: Event) => {
    if (!(event.target as Element).closest(pencil)) return
    if (editor !== undefined && rowOf(event)?.getAttribute("data-file") === editor.itemId) event.preventDefault()
  }
  // The file may be uploading by now, or gone.
  const unsubscribe = controller.subscribe(() => {
    if (editor === undefined) return
    const item = findItem(editor.itemId)
    if (item === undefined || (item.status !== "picked" && item.status !== "failed")) editor.close()
  })
  const events = { click: onClick, keydown: onKey, mousedown: onDown }
  for (const [type, listen] of Object.entries(events)) root.addEventListener(type, listen)
  return () => {
    for (const [type, listen] of Object.entries(events)) root.removeEventListener(type, listen)
    unsubscribe()
    editor?.close()
    tell("")
  }
}
