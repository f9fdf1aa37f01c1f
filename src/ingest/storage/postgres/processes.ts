import type { CatalogProcesses, ProcessLook } from "../catalog/processes.ts"
import type { Database, Sql, Transaction } from "./database.ts"
import { toJson } from "./values.ts"

/** What this process notes of the keys that it writes, in the transactions of others. Whoever calls holds the key. */
export interface Writers {
  /** This process as the writer of what it begins; null where nobody could ask it. */
  readonly me: () => string | null
  /**
   * Whether another live process writes a key, which is then asked to let it go. Otherwise this one does from now on.
   *
   * @param heldEpoch the epoch that it would have; null: nobody is asked
   * @param ownEpoch  what this process writes it with; null: it does not
   */
  readonly take: (
    sql: Sql,
    key: string,
    epochs: { readonly heldEpoch: number | null; readonly ownEpoch: number | null },
  ) => Promise<boolean>
  /** This process does not write the key with this epoch any more. */
  readonly end: (sql: Sql, key: string, epoch: number) => Promise<void>
}

const letGo = "DELETE FROM writers WHERE key = ? AND process = ? AND epoch <= ?"

/**
 * This opened catalog among the processes that work on it, and what they know of each other.
 *
 * @param functions the schema of the functions, as it stands in a statement
 * @param me        the id of this process
 */
export const createProcesses = (
  { read, look, write }: Database,
  functions: string,
  me: string,
): { readonly processes: CatalogProcesses; readonly writers: Writers } => {
  // Nobody could ask it for a key before: what it writes is not noted.
  let hasLooked = false
  const looking = `SELECT * FROM ${functions}.look(?, ?, ?::json)`
  const toCounts = (listed: unknown): ProcessLook["others"] =>
    Object.fromEntries(
      (listed as ReadonlyArray<{ name: string; count: number }>).map(({ name, count }) => [name, count]),
    )

  return {
    // Each statement may happen twice: it is repeated as those are that read.
    processes: {
      look: async ({ lease, active }) => {
        hasLooked = true
        const doing = toJson(Object.entries(active).map(([name, count]) => ({ name, count })))
        const ask = (sql: Sql) => sql.one(looking, me, lease, doing)
        // Where the database's default is another isolation, the function refuses.
        const row = (await ask(look)) ?? (await write((sql: Transaction) => ask(sql)))
        const { others, ...seen } = row!
        return { ...(seen as unknown as ProcessLook), others: toCounts(others) }
      },
      letGo: async (key, epoch) => void (await read.run(letGo, key, me, epoch)),
      moveClaims: async ({ events, until }) =>
        void (await read.run(`SELECT ${functions}.move_claims(?, ?::text[], ?)`, me, events, until)),
      lead: async (work, time) =>
        (await read.one(`SELECT ${functions}.lead(?, ?, ?) AS leads`, me, work, time))!.leads as unknown as boolean,
      leave: async () => {
        hasLooked = false
        await write((sql) => sql.run(`SELECT ${functions}.leave(?)`, me))
      },
    },
    writers: {
      me: () => (hasLooked ? me : null),
      take: async (sql, key, { heldEpoch, ownEpoch }) => {
        const noted = hasLooked ? ownEpoch : null
        if (heldEpoch === null && noted === null) return false
        const taking = `SELECT ${functions}.take_writer(?, ?, ?, ?) AS "isHeld"`
        return (await sql.one(taking, me, key, heldEpoch, noted))!.isHeld as unknown as boolean
      },
      end: async (sql, key, epoch) => {
        if (hasLooked) await sql.run(letGo, key, me, epoch)
      },
    },
  }
}
