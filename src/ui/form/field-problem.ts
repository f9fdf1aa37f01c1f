import { type FieldProblem, findRequiredProblem } from "./required-problem.ts"
import type { UploadFieldOptions } from "../controller/upload-component-options.ts"
import { isActive, type UploadItem, type UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** Whether sending the form uploads this file, or uploads it once more. */
const isSentBySubmit = (item: UploadItem): boolean =>
  isActive(item) ||
  item.status === "picked" ||
  item.status === "paused" ||
  (item.status === "failed" && item.canRetry === true)

/**
 * Finds why the form of a component must not be sent: a file failed or was refused, one is not uploaded yet, or a
 * required one is missing.
 */
export const findFieldProblem = (
  { files }: Pick<UploadState, "files">,
  options: Pick<UploadFieldOptions, "required">,
  uploadOnSubmit: boolean,
  texts: UploadTexts,
): FieldProblem | undefined => {
  // Before the component's code is loaded, or where it cannot be, there are fewer texts.
  const words: Partial<UploadTexts> = texts
  const waiting = uploadOnSubmit ? files.filter(isSentBySubmit) : []
  const open = uploadOnSubmit ? files.filter((item) => !isSentBySubmit(item)) : files
  const failed = open.find(({ status }) => status === "failed")
  if (failed !== undefined)
    return { kind: "customError", message: words.blocksForm?.(failed) ?? texts.error(failed.error!), item: failed }
  const moving = open.filter((item) => isActive(item) || item.status === "paused")
  if (moving.length > 0) {
    const isChecked = moving.every(({ status, isHeld }) => status === "processing" && isHeld)
    const message = (isChecked ? words.stillChecking : words.stillUploading)?.() ?? texts.loading()
    return { kind: "customError", message }
  }
  const picked = open.filter(({ status }) => status === "picked").length
  if (picked > 0) return { kind: "customError", message: texts.uploadFirst(picked) }
  return waiting.length === 0 ? findRequiredProblem({ files }, options) : undefined
}
