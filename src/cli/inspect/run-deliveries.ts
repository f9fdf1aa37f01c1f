import { styleText } from "node:util"
import type { DeliveryStatus, UploadRecord, UploadWithDelivery } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import { findUpload } from "./find-upload.ts"
import { formatMoment } from "../terminal/moment.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { printAttempts } from "./print-attempts.ts"
import { showDeliveryStatus } from "./show-delivery-status.ts"
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

/** When the next attempt is; unknown for a development stream. */
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
  deployment: Deployment,
  { status, limit, cursor, json }: PageOptions & { readonly status?: DeliveryStatus; readonly json?: true },
): Promise<void> => {
  const found = await withDeployment(deployment, "reads", ({ catalog }) =>
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
      showDeliveryStatus(upload.delivery.status),
      String(upload.delivery.attempts),
      showNext(upload),
    ]),
  )
  if (nextCursor !== null) console.log(styleText("dim", `\nThere are more: --cursor ${nextCursor}`))
}

/** `sluice deliveries show`. */
export const runDeliveriesShow = async (
  deployment: Deployment,
  id: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const [upload, attempts] = await withDeployment(deployment, "reads", async (open) => {
    const found = requireDelivery(await findUpload(open, id))
    return [found, await open.catalog.listAttempts(found.delivery.id)] as const
  })
  if (json) {
    console.log(JSON.stringify({ ...toDeliveryJson(upload), history: attempts }))
    return
  }
  const { file, delivery, registration } = upload
  printFacts([
    ["Event", delivery.id],
    ["Hook", delivery.hook],
    ["Status", showDeliveryStatus(delivery.status)],
    ["File", `${toPrintable(file.name)} (${file.key})`],
    [
      "To",
      registration && (registration.isDev ? "the app's development stream" : toPrintable(registration.callbackUrl)),
    ],
    ["Route", registration && toPrintable(registration.callbackSlug)],
    ["Next", showNext(upload) || null],
  ])
  printAttempts(attempts)
}
