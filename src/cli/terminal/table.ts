import { stripVTControlCharacters, styleText } from "node:util"

/** A column of a table: its title, and the alignment of its cells. */
export interface Column {
  readonly title: string
  readonly align?: "right"
}

const segmenter = new Intl.Segmenter()

/** How many columns of a terminal a cell takes, without colours; double-width characters count as one. */
const widthOf = (cell: string): number => {
  const text = stripVTControlCharacters(cell)
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...segmenter.segment(text)].length
}

/** Prints rows below their titles, in columns as wide as necessary. */
export const printTable = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), title.length),
  )
  const toLine = (cells: ReadonlyArray<string>): string =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? ""
        const space = " ".repeat(widths[index]! - widthOf(cell))
        return align === "right" ? space + cell : cell + space
      })
      .join("  ")
      .trimEnd()
  console.log(styleText("dim", toLine(columns.map(({ title }) => title))))
  for (const row of rows) console.log(toLine(row))
}

/** Prints facts, one on each line; those without a value are left out. */
export const printFacts = (facts: ReadonlyArray<readonly [name: string, value: string | null]>): void => {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2
  for (const [name, value] of facts) {
    if (value !== null) console.log(`${styleText("dim", name.padEnd(width))}${value}`)
  }
}
