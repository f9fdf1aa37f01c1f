import type { UploadNames } from "../../src/ui.ts"

const toText = (element: Element): string => element.textContent?.trim().replace(/\s+/g, " ") ?? ""

/**
 * What an element is called: by `aria-labelledby`, `aria-label` or its `<label>`s, in the order that browsers have.
 *
 * @param internals missing where the platform has none
 */
export const readNames = (element: HTMLElement, internals: ElementInternals | undefined): UploadNames => {
  const labelledBy = element.getAttribute("aria-labelledby") ?? undefined
  if (labelledBy !== undefined) return { "aria-labelledby": labelledBy }
  const labels = [...((internals?.labels ?? []) as Iterable<Element>)].map(toText).join(" ")
  return { "aria-label": element.getAttribute("aria-label") || labels || undefined }
}

/**
 * Makes an element what assistive technology takes it for: a group of that name, a field that may be required or invalid,
 * described by what its route takes.
 *
 * @param isTold whether the user was told that the field is not valid
 */
export const describeElement = (
  internals: ElementInternals | undefined,
  names: UploadNames,
  isRequired: boolean,
  isTold: boolean,
): void => {
  if (internals === undefined) return
  internals.role = "group"
  // Attributes of the page win over this.
  internals.ariaLabel = names["aria-label"] ?? null
  internals.ariaRequired = isRequired ? "true" : null
  internals.ariaInvalid = isTold && !internals.validity?.valid ? "true" : null
}
