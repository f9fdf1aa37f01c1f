import {
  envName,
  names,
  parseProblem,
  type ProblemCode,
  problemMediaType,
  type RouteDescription,
} from "../../protocol.ts"
import { adviseRateLimit, type CallbackFindings, checkCallbacks, type Known } from "./check-callbacks.ts"
import { failed, type Finding, ok } from "./finding.ts"
import { adviceOf, checkClock, describeAnswer, probe } from "./probe.ts"

const check = "Callback URL"

const advice = "Start the app, and check that its route handler is mounted there and that callbacks need no login."

/**
 * Checks whether a route handler answers where callbacks go, by asking for its routes. Then checks whether it is
 * configured to sign uploads, by requesting one of no files: it reports its own mistakes before it reports that one.
 * Then checks whether callbacks reach it, and where it would have them sent.
 */
export const checkCallbackUrl = async (url: string, known: Known): Promise<CallbackFindings> => {
  try {
    const probed = await probe(url, "GET")
    const clock = checkClock(probed, url)
    const { routes, code } = await readAnswer(probed.response)
    const findings = [judge(url, probed.response, routes, code)]
    if (clock !== undefined) findings.push(clock)
    const slug = routes?.[0]?.slug
    if (slug === undefined) return { found: findings }
    const unready = await checkUploads(url, slug)
    if (unready !== undefined) return { found: [...findings, unready] }
    const callbacks = await checkCallbacks(url, slug, known)
    return { ...callbacks, found: [...findings, ...callbacks.found] }
  } catch (error) {
    return {
      found: [
        failed(check, `${url} cannot be reached from here: ${(error as Error).message}.`, adviceOf(error, advice)),
      ],
    }
  }
}

const isRoutes = (value: unknown): value is ReadonlyArray<RouteDescription> =>
  Array.isArray(value) &&
  value.every(
    (one: Partial<RouteDescription> | null) => typeof one?.slug === "string" && typeof one.config === "object",
  )

/** The routes that an answer lists, or the code of a handler that is misconfigured. */
const readAnswer = async (
  response: Response,
): Promise<{ readonly routes?: ReadonlyArray<RouteDescription>; readonly code?: ProblemCode }> => {
  const type = response.headers.get("content-type") ?? ""
  if (type === problemMediaType) return { code: parseProblem(response.status, await response.text()).code }
  if (response.ok && /\bjson\b/.test(type)) {
    const routes: unknown = await response.json().catch(() => undefined)
    // Any server may answer with some list.
    return isRoutes(routes) ? { routes } : {}
  }
  await response.body?.cancel().catch(() => {})
  return {}
}

const judge = (
  url: string,
  response: Response,
  routes: ReadonlyArray<RouteDescription> | undefined,
  code: ProblemCode | undefined,
): Finding => {
  if (routes?.length === 0) {
    return failed(
      check,
      `${url} answers with an empty list: a route handler without routes, or something else.`,
      "Check the URL; and give the handler a router that has routes.",
    )
  }
  if (routes !== undefined) return ok(check, `a route handler answers at ${url}`)
  return code !== undefined && unready.has(code)
    ? failed(
        check,
        `The route handler at ${url} is not set up right (${code}).`,
        "The app's log names the option or variable and says what to do.",
        code,
      )
    : failed(
        check,
        `${url} answers with ${describeAnswer(response)}, not as a route handler does.`,
        adviseRateLimit(response) ?? adviseSlash(url, response) ?? advice,
      )
}

/** What to do where the app redirects to the same path with a slash at its end, or without it. */
const adviseSlash = (text: string, { headers }: Response): string | undefined => {
  const [url, to] = [new URL(text), URL.parse(headers.get("location") ?? "", text)]
  const withoutSlash = ({ pathname }: URL) => pathname.replace(/\/$/, "")
  if (to === null || url.pathname === to.pathname || withoutSlash(url) !== withoutSlash(to)) return undefined
  const exact = url.origin + to.pathname
  return `Set ${envName("callbackUrl")} to ${exact}, and the option url of the page to ${to.pathname}: callbacks follow no redirect.`
}

/** Codes of an app that cannot sign anything, whatever is requested. */
const unready: ReadonlySet<ProblemCode> = new Set(["INVALID_CONFIG", "INVALID_TOKEN", "MISSING_TOKEN"])

/** What keeps an app from signing any uploads; undefined where nothing does. */
const checkUploads = async (callbackUrl: string, slug: string): Promise<Finding | undefined> => {
  const url = new URL(callbackUrl)
  url.searchParams.set(names.action.type, names.action.upload)
  url.searchParams.set(names.action.slug, slug)
  const { response } = await probe(url.href, "POST", { files: [] })
  const { code, message } = parseProblem(response.status, await response.text())
  return unready.has(code)
    ? failed(
        "Uploads",
        `The app at ${callbackUrl} does not sign uploads (${code}): ${message}`,
        `Set ${envName("token")} and ${envName("callbackUrl")} (or ${envName("allowedHosts")}) for the app's server; its log says what is wrong.`,
        code,
      )
    : undefined
}
