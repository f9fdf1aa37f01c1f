import { type Command, InvalidArgumentError, Option } from "commander"

/** Which part of a listing to show. */
export interface PageOptions<Cursor = number> {
  readonly limit: number
  /** The file after which the page begins: its id, unless the listing has another order. */
  readonly cursor?: Cursor
}

const parseCount = (text: string): number => {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count === 0) throw new InvalidArgumentError("Expected a number from 1 to 999999.")
  return count
}

/** The refusal of a cursor that is none. */
export const invalidCursor = (): InvalidArgumentError =>
  new InvalidArgumentError("Expected the cursor that the previous page named.")

const parseCursor = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw invalidCursor()
  return Number(text)
}

/** `--limit`. */
export const limitOption = (): Option =>
  new Option("--limit <number>", "how many at most").argParser(parseCount).default(50)

/** Gives a command `--limit` and `--cursor`. */
export const addPageOptions = (command: Command, parse: (text: string) => unknown = parseCursor): Command =>
  command
    .addOption(limitOption())
    .addOption(new Option("--cursor <cursor>", "the cursor that the previous page named").argParser(parse))

/** The requested part of a listing, from one row more than that: its rows, and where the next page begins. */
export const toPage = <A>(
  found: ReadonlyArray<A>,
  limit: number,
  cursorOf: (row: A) => number | string,
): { readonly rows: ReadonlyArray<A>; readonly nextCursor: string | null } => {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last !== undefined ? String(cursorOf(last)) : null }
}
