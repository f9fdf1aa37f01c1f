import { codeNotLoaded } from "./code-not-loaded.ts"
import { toValidityId } from "./element-ids.ts"
import type { FieldOptions } from "./form-field.ts"
import { holdSubmit } from "./hold-submit.ts"

/** ms that it is said why a form was not sent. */
const patience = 5000

/**
 * Makes a component a field of the form around it, as soon as that is loaded; until then the form is not sent without files
 * that are listed and not stored.
 *
 * @param isWanted whether it is to be one
 * @returns ends it
 */
export const joinForm = (field: FieldOptions, isWanted: () => boolean): (() => void) => {
  const { id, root, controller, texts } = field
  let isJoined = false
  let isOver = false
  let isSaid = false
  let leave: (() => void) | undefined

  const held = holdSubmit(id, root, () => {
    const isOpen =
      isWanted() && controller.getState().files.some(({ key, status }) => key === undefined && status !== "aborted")
    if (isOpen) void join()
    return isOpen
  })
  /** Shows why the form was not sent; nothing takes it away. */
  const say = (cause?: unknown) => {
    const control = root.getElementById(toValidityId(id)) as HTMLInputElement | null
    const error = cause === undefined ? undefined : codeNotLoaded("sends files with a form", cause)
    control?.setCustomValidity(error ? texts.error(error) : "")
    if (error) control?.reportValidity()
    isSaid = error !== undefined
  }
  /** Browsers do not ask again as long as it is said. */
  const hush = () => {
    if (isSaid && !isJoined) say()
  }
  const join = async () => {
    if (isJoined || isOver || !isWanted()) return
    isJoined = true
    try {
      const { connectField } = await import("./form-field.ts")
      if (isOver) return
      leave = connectField(field)
      held.release()
    } catch (cause) {
      // No network, say: at the next change, or when it is sent again.
      isJoined = false
      if (!held.forget()) return
      say(cause)
      setTimeout(hush, patience)
    }
  }
  void join()
  const unsubscribe = controller.subscribe(() => {
    hush()
    void join()
  })
  return () => {
    isOver = true
    unsubscribe()
    held.end()
    leave?.()
  }
}
