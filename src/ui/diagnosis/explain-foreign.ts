import type { ForeignAnswer } from "../../protocol/errors/parse-problem.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import { foreignAnswerOf } from "./foreign-answer.ts"
import { keepDirection } from "../texts/keep-direction.ts"

/** How much is repeated of what somebody else has said, characters. */
const longest = 200

/** The first line of what an answer says, by the names that frameworks give it: an object may be within another. */
const findWords = (said: unknown, depth = 2): string | undefined => {
  if (typeof said === "string") return keepDirection(said.trim().split("\n")[0]!.slice(0, longest)) || undefined
  if (typeof said !== "object" || said === null || depth === 0) return undefined
  const { message, detail, statusMessage, error, title } = said as Record<string, unknown>
  for (const one of [message, detail, statusMessage, error, title]) {
    const words = findWords(one, depth - 1)
    if (words !== undefined) return words
  }
  return undefined
}

/** Whether this is how the route handler answers a GET. */
const isRouteList = (said: unknown): boolean =>
  Array.isArray(said) && said.length > 0 && said.every((one) => typeof one?.slug === "string" && "config" in one)

/** An address of the page's own origin as its path. */
const toPlace = (text: string, page: string | undefined): string => {
  try {
    const { origin, pathname } = new URL(text, page)
    return page !== undefined && origin === new URL(page).origin ? pathname : origin + pathname
  } catch {
    return text.split(/[?#]/)[0]!
  }
}

const adviseRedirect = ({ said, url, redirect }: ForeignAnswer): string | undefined => {
  if (url === undefined || typeof redirect !== "string") return undefined
  const page = globalThis.location?.href
  const [from, to] = [toPlace(url, page), toPlace(redirect, page)]
  return isRouteList(said)
    ? `The app redirects ${from} to ${to}, and a redirected POST becomes a GET: set \`url: "${to}"\`.`
    : `The app redirects ${from} to ${to}: let ${from} through in the middleware that redirects.`
}

const adviseStatus = (status: number): string | undefined => {
  if (status === 413) {
    return "Not a file was too large, but the announcement of all files: raise the limit of what reads bodies in front of the route handler (express.json, bodyLimit of Hono, BODY_SIZE_LIMIT of SvelteKit's adapter-node, a proxy), or leave the handler's path out of it."
  }
  return status === 404 || status === 405 ? "If the app has a base path, give the component its `url`." : undefined
}

/** What the console has for operators beside the message of an error where somebody else has answered; empty where nobody has. */
export const explainForeign = (error: UploadError): string => {
  const foreign = foreignAnswerOf(error)
  if (foreign === undefined) return ""
  const words = isRouteList(foreign.said) ? undefined : findWords(foreign.said)
  return [
    words !== undefined && ` It said: ${JSON.stringify(words)}.`,
    ...(foreign.at === "app"
      ? [adviseRedirect(foreign) ?? adviseStatus(error.status)].map((text) => text && ` ${text}`)
      : []),
  ]
    .filter(Boolean)
    .join("")
}
