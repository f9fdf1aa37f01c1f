import type { Catalog, EndpointEvent } from "../../ingest.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

/** This many are counted; for more it says "100 or more". */
const most = 100

const check = "Endpoints"

const endpointsOf = (events: ReadonlyArray<EndpointEvent>): ReadonlyArray<string> => [
  ...new Set(events.map(({ endpointId }) => endpointId)),
]

/** `1 event of ep_a was`, `5 events of ep_a and ep_b were`. */
const count = (events: ReadonlyArray<EndpointEvent>): string => {
  const { length } = events
  const whose = endpointsOf(events).join(" and ")
  return `${length < most ? length : `${most} or more`} ${length === 1 ? `event of ${whose} was` : `events of ${whose} were`}`
}

/** The command that lists these events, of one endpoint or of all. */
const toList = (events: ReadonlyArray<EndpointEvent>, status: "dead" | "pending"): string => {
  const [only, ...others] = endpointsOf(events)
  return `\`sluice endpoints events ${others.length === 0 ? `${only} ` : ""}--status ${status}\``
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
      `${toList(dead, "dead")} lists ${dead.length === 1 ? "it" : "them"}, and \`sluice endpoints events <evt_…>\` says why. Mend the receiver, then ${endpointsOf(
        dead,
      )
        .map((id) => `\`sluice endpoints redeliver --dead ${id}\``)
        .join(" and ")}.`,
    )
  }
  const refused = (await catalog.listEvents({ status: "pending", limit: most })).filter(({ failures }) => failures > 0)
  if (refused.length > 0) {
    return warning(
      check,
      `${count(refused)} refused or not answered so far, and will be tried again.`,
      `${toList(refused, "pending")} lists what is pending, and \`sluice endpoints events <evt_…>\` says why.`,
    )
  }
  return ok(check, `${length === 1 ? "it hears" : `all ${length} hear`} what becomes of files`)
}
