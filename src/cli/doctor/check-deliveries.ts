import type { Catalog, UploadWithDelivery } from "../../ingest.ts"
import type { OpenDeployment } from "../deployment/open-deployment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

/** This many are counted; for more it says "100 or more". */
const most = 100

/** How long after it is due an event may wait before a warning, ms. */
const patience = 60_000

/** `1 event was`, `5 events were`. */
const count = ({ length }: ReadonlyArray<unknown>): string =>
  length === 1 ? "1 event was" : length < most ? `${length} events were` : `${most} or more events were`

/** The current callback URL of an app, according to the app. */
export interface PresentCallbackUrl {
  readonly appId: string
  readonly callbackUrl: string
}

/** How many ids are named in a command that can be copied. */
const mostNamed = 5

/** What a shell takes literally; the app's answer cannot be trusted. */
const isPlain = (url: string): boolean => /^[\w:/.~%-]+$/.test(url)

/** Of the events that failed, those that went to another URL than their app has now: the message and the command for them. */
const findMisdirected = (
  failed: ReadonlyArray<UploadWithDelivery>,
  present: PresentCallbackUrl | undefined,
): { readonly message: string; readonly advice: string } | undefined => {
  if (present === undefined) return undefined
  const { appId, callbackUrl } = present
  const isOfApp = ({ file, registration }: UploadWithDelivery) => file.appId === appId && registration?.isDev === false
  const misdirected = failed.filter((one) => isOfApp(one) && one.registration!.callbackUrl !== callbackUrl)
  const [first] = misdirected
  if (first === undefined) return undefined
  const areAllDead = failed.length < most && failed.every((one) => one.delivery.status === "dead" && isOfApp(one))
  const ids = misdirected.length > mostNamed ? "<id…>" : misdirected.map(({ delivery }) => delivery.id).join(" ")
  const to = isPlain(callbackUrl) ? callbackUrl : "<url>"
  return {
    message: `${misdirected.length} of them went to ${first.registration!.callbackUrl}${misdirected.some((one) => one.registration!.callbackUrl !== first.registration!.callbackUrl) ? " or elsewhere" : ""}, but the app is called back at ${callbackUrl}.`,
    advice: `If the former URL was wrong: \`sluice deliveries redeliver ${areAllDead ? "--dead" : ids} --to ${to}\`.`,
  }
}

/** Whether apps are told about their files and, for one app, whether events go to the right URL. */
export const checkDeliveries = async (
  { catalog, now }: Pick<OpenDeployment, "catalog" | "now">,
  present?: PresentCallbackUrl,
): Promise<Finding> => {
  const check = "Deliveries"
  const dead = await catalog.listDeliveries({ status: "dead", limit: most })
  if (dead.length > 0) {
    const misdirected = findMisdirected(dead, present)
    if (misdirected !== undefined) {
      return failed(check, `${count(dead)} given up. ${misdirected.message}`, misdirected.advice)
    }
    return failed(
      check,
      `${count(dead)} given up.`,
      "See why with `sluice deliveries show <id>`, mend the app, then `sluice deliveries redeliver --dead`.",
    )
  }
  const pending = await catalog.listDeliveries({ status: "pending", limit: most })
  const before = (await now()) - patience
  const overdue = pending.filter(
    ({ delivery, registration }) => registration?.isDev === false && delivery.nextAt < before,
  )
  if (overdue.length > 0) {
    return warning(
      check,
      `${count(overdue)} due a while ago and not sent.`,
      "Start an ingest on this catalog. Where one runs, the app of these events is slow or does not answer: `sluice deliveries --status pending` names them.",
    )
  }
  const retried = pending.filter(({ delivery }) => delivery.failures > 0)
  if (retried.length > 0) {
    const misdirected = findMisdirected(retried, present)
    const message = `${count(retried)} refused or not answered so far, and will be tried again.`
    if (misdirected !== undefined) return warning(check, `${message} ${misdirected.message}`, misdirected.advice)
    return warning(
      check,
      message,
      "See why with `sluice deliveries --status pending` and `sluice deliveries show <id>`.",
    )
  }
  return ok(check, `none was given up, ${pending.length < most ? pending.length : `${most} or more`} pending`)
}

/**
 * Where an app takes its callbacks, by its newest uploads; undefined when none of them is registered. Never where another
 * app does: what is sent there is signed with the key of this one. Without a key any app will do.
 */
export const findCallbackUrl = async (catalog: Catalog, appId: string | undefined): Promise<string | undefined> => {
  for (const { key } of await catalog.list({ appId, limit: 10 })) {
    const upload = await catalog.get(key)
    if (upload?.registration) return upload.registration.callbackUrl
  }
  return undefined
}
