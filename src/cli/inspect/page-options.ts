import { type Command, InvalidArgumentError, Option } from "commander"

/** Which part of a listing to show. */
export interface PageOptions {
  readonly limit: number
  /** The file id after which the page begins. */
  readonly cursor?: number
}

const parseCount = (text: string): number => {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count === 0) throw new InvalidArgumentError("Expected a number from 1 to 999999.")
  return count
}

const parseCursor = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Expected the cursor that the previous page named.")
  return Number(text)
}

/** Gives a command `--limit` and `--cursor`. */
export const addPageOptions = (command: Command): Command =>
  command
    .addOption(new Option("--limit <number>", "how many at most").argParser(parseCount).default(50))
    .addOption(new Option("--cursor <cursor>", "the cursor that the previous page named").argParser(parseCursor))

/** The requested part of a listing, from one row more than that: its rows, and where the next page begins. */
export const toPage = <A>(
  found: ReadonlyArray<A>,
  limit: number,
  idOf: (row: A) => number,
): { readonly rows: ReadonlyArray<A>; readonly nextCursor: string | null } => {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last !== undefined ? String(idOf(last)) : null }
}
