import type { Merging } from "./history.ts"
import type { Row } from "./rows.ts"

/** A value of a parameter; a list where the database has lists. */
export type Value = string | number | null | ReadonlyArray<string | number>

/** How a catalog over SQL reads what may take many statements. */
export interface StepReader {
  /** What a statement finds, with parameters of these names. */
  readonly all: (sql: string, values: Readonly<Record<string, Value>>) => Promise<ReadonlyArray<Row>>
  readonly merging: Merging
  /** How many files one statement walks at most where it may have to pass by very many: some milliseconds' worth. */
  readonly longestStep: number
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>
}

/** Whether an app has a deletion that is not done: its files are passed by until their rows are changed, and may be millions. */
export const hasOpenDeletion = async ({ all }: StepReader, appId: string): Promise<boolean> =>
  (await all("SELECT 1 FROM deletions WHERE app_id = :appId AND done_at IS NULL LIMIT 1", { appId })).length > 0
