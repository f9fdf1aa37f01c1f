import type { UploadState, UploadTexts } from "../../src/ui.ts"

/** What a form is told of an element. */
export interface FormValue {
  /** Keys of the stored files. */
  readonly keys: ReadonlyArray<string>
  readonly flags: ValidityStateFlags
  readonly message: string
}

/** What browsers say in the user's language when a required file is missing. */
const requiredMessage = (): string =>
  Object.assign(document.createElement("input"), { type: "file", required: true }).validationMessage || "Required"

/**
 * Works out what a form gets: it may not be sent while files wait to be uploaded or are on their way, and, where
 * `isRequired`, as long as none is stored.
 */
export const toFormValue = (state: UploadState, isRequired: boolean, texts: UploadTexts): FormValue => {
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
