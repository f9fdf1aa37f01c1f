import { styleText } from "node:util"
import type { DeliveryStatus, EndpointEvent } from "../../ingest.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { explainEventId } from "../inspect/event-id.ts"
import { printAttempts } from "../inspect/print-attempts.ts"
import { type PageOptions, toPage } from "../inspect/page-options.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { formatMoment } from "../terminal/moment.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { showDeliveryStatus } from "../inspect/show-delivery-status.ts"
import { printFacts, printTable } from "../terminal/table.ts"
import { requireEndpoint } from "./known-endpoint.ts"

/** An event as `--json` prints it. Times in ms since the epoch. Source: docs/cli.md. */
const toEventJson = ({ id, endpointId, type, at, status, attempts, nextAt, file }: EndpointEvent) => ({
  id,
  endpointId,
  type,
  at,
  status,
  attempts,
  nextAt: status === "pending" ? nextAt : null,
  fileKey: file?.key ?? null,
  fileName: file?.name ?? null,
})

const showNext = ({ status, nextAt }: EndpointEvent): string => (status === "pending" ? formatMoment(nextAt) : "")

const unknownEvent = (id: string): CommandFailure =>
  new CommandFailure(
    `There is no event ${JSON.stringify(id)} of an endpoint. ` +
      explainEventId(id, "`sluice endpoints events` lists those there are."),
  )

/** One event with its attempts. */
const showEvent = async (deployment: Deployment, id: string, json: true | undefined): Promise<void> => {
  const [event, attempts, url] = await withDeployment(deployment, "reads", async ({ catalog }) => {
    const found = await catalog.findEvent(id)
    if (found === null) throw unknownEvent(id)
    const endpoint = (await catalog.listEndpoints()).find((each) => each.id === found.endpointId)
    return [found, await catalog.listAttempts(id), endpoint?.url] as const
  })
  if (json) {
    console.log(JSON.stringify({ ...toEventJson(event), history: attempts }))
    return
  }
  printFacts([
    ["Event", event.id],
    ["Type", event.type],
    ["Happened", formatMoment(event.at)],
    ["Status", showDeliveryStatus(event.status)],
    ["File", event.file && `${toPrintable(event.file.name)} (${event.file.key})`],
    ["To", `${event.endpointId}${url === undefined ? ", which was removed" : ` at ${toPrintable(url)}`}`],
    ["Next", showNext(event) || null],
  ])
  printAttempts(attempts)
}

/** `sluice endpoints events`. */
export const runEndpointsEvents = async (
  deployment: Deployment,
  id: string | undefined,
  { status, limit, cursor, json }: PageOptions & { readonly status?: DeliveryStatus; readonly json?: true },
): Promise<void> => {
  if (id?.startsWith("evt_")) return showEvent(deployment, id, json)
  const found = await withDeployment(deployment, "reads", async ({ catalog }) => {
    if (id !== undefined) await requireEndpoint(catalog, id)
    return catalog.listEvents({ endpointId: id, status, before: cursor, limit: limit + 1 })
  })
  const { rows, nextCursor } = toPage(found, limit, ({ number }) => number)
  if (json) {
    console.log(JSON.stringify({ events: rows.map(toEventJson), nextCursor }))
    return
  }
  if (rows.length === 0) {
    console.log(status === undefined ? "There are no events of endpoints." : `No event of an endpoint is ${status}.`)
    return
  }
  printTable(
    [
      { title: "ID" },
      { title: "TYPE" },
      { title: "FILE" },
      { title: "ENDPOINT" },
      { title: "STATUS" },
      { title: "ATTEMPTS", align: "right" },
      { title: "NEXT" },
    ],
    rows.map((event) => [
      event.id,
      event.type,
      toShortPrintable(event.file?.name ?? "", 32),
      event.endpointId,
      showDeliveryStatus(event.status),
      String(event.attempts),
      showNext(event),
    ]),
  )
  if (nextCursor !== null) console.log(styleText("dim", `\nThere are more: --cursor ${nextCursor}`))
}

/** How many events are read at a time. */
const batch = 500

/** `sluice endpoints redeliver`. All named events are found before the first of them is made due. */
export const runEndpointsRedeliver = async (
  deployment: Deployment,
  ids: ReadonlyArray<string>,
  { dead, json }: { readonly dead?: string; readonly json?: true },
): Promise<void> => {
  const due: Array<string> = []
  const refused: Array<string> = []
  await withDeployment(deployment, "changes", async (open) => {
    const { catalog } = open
    const now = await open.now()
    const redeliver = async (id: string) =>
      (await catalog.redeliverEvent({ id, now })) ? due.push(id) : refused.push(id)
    for (const id of ids) if ((await catalog.findEvent(id)) === null) throw unknownEvent(id)
    await Promise.all(ids.map(redeliver))
    if (dead === undefined) return
    await requireEndpoint(catalog, dead)
    for (let before: number | undefined; ;) {
      const page = await catalog.listEvents({ endpointId: dead, status: "dead", before, limit: batch })
      if (page.length === 0) return
      await Promise.all(page.map(({ id }) => redeliver(id)))
      before = page.at(-1)!.number
    }
  })
  if (refused.length > 0) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ due, refused }))
    return
  }
  console.log(`${due.length} ${due.length === 1 ? "event is" : "events are"} due now.`)
  for (const id of refused) console.error(`${id} stays as it is: an attempt is under way, or its endpoint was removed.`)
}
