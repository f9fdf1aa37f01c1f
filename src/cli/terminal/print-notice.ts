import { type LogFormat, names } from "../../protocol.ts"
import { toPrintable } from "./printable.ts"

/** Prints a sentence for the user of a command on standard error: as it is, or as a line of JSON in the log's format. */
export const printNotice = (level: "warning" | "error", text: string, format: LogFormat | undefined): void => {
  if (format !== "json") return console.error(toPrintable(text))
  const message = text.trim().replaceAll(/\s*\n\s*/g, " ")
  console.error(JSON.stringify({ time: new Date().toISOString(), level, service: names.word, message }))
}
