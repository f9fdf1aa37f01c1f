import type { FileSelection } from "../protocol/rest-messages.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { checkOptions } from "./check-options.ts"
import { selectionFields } from "./known-options.ts"

/** Whether files are meant by what their app says of them, and not by their keys. */
export const isSelection = (given: string | ReadonlyArray<string> | FileSelection): given is FileSelection =>
  typeof given === "object" && !Array.isArray(given)

/**
 * Refuses a selection with a field that is written and undefined: without its owner, a deletion would be one of everybody's
 * files.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG.
 */
export const checkSelection = (selection: FileSelection): FileSelection => {
  checkOptions("What deleteFiles deletes", selection, selectionFields)
  const [missing] = Object.entries(selection).find(([, value]) => value === undefined) ?? []
  if (missing === undefined) return selection
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `What deleteFiles deletes: ${missing} is undefined. Nothing was deleted.`,
  })
}
