/**
 * Whether the form that is sent or reset is the one of a component. An element belongs to the form that its `form`
 * attribute names.
 */
export const isOwnForm = (
  id: string,
  root: NonElementParentNode,
  target: EventTarget | null,
): target is HTMLFormElement => {
  const container = root.getElementById(id)
  const { form } = (container?.parentElement ?? {}) as { readonly form?: unknown }
  return target !== null && (form ?? container?.closest("form")) === target
}

/** Sends a stopped form again, with the button that it was sent with. */
export const sendAgain = (form: HTMLFormElement, submitter: HTMLElement | null): void => {
  if (!form.isConnected) return
  const isOwn = submitter?.isConnected && (submitter as HTMLButtonElement).form === form
  form.requestSubmit(isOwn ? submitter : null)
}
