import type { TypedFileRoute } from "../../protocol/files/file-route.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import type { UploadOutcome } from "../../client/upload-outcome.ts"
import type { HandlerAddress } from "../diagnosis/explain-in-development.ts"
import { tellOperator } from "../diagnosis/tell-operator.ts"
import type { UploadCallbacks } from "./upload-component-options.ts"

/**
 * Tells the page about failed and aborted files: those that end together are reported together, once per error.
 *
 * @param callbacks returns the latest
 * @param address   address of the route handler
 */
export const createOutcomeReporter = (
  callbacks: () => UploadCallbacks<TypedFileRoute>,
  address?: HandlerAddress,
): ((outcome: UploadOutcome<TypedFileRoute, File>) => void) => {
  let failed = new Map<UploadError, Array<File>>()
  let aborted: Array<File> = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    const told = { failed, aborted }
    failed = new Map()
    aborted = []
    timer = undefined
    const { onUploadError, onUploadAborted } = callbacks()
    for (const [error, files] of told.failed) {
      tellOperator(error, address)
      onUploadError?.(error, files)
    }
    if (told.aborted.length > 0) onUploadAborted?.(told.aborted)
  }

  return (outcome) => {
    if (outcome.status === "failed") {
      const files = failed.get(outcome.error) ?? []
      files.push(outcome.file)
      failed.set(outcome.error, files)
    } else if (outcome.status === "aborted") aborted.push(outcome.file)
    else return
    timer ??= setTimeout(flush, 0)
  }
}
