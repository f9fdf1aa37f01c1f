import type { Catalog } from "../../ingest.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

/** As many are counted, then it is "100 or more". */
const most = 100

/** How long past its time an event waits before somebody should ask why, ms. */
const patience = 60_000

/** `1 event was`, `5 events were`. */
const count = ({ length }: ReadonlyArray<unknown>): string =>
  length === 1 ? "1 event was" : length < most ? `${length} events were` : `${most} or more events were`

/** Whether apps are told of their files. */
export const checkDeliveries = async (catalog: Catalog): Promise<Finding> => {
  const check = "Deliveries"
  const dead = await catalog.listDeliveries({ status: "dead", limit: most })
  if (dead.length > 0) {
    return failed(
      check,
      `${count(dead)} given up.`,
      "See why with `sluice deliveries show <id>`, mend the app, then `sluice deliveries redeliver --dead`.",
    )
  }
  const pending = await catalog.listDeliveries({ status: "pending", limit: most })
  const overdue = pending.filter(
    ({ delivery, registration }) => registration?.isDev === false && delivery.nextAt < Date.now() - patience,
  )
  if (overdue.length > 0) {
    return warning(check, `${count(overdue)} due a while ago and not sent.`, "Start the ingest of this data folder.")
  }
  const retried = pending.filter(({ delivery }) => delivery.failures > 0)
  if (retried.length > 0) {
    return warning(
      check,
      `${count(retried)} refused or not answered so far, and will be tried again.`,
      "See why with `sluice deliveries --status pending` and `sluice deliveries show <id>`.",
    )
  }
  return ok(check, `none was given up, ${pending.length < most ? pending.length : `${most} or more`} pending`)
}

/** Where the app of the newest upload takes its callbacks; undefined when none has registered. */
export const findCallbackUrl = async (catalog: Catalog): Promise<string | undefined> => {
  const [newest] = await catalog.listDeliveries({ limit: 1 })
  return newest?.registration?.callbackUrl
}
