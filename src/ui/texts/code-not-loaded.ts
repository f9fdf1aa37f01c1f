import { helpPage } from "../../protocol/names.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import { uploadErrorBrand } from "../../protocol/errors/upload-error-brand.ts"

/**
 * Code of a page that was replaced by a newer version meanwhile cannot be loaded any more. Neither can the class of
 * errors, with its table, so this makes an error that `UploadError.is` accepts, like one of another copy of the class.
 * Which code it was is in its cause.
 */
export const codeNotLoaded = (cause: unknown): UploadError => {
  const detail = "A part of this page could not be loaded. Try again, or reload the page."
  return Object.assign(new Error(detail, { cause }), {
    [uploadErrorBrand]: true as const,
    name: "UploadError",
    code: "NETWORK_ERROR" as const,
    status: 0,
    data: undefined,
    detail,
    help: `${helpPage}network_error`,
  })
}
