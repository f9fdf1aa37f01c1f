import { styleText } from "node:util"
import { toFileStatus, type UploadRecord } from "../../ingest.ts"
import { findUpload } from "./find-upload.ts"
import { formatMoment, formatSpan } from "../terminal/moment.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { readStart, type StartedWith } from "../deployment/started-with.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { toPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"
import { toTimeline } from "./timeline.ts"

/** Who gives the verdict on a file that is held, and how a person does. */
const explainVerdict = (key: string, started: StartedWith | undefined): string => {
  const scanner = started?.scanner
  const who =
    scanner === undefined || scanner === null
      ? "No scanner is known here, so your app or a person decides"
      : `The scanner at ${scanner} decides: \`sluice doctor\` says whether it answers, and the log of the ingest why it has not decided. A person may be faster`
  return `${who}: look at it with \`sluice get --held ${key}\`, then \`sluice release ${key}\`, or \`sluice reject ${key} --reason <text>\`.`
}

/** The state of an upload, and what it waits for, in sentences. */
const summarise = (
  { file, registration, delivery, result }: UploadRecord,
  started: StartedWith | undefined,
): string => {
  if (file.status === "Uploading") return "The upload is under way, or was left unfinished."
  if (file.status === "Deleting") return "The file is being deleted."
  if (toFileStatus(file) === "Held") {
    return `The file is stored, and held until a verdict since ${formatMoment(file.uploadedAt ?? file.createdAt)}. ${explainVerdict(file.key, started)}`
  }
  const what = file.status === "Failed" ? "The upload has failed" : "The file is stored"
  if (file.slug === null) return `${what}. It was uploaded by the server.`
  if (registration === null || delivery === null) return `${what}. Its app has not registered it.`
  if (delivery.status === "dead")
    return `${what}. Its app could not be told: \`sluice deliveries redeliver\` tries again.`
  if (delivery.status === "pending") return `${what}. Its app has yet to be told.`
  return `${what}, and its app was told${result !== null && "error" in result ? ", but could not handle it" : ""}.`
}

/** `sluice explain`. */
export const runExplain = async (
  deployment: Deployment,
  key: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const [upload, timeline, started] = await withDeployment(deployment, "reads", async (open) => {
    const found = await findUpload(open, key)
    const attempts = found.delivery === null ? [] : await open.catalog.listAttempts(found.delivery.id)
    return [found, toTimeline(found, attempts), await readStart(open)] as const
  })
  const { file, delivery } = upload
  const summary = summarise(upload, started)
  if (json) {
    const { key } = file
    console.log(
      JSON.stringify({ key, status: toFileStatus(file), delivery: delivery?.status ?? null, summary, timeline }),
    )
    return
  }
  console.log(`${styleText("bold", toPrintable(file.name))}  ${styleText("dim", file.key)}`)
  console.log(`${toPrintable(summary)}\n`)
  printTable(
    [{ title: "TIME" }, { title: "AFTER", align: "right" }, { title: "STAGE" }, { title: "WHAT" }],
    timeline.map(({ at, stage, detail }) => [
      formatMoment(at),
      at >= file.createdAt ? `+${formatSpan(at - file.createdAt)}` : `-${formatSpan(file.createdAt - at)}`,
      stage,
      toPrintable(detail),
    ]),
  )
}
