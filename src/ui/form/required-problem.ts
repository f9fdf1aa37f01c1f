import type { UploadItem, UploadState } from "../controller/upload-state.ts"
import type { UploadFieldOptions } from "../controller/upload-component-options.ts"

/** Why a form must not be sent yet. */
export interface FieldProblem {
  readonly kind: "customError" | "valueMissing"
  readonly message: string
  /** The file it is about. */
  readonly item?: UploadItem | undefined
}

/** The browser's message for a missing required file, in the user's language. It is not used on a server. */
const requiredMessage = (): string => {
  const input = globalThis.document?.createElement("input")
  return (input && Object.assign(input, { type: "file", required: true }).validationMessage) || "Required"
}

/** Finds that a required file is missing. */
export const findRequiredProblem = (
  { files }: Pick<UploadState, "files">,
  { required = false }: Pick<UploadFieldOptions, "required">,
): FieldProblem | undefined =>
  required && !files.some(({ key }) => key !== undefined)
    ? { kind: "valueMissing", message: requiredMessage() }
    : undefined
