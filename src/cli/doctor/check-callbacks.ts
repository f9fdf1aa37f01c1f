import {
  type CheckAnswer,
  type CheckRequest,
  createSigner,
  envName,
  names,
  parseProblem,
  type Token,
  type UploadError,
} from "../../protocol.ts"
import { checkCallbackOrigin } from "./check-callback-origin.ts"
import type { CallbackRules } from "../callback-rules.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { adviceOf, describeAnswer, postTo } from "./probe.ts"

const check = "Callbacks"

const uploads = "Uploads"

/** What an app's answers are compared with. */
export interface Known {
  readonly token: Token | undefined
  /** The ingest's public URL; undefined unless an ingest there knows the token. */
  readonly ingestUrl: string | undefined
  /** Active keys of the token's app other than the token's own. */
  readonly furtherKeys: ReadonlyArray<string>
  /** Whether the token's app is the ingest's only one. */
  readonly isOnlyApp: boolean
  /** Those of the token's app; undefined where they cannot be known. */
  readonly rules: CallbackRules | undefined
}

/** Findings about an app's callbacks, and where they go according to the app; absent unless all is well. */
export interface CallbackFindings {
  readonly found: ReadonlyArray<Finding>
  readonly callbackUrl?: string
}

const withSlug = (callbackUrl: string, slug: string): string => {
  const url = new URL(callbackUrl)
  url.searchParams.set(names.action.slug, slug)
  return url.href
}

/** Sends a POST as callbacks are sent, signed or not, and returns the answer. */
const ask = async (callbackUrl: string, slug: string, apiKey: string | undefined) => {
  const body = JSON.stringify({ status: "check", sentAt: Date.now(), slug } satisfies CheckRequest)
  const signature = apiKey === undefined ? "" : await createSigner(apiKey).sign(body)
  const response = await postTo(withSlug(callbackUrl, slug), body, {
    [names.header.hook]: "check",
    [names.header.signature]: signature,
  })
  const text = await response.text()
  return { response, text, problem: response.ok ? undefined : parseProblem(response.status, text) }
}

/** Whether a refusal is that of a route handler that checked the signature. */
const isOfHandler = (problem: UploadError | undefined): boolean => problem?.code === "INVALID_SIGNATURE"

const toAnswer = (text: string): CheckAnswer | undefined => {
  try {
    const answer = JSON.parse(text) as Partial<CheckAnswer> | null
    return typeof answer?.callbackUrl === "string" && URL.canParse(answer.callbackUrl)
      ? { refusal: null, isDev: false, ...answer, callbackUrl: answer.callbackUrl }
      : undefined
  } catch {
    return undefined
  }
}

/** What to do about a rate limiter that answers in the place of the route handler; undefined where none does. */
export const adviseRateLimit = ({ status }: Response): string | undefined =>
  status === 429
    ? `A rate limiter counts the ingest as one client, however many users upload: exempt requests that have the header ${names.header.hook}. Without the app's signature they achieve nothing.`
    : undefined

/** The finding for a POST that no route handler answered, at the address where callbacks would go. */
const answeredByAnother = (url: string, response: Response, problem: UploadError | undefined): Finding =>
  problem?.code === "INVALID_CONFIG"
    ? failed(
        check,
        `The handler at ${url} cannot take callbacks: ${problem.message}`,
        "Mount it before body parsers such as express.json(); the app's log says what else is wrong.",
      )
    : failed(
        check,
        `A callback to ${url} is answered with ${describeAnswer(response)}, not by a route handler.`,
        adviseRateLimit(response) ??
          `Set ${envName("callbackUrl")} to the handler's exact URL (its path, with no slash more or less), and let POST through without login or redirect.`,
      )

const unknown = (url: string, why: string): Finding =>
  warning(
    uploads,
    `It is not known where the app at ${url} would have its callbacks sent: ${why}.`,
    `Run this with the ${envName("token")} of that app.`,
  )

/** Whether an app that is asked at `url` may have derived the callback URL from the request, ignoring what a proxy says. */
const mayBeDerived = (callbackUrl: string, url: string): boolean => {
  const { pathname, search } = new URL(callbackUrl)
  return search === "" && new URL(url).pathname.endsWith(pathname)
}

