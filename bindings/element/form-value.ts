import { type FieldProblem, listKeys, type UploadState } from "../../src/ui.ts"
import type { UploadElement } from "./upload-element.ts"

/** Where a problem is shown: at the row of its file, at the button that uploads, otherwise at the one that chooses. */
const findAnchor = (element: UploadElement, item: FieldProblem["item"]): HTMLElement | undefined => {
  const row =
    item && [...element.querySelectorAll<HTMLElement>("[data-file]")].find(({ dataset }) => dataset["file"] === item.id)
  const find = (selector: string, root: HTMLElement = element) => root.querySelector<HTMLElement>(selector)
  return (
    (row && find("button", row)) ?? find("[data-sluice=upload-button]") ?? find("[data-sluice=button]") ?? undefined
  )
}

/**
 * Makes an element a field of its form: an entry per stored file, and a reason while the form may not be sent.
 *
 * @param internals missing where the platform has none, as in some of the DOMs that tests use
 * @returns a function that updates the form from a state
 */
export const createFormValue = (
  element: UploadElement,
  internals: ElementInternals | undefined,
): ((state: UploadState, problem: FieldProblem | undefined) => void) => {
  let told: string | undefined
  return ({ files }, problem) => {
    const { name } = element
    const keys = listKeys(files)
    const anchor = problem && findAnchor(element, problem.item)
    const value = JSON.stringify([name, keys, problem?.kind, problem?.message, problem?.item?.id, anchor !== undefined])
    if (value === told) return
    told = value
    const data = new FormData()
    for (const key of keys) data.append(name, key)
    internals?.setFormValue?.(name === "" ? null : data)
    internals?.setValidity?.(problem ? { [problem.kind]: true } : {}, problem?.message, anchor)
  }
}
