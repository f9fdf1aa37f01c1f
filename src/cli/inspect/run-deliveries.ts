import { styleText } from "node:util"
import type { DeliveryAttempt, DeliveryStatus, UploadRecord, UploadWithDelivery } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import { findUpload } from "./find-upload.ts"
import { formatMoment, formatSpan } from "../terminal/moment.ts"
import { withCatalog } from "../open-catalog.ts"
import { type PageOptions, toPage } from "./page-options.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printFacts, printTable } from "../terminal/table.ts"

/** An event as `--json` prints it. Times in ms since the epoch. Source: docs/cli.md. */
const toDeliveryJson = ({ file, delivery, registration }: UploadWithDelivery) => ({
  id: delivery.id,
  hook: delivery.hook,
  status: delivery.status,
  attempts: delivery.attempts,
  nextAt: delivery.status === "pending" ? delivery.nextAt : null,
  isDev: registration?.isDev ?? false,
  callbackUrl: registration?.callbackUrl ?? null,
  callbackSlug: registration?.callbackSlug ?? null,
  fileKey: file.key,
  fileName: file.name,
})

const colours = { pending: "yellow", delivered: "green", dead: "red" } as const

const showStatus = (status: DeliveryStatus): string => styleText(colours[status], status)

/** When the next attempt is; of a development stream nobody knows. */
const showNext = ({ delivery, registration }: UploadWithDelivery): string => {
  if (delivery.status !== "pending") return ""
  return registration?.isDev === true ? "with the app's next upload" : formatMoment(delivery.nextAt)
}

/** An upload whose app is owed an event, or was. Fails: throws a {@link CommandFailure} when there is none. */
export const requireDelivery = (upload: UploadRecord): UploadWithDelivery => {
  const { delivery, file } = upload
  if (delivery !== null) return { ...upload, delivery }
  throw new CommandFailure(
    `No event is due for the file ${file.key}: ` +
      (file.slug === null ? "it was uploaded by the server." : "it has not ended, or its app has not registered it."),
  )
}

/** `sluice deliveries list`. */
export const runDeliveriesList = async (
  data: string,
  { status, limit, cursor, json }: PageOptions & { readonly status?: DeliveryStatus; readonly json?: true },
): Promise<void> => {
  const found = await withCatalog(data, "reads", (catalog) =>
    catalog.listDeliveries({ status, before: cursor, limit: limit + 1 }),
  )
  const { rows, nextCursor } = toPage(found, limit, ({ file }) => file.id)
  if (json) {
    console.log(JSON.stringify({ deliveries: rows.map(toDeliveryJson), nextCursor }))
    return
  }
  if (rows.length === 0) {
    console.log(status === undefined ? "There are no deliveries." : `There are no deliveries that are ${status}.`)
    return
  }
  printTable(
    [
      { title: "ID" },
      { title: "FILE" },
      { title: "HOOK" },
      { title: "STATUS" },
      { title: "ATTEMPTS", align: "right" },
      { title: "NEXT" },
    ],
    rows.map((upload) => [
      upload.delivery.id,
      toShortPrintable(upload.file.name, 32),
      upload.delivery.hook,
      showStatus(upload.delivery.status),
      String(upload.delivery.attempts),
      showNext(upload),
    ]),
  )
  if (nextCursor !== null) console.log(styleText("dim", `\nThere are more: --cursor ${nextCursor}`))
}

const toRow = ({ attempt, startedAt, latency, status, error, answer }: DeliveryAttempt): ReadonlyArray<string> => [
  String(attempt),
  formatMoment(startedAt),
  status === null ? styleText("red", "none") : styleText(status < 300 ? "green" : "red", String(status)),
  formatSpan(latency),
  toPrintable(answer || (status === null ? (error ?? "") : "")),
]

/** `sluice deliveries show`. */
export const runDeliveriesShow = async (
  data: string,
  id: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const [upload, attempts] = await withCatalog(data, "reads", async (catalog, folder) => {
    const found = requireDelivery(await findUpload(catalog, folder, id))
    return [found, await catalog.listAttempts(found.delivery.id)] as const
  })
  if (json) {
    console.log(JSON.stringify({ ...toDeliveryJson(upload), history: attempts }))
    return
  }
  const { file, delivery, registration } = upload
  printFacts([
    ["Event", delivery.id],
    ["Hook", delivery.hook],
    ["Status", showStatus(delivery.status)],
    ["File", `${toPrintable(file.name)} (${file.key})`],
    [
      "To",
      registration && (registration.isDev ? "the app's development stream" : toPrintable(registration.callbackUrl)),
    ],
    ["Route", registration && toPrintable(registration.callbackSlug)],
    ["Next", showNext(upload) || null],
  ])
  if (attempts.length === 0) return
  console.log()
  printTable(
    [{ title: "#", align: "right" }, { title: "TIME" }, { title: "STATUS" }, { title: "TOOK" }, { title: "ANSWER" }],
    attempts.map(toRow),
  )
}
