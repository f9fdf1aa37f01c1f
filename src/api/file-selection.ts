import type { FileSelection } from "../protocol/rest-messages.ts"
import { checkOptions, refuseUndefined } from "./check-options.ts"
import { selectionFields } from "./known-options.ts"

/** Whether files are meant by what their app says of them, and not by their keys. */
export const isSelection = (given: string | ReadonlyArray<string> | FileSelection): given is FileSelection =>
  typeof given === "object" && given !== null && !Array.isArray(given)

/** Fails: throws an UploadError, code INVALID_CONFIG, where a field is unknown or undefined. */
export const checkSelection = (selection: FileSelection): FileSelection => {
  checkOptions("What deleteFiles deletes", selection, selectionFields)
  refuseUndefined("What deleteFiles deletes", selection, selectionFields)
  return selection
}
