import type { Catalog, EndpointEvent } from "../../ingest.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

/** This many are counted; for more it says "100 or more". */
const most = 100

const check = "Endpoints"

/** `1 event of ep_a`, `5 events of ep_a and ep_b`. */
const count = (events: ReadonlyArray<EndpointEvent>): string => {
  const { length } = events
  const whose = [...new Set(events.map(({ endpointId }) => endpointId))].join(" and ")
  return `${length < most ? length : `${most} or more`} ${length === 1 ? "event" : "events"} of ${whose}`
}

/** Whether endpoints are told what becomes of files; undefined where there are none. */
export const checkEndpoints = async (catalog: Catalog): Promise<Finding | undefined> => {
  const { length } = await catalog.listEndpoints()
  if (length === 0) return undefined
  const dead = await catalog.listEvents({ status: "dead", limit: most })
  if (dead.length > 0) {
    return failed(
      check,
      `${count(dead)} given up.`,
      "See why with `sluice endpoints events <evt_…>`, mend the receiver, then `sluice endpoints redeliver --dead <ep_…>`.",
    )
  }
  const refused = (await catalog.listEvents({ status: "pending", limit: most })).filter(({ failures }) => failures > 0)
  if (refused.length > 0) {
    return warning(
      check,
      `${count(refused)} refused or not answered so far, and will be tried again.`,
      "See why with `sluice endpoints events --status pending` and `sluice endpoints events <evt_…>`.",
    )
  }
  return ok(check, `${length === 1 ? "it hears" : `all ${length} hear`} what becomes of files`)
}
