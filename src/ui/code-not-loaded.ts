import { helpPage } from "../protocol/names.ts"
import type { UploadError } from "../protocol/upload-error.ts"
import { uploadErrorBrand } from "../protocol/upload-error-brand.ts"

/**
 * The code of a page that was replaced by a newer one meanwhile cannot be had any more. Neither can the class of errors, with
 * its table: this is one for `UploadError.is`, as another copy of the class would make it.
 *
 * @param does `uploads`, say
 */
export const codeNotLoaded = (does: string, cause: unknown): UploadError => {
  const detail = `The code that ${does} could not be loaded. Try again, or reload the page.`
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
