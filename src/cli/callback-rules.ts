import { isLocalUrl } from "../ingest.ts"

/** What the ingest's operator allows the callbacks of an app. */
export interface CallbackRules {
  readonly appId: string
  /** Null: any. */
  readonly callbackOrigins: ReadonlyArray<string> | null
  /** Whether they may only go to the public Internet. */
  readonly isPublicOnly: boolean
}

/** Why an app's callbacks may not go to a URL, and the command that would allow it. */
export interface Forbidden {
  /** The end of a sentence. */
  readonly reason: string
  /** What to do; an alternative follows. */
  readonly remedy: string
}

/** Why the ingest would send no callbacks of an app to a URL; undefined where it would. */
export const findForbidden = (
  { appId, callbackOrigins, isPublicOnly }: CallbackRules,
  callbackUrl: string,
): Forbidden | undefined => {
  const url = new URL(callbackUrl)
  if (callbackOrigins !== null && !callbackOrigins.includes(url.origin)) {
    const wanted = [...callbackOrigins, url.origin].map((one) => `--callback-origin ${one}`).join(" ")
    return {
      reason: `callbacks of ${appId} may go to ${callbackOrigins.join(", ") || "no origin"} only`,
      remedy: `Allow it with \`sluice apps set ${appId} ${wanted}\``,
    }
  }
  if (!isPublicOnly || !isLocalUrl(url)) return undefined
  return {
    reason: `callbacks of ${appId}, which is not the ingest's own app, go to the public Internet only`,
    remedy: "Where the app is in the ingest's own network, start the ingest with --callback-networks any",
  }
}
