import { isOwnForm, sendAgain } from "./own-form.ts"

/** Keeps a form from being sent for a while. */
export interface HeldForm {
  /** Stops holding it, and sends the form if it was stopped meanwhile. */
  readonly release: () => void
  /** Stops holding it. */
  readonly end: () => void
  /** Leaves it to the user to send a stopped form again. @returns whether one was stopped */
  readonly forget: () => boolean
}

/**
 * Stops the form around a component from being sent, except by a button that skips validation.
 *
 * @param isHeld called whenever the form is about to be sent
 */
export const holdSubmit = (id: string, root: NonElementParentNode, isHeld: () => boolean): HeldForm => {
  const tree = root as Document | ShadowRoot
  let again: (() => void) | undefined
  const onSubmit = (event: Event) => {
    const { target, submitter } = event as SubmitEvent
    if (!isOwnForm(id, root, target) || (submitter as HTMLButtonElement | null)?.formNoValidate || !isHeld()) return
    event.preventDefault()
    event.stopImmediatePropagation()
    again = () => sendAgain(target, submitter)
  }
  /** A user who resets a form does not want it sent. */
  const onReset = (event: Event) => {
    const isOwn = isOwnForm(id, root, event.target)
    // A later listener may prevent it.
    setTimeout(() => {
      if (isOwn && !event.defaultPrevented) again = undefined
    })
  }
  const end = () => {
    tree.removeEventListener("submit", onSubmit, true)
    tree.removeEventListener("reset", onReset)
  }
  // Before all other listeners: those of frameworks are further in.
  tree.addEventListener("submit", onSubmit, true)
  tree.addEventListener("reset", onReset)
  return {
    end,
    release: () => {
      end()
      again?.()
    },
    forget: () => {
      const wasHeld = again !== undefined
      again = undefined
      return wasHeld
    },
  }
}
