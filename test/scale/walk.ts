import type pg from "pg"
import { schema } from "./start-deployment.ts"

const counts = (rows: string): string => `
  count(*) FILTER (WHERE ${rows}.status = 'Uploaded') AS files,
  coalesce(sum(${rows}.size) FILTER (WHERE ${rows}.status = 'Uploaded'), 0) AS stored,
  coalesce(sum(${rows}.size) FILTER (WHERE ${rows}.status = 'Uploading'), 0) AS announced`

/** What an app's files take. */
export interface AppWalk {
  readonly appId: string
  /** As the catalog counts, and as its rows are: the same text where it counts right. */
  readonly counted: string
  readonly walked: string
  /** Bytes, stored and announced. */
  readonly taken: number
}

/** Compares the usage of all apps with their rows, in one statement: at one moment. */
export const walkUsage = async (pool: pg.Pool): Promise<ReadonlyArray<AppWalk>> => {
  const { rows } = await pool.query(`
    SELECT coalesce(c.app_id, w.app_id) AS app_id, c.files AS cf, c.stored AS cs, c.announced AS ca, c.expected AS ce,
      coalesce(w.files, 0) AS wf, coalesce(w.stored, 0) AS ws, coalesce(w.announced, 0) AS wa,
      (SELECT count(*) FROM ${schema}.expected_files e WHERE e.app_id = c.app_id)
        + (SELECT count(*) FROM ${schema}.tombstones t WHERE t.app_id = c.app_id AND had_file = 0)
        + (SELECT count(*) FROM ${schema}.deletions d WHERE d.app_id = c.app_id) AS we
    FROM (SELECT app_id, sum(files) AS files, sum(stored_bytes) AS stored, sum(announced_bytes) AS announced,
      sum(expected_files) AS expected FROM ${schema}.usage GROUP BY app_id) c
    FULL JOIN (SELECT app_id, ${counts("f")} FROM ${schema}.files f GROUP BY app_id) w ON w.app_id = c.app_id`)
  return rows.map((row) => ({
    appId: row.app_id,
    counted: [row.cf, row.cs, row.ca, row.ce].join(" "),
    walked: [row.wf, row.ws, row.wa, row.we].join(" "),
    taken: Number(row.ws) + Number(row.wa),
  }))
}

/** Owners whose usage is not what their rows are. */
export const findWrongOwners = async (pool: pg.Pool): Promise<ReadonlyArray<string>> => {
  const { rows } = await pool.query(`
    SELECT coalesce(c.owner, w.owner) AS owner FROM ${schema}.owner_usage c
    FULL JOIN (SELECT app_id, owner, ${counts("f")} FROM ${schema}.files f WHERE owner IS NOT NULL GROUP BY app_id, owner) w
      ON w.app_id = c.app_id AND w.owner = c.owner
    WHERE (coalesce(c.files, 0), coalesce(c.stored_bytes, 0), coalesce(c.announced_bytes, 0))
      IS DISTINCT FROM (coalesce(w.files, 0), coalesce(w.stored, 0), coalesce(w.announced, 0))`)
  return rows.map(({ owner }) => String(owner))
}
