import { findUnknownOption } from "../protocol/unknown-option.ts"
import { UploadError } from "../protocol/upload-error.ts"

/**
 * Takes no option that nobody would read: whoever wrote it believes that it is obeyed, and of an ACL that is a file
 * which everybody can read.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG, that names the option and what may have been meant.
 */
export const checkOptions = (what: string, options: object | undefined, known: ReadonlyArray<string>): void => {
  const mistake = options && findUnknownOption(options, known)
  if (mistake !== undefined) throw new UploadError({ code: "INVALID_CONFIG", message: `${what}: ${mistake}` })
}

/**
 * The same for how a file is described. An object of any other class has whatever its class gives it.
 *
 * @param classes whose own instances have nothing of their own but what their maker wrote
 */
export const checkDescription = (
  file: object,
  known: ReadonlyArray<string>,
  classes: ReadonlyArray<{ readonly prototype: object }> = [Object],
): void => {
  const prototype: unknown = Object.getPrototypeOf(file)
  if (classes.some((one) => one.prototype === prototype)) checkOptions("A file to upload", file, known)
}
