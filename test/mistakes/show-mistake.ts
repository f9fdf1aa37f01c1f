import type { Reader } from "./mistake.ts"
import { type Outcome, textFor } from "./read-mistakes.ts"

/** What is another one in every run: ports, folders, keys, moments, durations. */
const settle = (text: string, folders: ReadonlyArray<string>): string => {
  const named = folders.reduce((rest, folder) => rest.replaceAll(folder, "…"), text)
  return named
    .replaceAll(/(localhost|127\.0\.0\.1|\[::1\]):\d{4,5}/g, "$1:…")
    .replaceAll(/…[^\s"]*?\/(data|app-\w+)\b/g, "…/$1")
    .replaceAll(/\bapp-\w{6}\b/g, "app")
    .replaceAll(/(\/\/[^/\s'"]+)\/[\w-]{30,}\?expires=[^\s'"]+/g, "$1/…?…")
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "…")
    .replaceAll(/\b[\d.]+[KMGT]?B are free/g, "… are free")
    .replaceAll(/\bevt_\w+/g, "evt_…")
    .replaceAll(/\bkey_\w+/g, "key_…")
    .replaceAll(/\b(?=\w*\d)(?=\w*[A-Z])\w{30,}\b/g, "…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
    .replaceAll(/\b(ms|attempt|pid|bytes|next|key|app|behind|again)=\S+/g, "")
    .replaceAll(/\b\d+(\.\d+)? (ms|seconds?|s)\b/g, "… $2")
    .replaceAll(/\bpid \d+/g, "pid …")
    .replaceAll(/\b\d{5,}\b/g, "…")
}

const isNoise = (line: string): boolean =>
  /^\s*$|^\s+at |The ingest has started|^Sluice ingest at|^The Sluice ingest is running|^Ctrl-C|^\s+(Public URL|Listens on|Data|App|Token|Set)\b|^\s+\w+ = |^Node\.js v|^\s*[{}^]|^\s*\^|^node:|^file:/.test(
    line,
  )

/** A log line without its prefix and its fields: what people read first. */
const toMessage = (line: string): string => {
  if (!line.startsWith("{")) return line.replace(/^(\S+Z |[\d:]{8} )?\[sluice\] (\w+): /, "")
  try {
    const { message, reason, cause, help } = JSON.parse(line) as Record<string, unknown>
    return [message, reason, cause, help]
      .filter((part) => typeof part === "string")
      .map((part) => part.split("\n    at ")[0])
      .join(" ")
  } catch {
    return line
  }
}

const toLines = (text: string, folders: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    text
      .split("\n")
      .filter((line) => line.startsWith('{"time"') || !isNoise(line))
      .map((line) => settle(toMessage(line), folders).replaceAll(/\s+/g, " ").trim())
      .filter((line) => line !== ""),
  ),
]

const longest = 600

/** What is read in one place, shortened; nothing where nothing is said. */
const toPlace = (place: string, text: string | undefined, folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  toLines(text ?? "", folders).map((line) => `${place}: ${line.length > longest ? `${line.slice(0, longest)}…` : line}`)

/** The component repeats its state for screen readers; a line is enough here. */
const toComponent = (text: string | undefined, folders: ReadonlyArray<string>): string =>
  toLines(text ?? "", folders).join(" · ")

const toParagraph = (who: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`${who} reads:`, "", "```text", ...lines, "```", ""]

/** Headings have no marks: anchors are made of them. */
export const toHeading = (name: string) => name.replaceAll("`", "")

/**
 * What is read of a mistake, shortened, without what changes from run to run.
 *
 * @param folders paths that are left out
 */
export const showMistake = ({ mistake, readings }: Outcome, folders: ReadonlyArray<string>): string => {
  const { development, production } = readings
  return [
    `## ${toHeading(mistake.name)}`,
    "",
    ...toParagraph("The user", [toComponent((production ?? development)?.component, folders)].filter(Boolean)),
    ...toParagraph("The developer", [
      ...toPlace("page", toComponent(development?.component, folders), folders),
      ...toPlace("console", development?.console, folders),
      ...toPlace("terminal", development?.app, folders),
      ...(development === undefined ? toPlace("console, production", production?.console, folders) : []),
    ]),
    ...toParagraph("The operator", [
      ...toPlace("app", production?.app, folders),
      ...toPlace("ingest", production?.ingest, folders),
      ...toPlace("doctor", production?.doctor, folders),
    ]),
  ].join("\n")
}

/** Which of cause and fix a reader finds; a dash for who is not concerned. */
const toVerdict = (reader: Reader, { mistake, readings }: Outcome): string => {
  if (!mistake.reader.includes(reader)) return "–"
  const text = textFor(reader, readings)
  if (text.trim() === "") return "–"
  const found = [mistake.cause.test(text) ? "cause" : "", mistake.fix.test(text) ? "fix" : ""].filter(Boolean)
  return found.join(", ") || "neither"
}

/** A line of the table of all mistakes. */
export const toRow = (outcome: Outcome): string =>
  `| ${[outcome.mistake.name, ...(["user", "developer", "operator"] as const).map((reader) => toVerdict(reader, outcome))].join(" | ")} |`
