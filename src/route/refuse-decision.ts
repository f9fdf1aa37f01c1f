import type { FileDescriptor } from "../protocol/messages.ts"
import { Rejected } from "../server-kit/rejected.ts"

/**
 * Refuses a text that a route decided on for a file, where it is none of its kind. Routes make such texts of the names of
 * files, and not every name that a system takes fits: where another name would fit, the mistake is the user's, and no fault of
 * the app.
 *
 * @param demand begins the sentence that says what the route has to do: `.file() must return`
 * @param findMistake what is wrong with a text, worded as what was expected; undefined where nothing is
 * @returns BAD_REQUEST, which names the file, or INVALID_CONFIG, which names the route; undefined where nothing is wrong
 */
export const refuseDecision = (
  slug: string,
  { name, path }: Pick<FileDescriptor, "name" | "path">,
  text: string | undefined,
  demand: string,
  findMistake: (text: string) => string | undefined,
): Rejected | undefined => {
  if (text === undefined) return undefined
  // What comes of a database may be null, whatever its types say.
  const isText = typeof text === "string"
  const mistake = isText ? findMistake(text) : "a text"
  if (mistake === undefined) return undefined
  const isOfName =
    isText && [path, name].some((part) => part !== undefined && findMistake(text.replaceAll(part, "x")) === undefined)
  return isOfName
    ? new Rejected({
        code: "BAD_REQUEST",
        detail: `The name of ${JSON.stringify(name)} cannot be used here: the app needs ${mistake}. Rename the file.`,
      })
    : new Rejected({ code: "INVALID_CONFIG", detail: `Route ${JSON.stringify(slug)}: ${demand} ${mistake}.` })
}
