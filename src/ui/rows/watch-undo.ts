import { listButtons } from "./file-rows.ts"
import { keepWhile } from "../controller/forget-in-time.ts"
import { isOwnForm } from "../form/own-form.ts"
import type { RowTools } from "./row-tools.ts"
import { bringNear } from "./thin-far-rows.ts"
import type { RemovedFiles } from "../controller/upload-state.ts"

const line = '[data-sluice="removed"]'
const fields = "input:not([type=file]), textarea, select, [contenteditable]"

/**
 * Keeps the offer to undo a removal while the pointer or the focus is on it, and while the component is used by
 * keyboard; removes it at once when its form is sent. Ctrl+Z in the component undoes, too. The focus moves to what was
 * restored.
 *
 * @returns stops it
 */
export const watchUndo = ({ id, root, controller }: RowTools): (() => void) => {
  const find = () => root.getElementById(id)
  const isOurs = ({ target }: Event) => find()?.contains(target as Node) === true
  let shown: RemovedFiles | undefined

  const isInUse = () =>
    [`${line}:is(:hover, :focus-within)`, ":focus-visible"].some((used) => find()?.querySelector(used))
  const look = () => {
    const { removed } = controller.getState()
    if (removed === shown) return
    shown = removed
    if (shown !== undefined) keepWhile(shown, isInUse)
  }
  /** Before the controller's own listeners, so that the focus is there when they look for a place for it. */
  const follow = () => {
    const back = controller.getState().removed?.files[0]?.id
    if (back !== undefined) bringNear({ id, root, controller }, back)
    setTimeout(() => {
      const row = [...(find()?.querySelectorAll("[data-file]") ?? [])].find(
        (element) => element.getAttribute("data-file") === back,
      )
      if (row) listButtons(row).at(-1)?.focus()
    }, 0)
  }
  const onClick = (event: Event) => {
    if (isOurs(event) && (event.target as Element).closest("[data-undo]")) follow()
  }
  const onKey = (event: Event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event as KeyboardEvent
    if (key.toLowerCase() !== "z" || ctrlKey === metaKey || shiftKey || altKey || event.defaultPrevented) return
    if (!isOurs(event) || (event.target as Element).closest(fields) || shown === undefined) return
    event.preventDefault()
    follow()
    controller.undo()
  }
  const onSubmit = ({ target }: Event) => {
    if (isOwnForm(id, root, target)) controller.forgetRemoved()
  }
  root.addEventListener("click", onClick, true)
  root.addEventListener("keydown", onKey)
  // A form that its own validation stops is not sent.
  root.addEventListener("submit", onSubmit, true)
  const unsubscribe = controller.subscribe(look)
  look()
  return () => {
    unsubscribe()
    root.removeEventListener("click", onClick, true)
    root.removeEventListener("keydown", onKey)
    root.removeEventListener("submit", onSubmit, true)
  }
}
