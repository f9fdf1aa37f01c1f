import { failed, type Finding, ok, warning } from "./finding.ts"
import { checkClock, probe } from "./probe.ts"

const check = "Callback URL"

const advice = "Start the app, and check that its route handler is mounted there and that callbacks need no login."

/** Whether a route handler answers where callbacks go: asked for its routes, it lists them. */
export const checkCallbackUrl = async (url: string): Promise<ReadonlyArray<Finding>> => {
  try {
    const probed = await probe(url, "GET")
    const clock = checkClock(probed, url)
    return [await judge(url, probed.response), ...(clock === undefined ? [] : [clock])]
  } catch (error) {
    return [failed(check, `${url} cannot be reached from here: ${(error as Error).message}.`, advice)]
  }
}

const judge = async (url: string, response: Response): Promise<Finding> => {
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "")
  await response.body?.cancel().catch(() => {})
  if (response.ok && isJson) return ok(check, `a route handler answers at ${url}`)
  return warning(check, `${url} answers with ${response.status}, but not as a route handler does.`, advice)
}
