import { formatBounds, formatSpread, formatSubject, formatValue, toRows } from "./format.ts"
import { judge } from "./report.ts"
import { lastFolder, type Result, saveResult } from "./results.ts"

const print = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    console.log(`  ${cells.join("   ").trimEnd()}`)
  }
}

/** Prints medians with their spread, then what became of the aims; keeps all of it in `bench/.results/<name>.json`. */
export const publish = (name: string, result: Result): void => {
  for (const report of result.reports) {
    console.log(`\n${report.title}`)
    print(toRows(report))
    for (const verdict of judge(report)) {
      const bounds = formatBounds(verdict)
      const outcome = bounds === "" ? "" : `   aim ${bounds}: ${verdict.isMet ? "met" : "MISSED"}`
      const value = formatValue(verdict, formatSpread(verdict.value))
      console.log(`  ${formatSubject(verdict)}, ${report.figures[verdict.figure]}: ${value}${outcome}`)
    }
  }
  const { others } = result.machine
  if (others !== undefined) console.log(`\nOthers used ${Math.round(others * 100)} % of the processors meanwhile.`)
  saveResult(lastFolder, name, result)
}
