import { isLonger } from "../is-longer.ts"
import { limits } from "../limits.ts"

/** What is wrong with a file's name, worded as what was expected; undefined where nothing is. */
export const findNameMistake = (name: string): string | undefined =>
  name === ""
    ? "a file name that is not empty"
    : name.includes("\0")
      ? "a file name without NUL characters"
      : !name.isWellFormed()
        ? "a file name of whole Unicode characters, no lone surrogates"
        : isLonger(name, limits.fileName)
          ? `a file name of at most ${limits.fileName} bytes`
          : undefined

/** What is wrong with a file's custom id, worded as what was expected; undefined where nothing is. */
export const findCustomIdMistake = (customId: string): string | undefined =>
  customId === "" || !customId.isWellFormed() || isLonger(customId, limits.customId)
    ? `a custom id of 1 to ${limits.customId} bytes of whole Unicode characters`
    : undefined
