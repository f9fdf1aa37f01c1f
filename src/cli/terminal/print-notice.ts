import { type LogFormat, names } from "../../protocol.ts"
import { toPrintable } from "./printable.ts"

type NoticeLevel = "info" | "warning" | "error"

/** The fields that every line of a JSON log has. */
const toLogFields = (level: NoticeLevel, text: string) => ({
  time: new Date().toISOString(),
  level,
  service: names.word,
  message: text.trim().replaceAll(/\s*\n\s*/g, " "),
})

/** A sentence for the user of a command: as it is, or as a line of JSON in the log's format. */
export const formatNotice = (level: NoticeLevel, text: string, format: LogFormat | undefined): string => {
  if (format !== "json") return toPrintable(text)
  return JSON.stringify(toLogFields(level, text))
}

/** Prints a sentence on standard error, as {@link formatNotice} writes it. */
export const printNotice = (...notice: Parameters<typeof formatNotice>): void => console.error(formatNotice(...notice))

/** Prints what scripts wait for, on standard output, as a line of JSON in the log's format with an `event` and its facts. */
export const printEvent = (
  event: string,
  level: NoticeLevel,
  text: string,
  facts: Readonly<Record<string, unknown>> = {},
): void => console.log(JSON.stringify({ event, ...toLogFields(level, text), ...facts }))
