import {
  type ProblemCode,
  createFileKey,
  createSigner,
  encodeAppId,
  envName,
  names,
  signUploadUrl,
  type Token,
} from "../../protocol.ts"
import { failed, type Finding, ok } from "./finding.ts"
import { adviceOf, checkClock, probe } from "./probe.ts"

/** How long the test URL is valid, ms: a day, so that a wrong clock is found by the answer's date. */
const ttl = 24 * 60 * 60 * 1000

/**
 * Asks the ingest for the offset of an upload that does not exist, with a URL signed by the token: a good answer
 * proves app, key and public URL, and the key itself is not sent.
 */
export const checkIngest = async (token: Token, url: string): Promise<ReadonlyArray<Finding>> => {
  const check = "Ingest"
  const key = createFileKey(encodeAppId(token.appId))
  const grant = { key, appId: token.appId, expires: Date.now() + ttl, name: "doctor", size: 1, type: "text/plain" }
  try {
    const probed = await probe(await signUploadUrl(url, grant, createSigner(token.apiKey)), "HEAD")
    const clock = checkClock(probed, url)
    return [
      (await findUnavailable(check, probed.response, url)) ?? judge(check, probed.response, url),
      ...(clock === undefined ? [] : [clock]),
    ]
  } catch (error) {
    const advice = `Start it with \`sluice dev\` or \`sluice ingest\`, or say with --url where it is.`
    return [failed(check, `No ingest answers at ${url}: ${(error as Error).message}.`, adviceOf(error, advice))]
  }
}

/** What an ingest says of itself that takes nothing at the moment; undefined where it is none, or takes uploads. */
const findUnavailable = async (check: string, { status }: Response, url: string): Promise<Finding | undefined> => {
  if (status !== 503) return undefined
  // The answer to a HEAD has no body.
  const { response } = await probe(`${url}/${names.path.ready}`, "GET")
  const problem: { readonly code?: unknown; readonly detail?: unknown } = await response.json().catch(() => ({}))
  const code = "INGEST_UNAVAILABLE" satisfies ProblemCode
  if (problem?.code !== code) return undefined
  const said = typeof problem.detail === "string" ? ` It says: ${problem.detail.slice(0, 500)}` : ""
  return failed(
    check,
    `The ingest at ${url} takes nothing at the moment (${code}).${said}`,
    "Look at the other findings and at its log. It goes on by itself as soon as it can write again.",
  )
}

const judge = (check: string, { status, headers }: Response, url: string): Finding => {
  if (status === 200 && headers.has(names.header.rangeStart)) return ok(check, `answers at ${url} and knows this app`)
  if (status === 403) {
    return failed(
      check,
      `An ingest at ${url} refuses what this token signs.`,
      `Give the app the ingest's ${envName("token")} or one of an app of that ingest (\`sluice apps\`, \`sluice keys create\`), and the ingest the public URL it is reached by (--url).`,
    )
  }
  return failed(
    check,
    `${url} answers with ${status}, which no Sluice ingest does.`,
    "Check the URL, and that the proxy, if there is one, passes on every path and the whole query.",
  )
}
