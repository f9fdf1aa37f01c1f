import { styleText } from "node:util"
import type { DeliveryAttempt } from "../../ingest.ts"
import { formatMoment, formatSpan } from "../terminal/moment.ts"
import { toPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"

const toRow = ({ attempt, startedAt, latency, status, error, answer }: DeliveryAttempt): ReadonlyArray<string> => [
  String(attempt),
  formatMoment(startedAt),
  status === null ? styleText("red", "none") : styleText(status < 300 ? "green" : "red", String(status)),
  formatSpan(latency),
  toPrintable(answer || (status === null ? (error ?? "") : "")),
]

/** Prints the attempts at a delivery below what was printed of it; nothing where there are none. */
export const printAttempts = (attempts: ReadonlyArray<DeliveryAttempt>): void => {
  if (attempts.length === 0) return
  console.log()
  printTable(
    [{ title: "#", align: "right" }, { title: "TIME" }, { title: "STATUS" }, { title: "TOOK" }, { title: "ANSWER" }],
    attempts.map(toRow),
  )
}
