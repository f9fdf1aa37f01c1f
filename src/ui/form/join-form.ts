import { codeNotLoaded } from "../texts/code-not-loaded.ts"
import { toValidityId } from "../page/element-ids.ts"
import type { FieldOptions } from "./form-field.ts"
import { holdSubmit } from "./hold-submit.ts"

/** How long the reason is shown why a form was not sent, ms. */
const patience = 5000

/**
 * Makes a component a field of the form around it, as soon as the code is loaded; until then the form is not sent
 * while files are listed and not stored.
 *
 * @param isWanted whether it should be a field
 * @returns stops it
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
  /** Shows why the form was not sent; without a cause it clears that message. */
  const say = (cause?: unknown) => {
    const control = root.getElementById(toValidityId(id)) as HTMLInputElement | null
    isSaid = cause !== undefined
    control?.setCustomValidity(isSaid ? texts.error(codeNotLoaded(cause)) : "")
    if (isSaid) control?.reportValidity()
  }
  /** Browsers do not validate again as long as the message is set. */
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
      // Without a network, for example: retried at the next change, or when the form is sent again.
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
