import type { PostFailed } from "../server-kit/post-json.ts"
import { rateLimitAdvice } from "../server-kit/rate-limit-advice.ts"
import { envName, names } from "../protocol/names.ts"

/** Where a framework's own code runs before its routes. A login that is required there is required of callbacks too. */
const gates: Readonly<Record<string, string>> = {
  "Next.js": "proxy.ts (middleware.ts before Next.js 16)",
  "Next.js (Pages Router)": "proxy.ts (middleware.ts before Next.js 16)",
  SvelteKit: "src/hooks.server.ts",
  Astro: "src/middleware.ts",
  h3: "the middleware (in Nuxt, server/middleware)",
  fetch: "the code that runs before the route handler (proxy.ts in Next.js, hooks.server.ts in SvelteKit)",
}

/** Whether the answer came from the route handler. */
export const isOfHandler = ({ body = "" }: PostFailed): boolean => body.includes(names.problemType)

const readDetail = (body: string): string => {
  try {
    return String((JSON.parse(body) as { readonly detail?: unknown }).detail)
  } catch {
    return body
  }
}

/** Ends another server's answer with a full stop, so that a sentence can follow it. */
const toSentence = (text: string): string => (/[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)

/**
 * Explains to the developer why a callback that the app sent to itself failed, and what to change.
 *
 * @param adapter the framework's name
 */
export const explainCallback = (failure: PostFailed, callbackUrl: string, adapter: string | undefined): string => {
  const { status, body = "" } = failure
  if (isOfHandler(failure)) return readDetail(body)
  const path = new URL(callbackUrl).pathname
  const message = toSentence(failure.message)
  const gate = `Let ${path} through in ${gates[adapter ?? "fetch"] ?? "the middleware that runs before it"}`
  const elsewhere = `or set ${envName("callbackUrl")} to where the route handler is`
  // It has arrived: what does not is handed over.
  if (status === undefined) return `The route handler has received it, and did not answer. ${message}`
  if (status < 300) return `Something other than the route handler answers there. ${gate}, ${elsewhere}.`
  if (status === 404 || status === 405) return `${message} Mount the route handler there, ${elsewhere}.`
  if (status === 429) return `${message} ${rateLimitAdvice}`
  return status < 500 ? `${message} ${gate}.` : message
}