/** The finding for an app with a key that its ingest does not have. */
const unknownKey = (url: string, ingestUrl: string): Finding =>
  failed(
    uploads,
    `The app at ${url} has a key that the ingest at ${ingestUrl} does not know, which serves this token's app alone: it refuses every upload of that app.`,
    `Set ${envName("token")} of the app to the token that this command was run with, or run this command with the --data and ${envName("token")} of the app's own ingest.`,
  )

/** Origin and path. */
const toPlace = (text: string): string => {
  const { origin, pathname } = new URL(text)
  return origin + pathname
}

/** Judges where the app would be called back, as it tells a caller that has its key. */
const judge = async (url: string, slug: string, answer: CheckAnswer, known: Known): Promise<Finding> => {
  const { callbackUrl, refusal, isDev, ingestUrl } = answer
  if (refusal !== null) {
    return failed(
      uploads,
      `The app at ${url} does not sign the uploads that it is asked for there: ${refusal}`,
      "See above.",
    )
  }
  if (ingestUrl !== undefined && known.ingestUrl !== undefined && ingestUrl !== known.ingestUrl) {
    return failed(
      uploads,
      `The app at ${url} signs uploads to ${ingestUrl}, but the ingest's URL is ${known.ingestUrl}: it refuses all of them.`,
      `Set ${envName("ingestUrl")} of the app to ${known.ingestUrl}, or start the ingest with --url ${ingestUrl}.`,
    )
  }
  const what = `the app at ${url} is set up to sign them`
  if (isDev) return ok(uploads, `${what}, in development: it fetches its callbacks itself`)
  const refused = known.rules && checkCallbackOrigin(known.rules, callbackUrl)
  if (refused !== undefined) return refused
  if (toPlace(callbackUrl) === toPlace(url)) return ok(uploads, `${what}, and is called back there`)
  // Unsigned: it is not known what answers there.
  const { response, problem } = await ask(callbackUrl, slug, undefined)
  if (isOfHandler(problem)) {
    return warning(
      uploads,
      `The app at ${url} would be called back at ${callbackUrl}: a handler answers there, which could not be proven to be this app's.`,
      `Run this with --callback-url ${callbackUrl} as well; if it is not this app's, set ${envName("callbackUrl")} of the app.`,
    )
  }
  return failed(
    uploads,
    `The app at ${url} would be called back at ${callbackUrl}, which answers with ${describeAnswer(response)}.`,
    `Set ${envName("callbackUrl")} to the exact URL of the handler${mayBeDerived(callbackUrl, url) ? `; behind a proxy ${envName("trustProxy")} may be missing` : ""}.`,
  )
}

/**
 * Sends a test callback to where callbacks go. A handler answers that the signature is wrong or, to a caller that has
 * the key, where an upload that came the same way would be called back and whether it is refused.
 *
 * @returns the findings, with none about uploads where the POST never reached a handler
 */
export const checkCallbacks = async (url: string, slug: string, known: Known): Promise<CallbackFindings> => {
  const { token, furtherKeys } = known
  let asked = await ask(url, slug, token?.apiKey)
  for (const key of furtherKeys) if (isOfHandler(asked.problem)) asked = await ask(url, slug, key)
  const { response, text, problem } = asked
  if (isOfHandler(problem)) {
    if (known.isOnlyApp && known.ingestUrl !== undefined) return { found: [unknownKey(url, known.ingestUrl)] }
    const why = token === undefined ? "there is no token to ask with" : "it has another key than the token here"
    return { found: [ok(check, `a handler takes them at ${url}, and refuses unsigned ones`), unknown(url, why)] }
  }
  if (problem?.code === "BAD_REQUEST" && problem.message.includes(names.header.hook)) {
    return { found: [ok(check, `a handler takes them at ${url}`), unknown(url, "it is of an older version")] }
  }
  const answer = response.ok ? toAnswer(text) : undefined
  if (answer === undefined) return { found: [answeredByAnother(url, response, problem)] }
  const taken = ok(check, `a handler takes them at ${url}, signed with a key of this token's app`)
  try {
    const judged = await judge(url, slug, answer, known)
    const isCalled = judged.status === "ok" && !answer.isDev
    return { found: [taken, judged], ...(isCalled && { callbackUrl: answer.callbackUrl }) }
  } catch (error) {
    return {
      found: [
        taken,
        failed(
          uploads,
          `The app at ${url} would be called back at ${answer.callbackUrl}, which cannot be reached from here: ${(error as Error).message}.`,
          adviceOf(error, `Set ${envName("callbackUrl")} to the URL of the handler as the ingest reaches it.`),
        ),
      ],
    }
  }
}
