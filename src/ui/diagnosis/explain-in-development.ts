import { adapterPath } from "../../protocol/names.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"

/** Where a route handler is; relative to the page. */
export type HandlerAddress = string | URL | undefined

/** Route handlers that the console has already been told about. */
const told = new Set<string>()

/** Whether a server answers at all, as far as a page may know; and whether it redirects browsers. */
const knock = async (url: URL, isForeign: boolean): Promise<"silent" | "redirects" | "answers"> => {
  try {
    // A page that may not read an answer still learns that there was one.
    const { type } = await fetch(url, isForeign ? { mode: "no-cors" } : { redirect: "manual" })
    return type === "opaqueredirect" ? "redirects" : "answers"
  } catch {
    return "silent"
  }
}

const lookFor = async ({ cause }: UploadError, url: URL): Promise<string | undefined> => {
  // Bytes are sent by XMLHttpRequest, which gives no cause; requests to the app use `fetch`.
  if (cause === undefined) {
    return "The browser got no answer from the ingest. Does it run (`sluice dev`)? Does a Content-Security-Policy leave it out of connect-src? Is the page https:, and the ingest http:?"
  }
  const { origin } = globalThis.location
  const isForeign = url.origin !== origin
  const found = await knock(url, isForeign)
  const place = url.origin + url.pathname
  if (found === "redirects") {
    return `${place} redirects to another origin, as a login does. Let ${url.pathname} through in the middleware that redirects.`
  }
  if (found === "silent") {
    return `Nothing answers at ${place}. Is the app running there? Does a Content-Security-Policy leave it out of connect-src?`
  }
  return isForeign
    ? `${place} answers, but ${origin} may not read the answer: CORS. Let the app answer with access-control-allow-origin: ${origin}, and its preflight requests too: node_modules/sluice/docs/another-origin.md`
    : undefined
}

/** The URL that a page would request for this address; undefined for an invalid address, or one without HTTP. */
const toUrl = (address: string | URL, page: string): URL | undefined => {
  try {
    const url = new URL(address, page)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes to the console why there may have been no answer, once for each route handler, because browsers do not tell a
 * page. Only for development, because it sends one more request to the route handler.
 */
export const explainInDevelopment = (error: UploadError, address: HandlerAddress): void => {
  const page = globalThis.location?.href
  // React Native has a navigator without `onLine`, and no page.
  const navigator: Partial<Navigator> | undefined = globalThis.navigator
  if (error.code !== "NETWORK_ERROR" || page === undefined || navigator?.onLine === false) return
  const url = toUrl(address ?? adapterPath, page)
  if (url === undefined) return
  const key = `${error.cause === undefined} ${url.href}`
  if (told.has(key)) return
  told.add(key)
  void lookFor(error, url).then((text) => {
    if (text !== undefined) console.error(`Sluice: ${error.code}: ${text}`)
  })
}
