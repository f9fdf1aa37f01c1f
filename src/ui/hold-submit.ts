import { isOwnForm, sendAgain } from "./own-form.ts"

/** Keeps a form for a while. */
export interface HeldForm {
  /** Ends it, and sends the form if it was stopped meanwhile. */
  readonly release: () => void
  /** Ends it. */
  readonly end: () => void
  /** Leaves it to the user to send once more what was stopped. @returns whether something was */
  readonly forget: () => boolean
}

/**
 * Stops the form around a component from being sent, but by a button that asks for no checks.
 *
 * @param isHeld asked whenever it is to be sent
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
  /** Who resets a form does not want it sent. */
  const onReset = (event: Event) => {
    const isOwn = isOwnForm(id, root, event.target)
    // Whoever listens later may prevent it.
    setTimeout(() => {
      if (isOwn && !event.defaultPrevented) again = undefined
    })
  }
  const end = () => {
    tree.removeEventListener("submit", onSubmit, true)
    tree.removeEventListener("reset", onReset)
  }
  // Before anybody else's: frameworks listen further in.
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
