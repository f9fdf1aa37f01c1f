import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Machine } from "./machine.ts"
import type { Report } from "./report.ts"

/** What one bench found, and where. */
export interface Result {
  readonly machine: Machine
  readonly reports: ReadonlyArray<Report>
}

/** Bench → what it found, by name. */
export type Results = ReadonlyMap<string, Result>

/** Where each bench keeps what it found; git ignores it. */
export const lastFolder = join(import.meta.dirname, ".results")

/** What the page shows, with its plots. */
export const resultsFolder = join(import.meta.dirname, "results")

/** A result as text: JSON. */
export const writeResult = ({ machine, reports }: Result): string => {
  const plain = reports.map(({ title, figures, rounds, aims }) => ({
    title,
    figures,
    rounds: Object.fromEntries(rounds),
    aims,
  }))
  return `${JSON.stringify({ machine, reports: plain }, null, 2)}\n`
}

interface PlainResult {
  readonly machine: Machine
  readonly reports: ReadonlyArray<
    Omit<Report, "rounds"> & { readonly rounds: Readonly<Record<string, Record<string, ReadonlyArray<number>>>> }
  >
}

/** The inverse of {@link writeResult}. */
export const readResult = (text: string): Result => {
  const { machine, reports } = JSON.parse(text) as PlainResult
  return { machine, reports: reports.map((report) => ({ ...report, rounds: new Map(Object.entries(report.rounds)) })) }
}

/** In how many rounds something was measured. */
export const countRounds = (reports: Result["reports"]): number => {
  const [values = {}] = reports[0]?.rounds.values() ?? []
  return Object.values(values)[0]?.length ?? 0
}

export const saveResult = (folder: string, name: string, result: Result): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), writeResult(result))
}

/** All results of a folder, by name; none where there is no folder. */
export const readResults = (folder: string): Results => {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : []
  return new Map(
    files
      .toSorted()
      .map((file) => [file.slice(0, -".json".length), readResult(readFileSync(join(folder, file), "utf8"))]),
  )
}
