import type { UploadState, UploadTexts } from "../../src/ui.ts"
import type { UploadElement } from "./upload-element.ts"

/** What a form is told of an element. */
interface FormValue {
  /** Keys of the stored files. */
  readonly keys: ReadonlyArray<string>
  readonly flags: ValidityStateFlags
  readonly message: string
}

/** What browsers say in the user's language when a required file is missing. */
const requiredMessage = (): string =>
  Object.assign(document.createElement("input"), { type: "file", required: true }).validationMessage || "Required"

const toFormValue = (state: UploadState, isRequired: boolean, texts: UploadTexts): FormValue => {
  const keys = state.files.flatMap(({ result }) => (result === undefined ? [] : [result.key]))
  switch (state.status) {
    case "uploading":
    case "paused":
      return { keys, flags: { customError: true }, message: texts.announce(state) }
    case "picked": {
      const picked = state.files.filter(({ status }) => status === "picked").length
      return { keys, flags: { customError: true }, message: texts.upload(picked) }
    }
    default:
      return isRequired && keys.length === 0
        ? { keys, flags: { valueMissing: true }, message: requiredMessage() }
        : { keys, flags: {}, message: "" }
  }
}

/**
 * Makes an element a field of its form: an entry per stored file. The form may not be sent while files wait to be
 * uploaded or are on their way, and, where the element is `required`, as long as none is stored.
 *
 * @param internals missing where the platform has none, as in some of the DOMs that tests use
 * @returns tells the form of a state
 */
export const createFormValue = (
  element: UploadElement,
  internals: ElementInternals | undefined,
): ((state: UploadState, texts: UploadTexts) => void) => {
  let told: string | undefined
  return (state, texts) => {
    const { name, required } = element
    const { keys, flags, message } = toFormValue(state, required, texts)
    const anchor = element.querySelector<HTMLElement>("[data-sluice=button]") ?? undefined
    const value = JSON.stringify([name, keys, flags, message, anchor !== undefined])
    if (value === told) return
    told = value
    const data = new FormData()
    for (const key of keys) data.append(name, key)
    internals?.setFormValue?.(name === "" ? null : data)
    internals?.setValidity?.(flags, message, anchor)
  }
}
