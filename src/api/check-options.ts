import { findUnknownOption } from "../protocol/unknown-option.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { isRecord, kindOf } from "../protocol/kind-of.ts"

const refuseUnknown = (what: string, options: object, known: ReadonlyArray<string>): void => {
  const mistake = findUnknownOption(options, known)
  if (mistake !== undefined) throw new UploadError({ code: "INVALID_CONFIG", message: `${what}: ${mistake}` })
}

/**
 * Refuses what has no members: a function, a list, a Map, a promise that nobody awaited. Each option that is read from it would
 * be undefined, and no owner means everybody's files.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG.
 */
export const checkRecord = (what: string, options: unknown): void => {
  if (isRecord(options)) return
  throw new UploadError({ code: "INVALID_CONFIG", message: `${what}: expected an object, not ${kindOf(options)}.` })
}

/**
 * Refuses unknown options: their author believes that they take effect, and an ACL that does not would make a file
 * public.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG, that names the option and the one that was probably meant; and as
 *        {@link checkRecord} does.
 */
export const checkOptions = (what: string, options: object | undefined, known: ReadonlyArray<string>): void => {
  if (options === undefined) return
  checkRecord(what, options)
  refuseUnknown(what, options, known)
}

/**
 * Refuses fields that are written and undefined: an owner that is lost on the way would mean the files of everybody.
 *
 * Fails: throws an UploadError, code INVALID_CONFIG.
 */
export const refuseUndefined = <Options extends object>(
  what: string,
  options: Options,
  fields: ReadonlyArray<keyof Options & string>,
): void => {
  const missing = fields.find((field) => field in options && options[field] === undefined)
  if (missing === undefined) return
  const meant = missing === "slug" ? "files of every route" : "everybody's files"
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `${what}: ${missing} is undefined. Leave it out where ${meant} are meant.`,
  })
}

/** Both checks of the options of a method that takes the owner of its files. */
export const checkOwned = (
  method: string,
  options: { readonly owner?: string | undefined },
  known: ReadonlyArray<string>,
): void => {
  const what = `The options of ${method}`
  checkOptions(what, options, known)
  refuseUndefined(what, options, ["owner"])
}

/**
 * Refuses unknown fields in the description of a file. An object of any other class may have whatever its class defines.
 *
 * @param classes classes whose instances have only properties that their author wrote
 */
export const checkDescription = (
  file: object,
  known: ReadonlyArray<string>,
  classes: ReadonlyArray<{ readonly prototype: object }> = [Object],
): void => {
  const prototype: unknown = Object.getPrototypeOf(file)
  if (classes.some((one) => one.prototype === prototype)) refuseUnknown("A file to upload", file, known)
}
