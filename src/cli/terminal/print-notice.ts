import { type LogFormat, names } from "../../protocol.ts"
import { toPrintable } from "./printable.ts"

/** A sentence for the user of a command: as it is, or as a line of JSON in the log's format. */
export const formatNotice = (
  level: "info" | "warning" | "error",
  text: string,
  format: LogFormat | undefined,
): string => {
  if (format !== "json") return toPrintable(text)
  const message = text.trim().replaceAll(/\s*\n\s*/g, " ")
  return JSON.stringify({ time: new Date().toISOString(), level, service: names.word, message })
}

/** Prints a sentence on standard error, as {@link formatNotice} writes it. */
export const printNotice = (...notice: Parameters<typeof formatNotice>): void => console.error(formatNotice(...notice))
