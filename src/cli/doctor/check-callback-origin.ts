import { type CallbackRules, findForbidden } from "../callback-rules.ts"
import { failed, type Finding } from "./finding.ts"

/** Why the ingest would refuse every upload of an app with this callback URL; undefined where it would not. */
export const checkCallbackOrigin = (rules: CallbackRules, callbackUrl: string): Finding | undefined => {
  const forbidden = findForbidden(rules, callbackUrl)
  if (forbidden === undefined) return undefined
  return failed(
    "Uploads",
    `The app would be called back at ${callbackUrl}, and the ingest refuses such uploads: ${forbidden.reason}.`,
    `${forbidden.remedy}, or give the app a callback URL that is allowed.`,
  )
}
