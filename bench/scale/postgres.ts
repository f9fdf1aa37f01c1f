import { join } from "node:path"
import { startPostgres } from "../../test/start-postgres.ts"
import { withDataFolder } from "../data-folder.ts"
import type { Report } from "../report.ts"
import { runRounds } from "../rounds.ts"

const script = join(import.meta.dirname, "store-small.ts")

const figures = { rate: "registered and committed /s", stored: "committed, registered by its URL /s" } as const

/**
 * Small files in the catalog, on PostgreSQL and on SQLite: 1 KiB each, both flushed to disk, 256 at once in one process. The
 * server of PostgreSQL is on the same machine, and so has to share its processors.
 */
export const benchPostgres = async (rounds = 5): Promise<ReadonlyArray<Report>> =>
  withDataFolder("scale", async (data) => {
    const postgres = await startPostgres({ isDurable: true })
    try {
      return [
        {
          title: "1 KiB files in the catalog",
          figures,
          aims: [
            { of: "PostgreSQL", to: "SQLite", figure: "rate", atLeast: 0.4 },
            { of: "PostgreSQL", to: "SQLite", figure: "stored", atLeast: 0.4 },
          ],
          rounds: await runRounds(
            [
              { name: "PostgreSQL", args: [script, postgres.url] },
              { name: "SQLite", args: [script, join(data, "catalog.sqlite")] },
            ],
            rounds,
          ),
        },
      ]
    } finally {
      await postgres.stop()
    }
  })
