import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { peersFolder } from "./peers.ts"
import type { Rounds } from "./rounds.ts"
import { type Spread, toRatio, toSpread } from "./statistics.ts"

/** A goal: the ratio of one figure between two cases. */
export interface Aim {
  readonly of: string
  readonly to: string
  readonly figure: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** What a bench found. */
export interface Report {
  readonly title: string
  /** Figure → how it is printed. */
  readonly figures: Readonly<Record<string, string>>
  readonly rounds: Rounds
  readonly aims: ReadonlyArray<Aim>
}

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version

/** Where and with what was measured. */
export const describeMachine = () => {
  const root = join(import.meta.dirname, "..")
  const installed = (name: string) => versionOf(join(peersFolder, "node_modules", name))
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: {
      sluice: versionOf(root),
      uploadthing: installed("uploadthing"),
      "@better-upload/server": installed("@better-upload/server"),
      "@tus/server": installed("@tus/server"),
      "@tus/file-store": installed("@tus/file-store"),
      send: installed("send"),
      hono: installed("hono"),
      zod: installed("zod"),
      "@uppy/dashboard": installed("@uppy/dashboard"),
      filepond: installed("filepond"),
      "filepond-plugin-image-preview": installed("filepond-plugin-image-preview"),
      typescript: versionOf(join(root, "node_modules/typescript")),
    },
  }
}

const formatNumber = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString("en")
    : value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : 1 })

const formatSpread = ({ median, min, max }: Spread): string =>
  min === max ? formatNumber(median) : `${formatNumber(median)} (${formatNumber(min)}..${formatNumber(max)})`

const print = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    console.log(`  ${cells.join("   ").trimEnd()}`)
  }
}

/** Measures the aims; one that names a case that did not run is left out. */
const judge = ({ rounds, aims }: Report) =>
  aims.flatMap((aim) => {
    const over = rounds.get(aim.of)?.[aim.figure]
    const under = rounds.get(aim.to)?.[aim.figure]
    if (over === undefined || under === undefined) return []
    const ratio = toRatio(over, under)
    const isMet = ratio.median >= (aim.atLeast ?? 0) && ratio.median <= (aim.atMost ?? Infinity)
    return [{ ...aim, ratio, isMet }]
  })

/** Prints medians with their spread, then ratios; keeps all of it in `bench/.results/<name>.json`. */
export const publish = (name: string, reports: ReadonlyArray<Report>): void => {
  const machine = describeMachine()
  for (const report of reports) {
    console.log(`\n${report.title}`)
    const figures = Object.entries(report.figures)
    print([
      ["", ...figures.map(([, label]) => label)],
      ...[...report.rounds].map(([row, values]) => [
        row,
        ...figures.map(([figure]) => (values[figure] === undefined ? "" : formatSpread(toSpread(values[figure])))),
      ]),
    ])
    for (const { of, to, figure, ratio, isMet, atLeast, atMost } of judge(report)) {
      const aim = atLeast === undefined ? (atMost === undefined ? "" : `≤ ${atMost}`) : `≥ ${atLeast}`
      const verdict = aim === "" ? "" : `   aim ${aim}: ${isMet ? "met" : "MISSED"}`
      console.log(`  ${of} / ${to}, ${report.figures[figure]}: ×${formatSpread(ratio)}${verdict}`)
    }
  }
  const folder = join(import.meta.dirname, ".results")
  mkdirSync(folder, { recursive: true })
  const results = reports.map((report) => ({
    title: report.title,
    figures: report.figures,
    rounds: Object.fromEntries(report.rounds),
    aims: judge(report),
  }))
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ machine, reports: results }, null, 2)}\n`)
}
