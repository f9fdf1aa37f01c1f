/*
 * Configuration: `pool`, connections to PostgreSQL 14 or newer, which the caller makes and ends; `schema`, where the
 * tables are (`sluice`), made when missing; `largestContent`, bytes of the largest file whose content is kept here and not
 * in the blob store (16 KiB; 0: none).
 *
 * What is stored where: tables `files`, `contents`, `registrations`, `expected_files`, `deliveries`, `attempts`,
 * `tombstones`, `deletions`, `usage`, `owner_usage`, `apps`, `app_keys`, `endpoints`, `endpoint_secrets`,
 * `endpoint_events`, `processes`, `writers`, `leads` in that schema, and functions in one more for each version of it
 * (`sluice_1`, `sluice_2`). migrations/ has the columns. The journal of a bucket (`journal-postgres.ts`) has its tables there, too.
 *
 * Considerations: every method is one transaction at READ COMMITTED, whatever the database's default is, but for two that
 * say so. Transactions that change the same key come one after the other (docs/decisions/082); a deadlock is tried again.
 * Nothing is left in a session, so that a pooler may give every transaction another one. What a method resolved with is as
 * durable as the server makes it: with an asynchronous standby a failover loses the last commits.
 */
import type { Catalog } from "../catalog/catalog.ts"
import { createAppTable } from "./apps.ts"
import { createTurns } from "./connections.ts"
import { createDeletions } from "./deletions.ts"
import { createDeliveries } from "./deliveries.ts"
import { createEndpoints } from "./endpoints.ts"
import { createFiles } from "./files.ts"
import { createHistory } from "./history.ts"
import { createHolds } from "./holds.ts"
import { createHotTransitions } from "./hot.ts"
import { createHousekeeping } from "./housekeeping.ts"
import { openDatabase } from "./open-database.ts"
import type { PostgresPool } from "./pool.ts"
import { createProcesses } from "./processes.ts"
import { createRegistrations } from "./registrations.ts"
import { createTombstones } from "./tombstones.ts"
import { quoteName } from "./translate.ts"
import { createUploads } from "./uploads.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

/** What {@link createPostgresCatalog} is told. */
export interface PostgresCatalogSettings {
  /** `new pg.Pool({ connectionString })`, or another one like it. The catalog does not end it. */
  readonly pool: PostgresPool
  /** The schema of its tables; `sluice` by default. */
  readonly schema?: string | undefined
  /** Bytes of the largest file whose content is kept in the database; 16 KiB by default. */
  readonly largestContent?: number | undefined
}

/** Keeps the catalog in PostgreSQL. */
export const createPostgresCatalog = ({
  pool,
  schema = "sluice",
  largestContent = 16 * 1024,
}: PostgresCatalogSettings): Catalog => {
  const { database, functions, close } = openDatabase(pool, schema)
  const { read, write } = database
  const me = crypto.randomUUID()
  const inTurn = createTurns()
  const { processes, writers } = createProcesses(database, functions, me)
  return {
    abilities: { isDurable: true, isShared: true, largestContent },
    processes,
    usage: async (appId) => ({ ...(await findUsage(read, appId)) }),
    usageOfOwner: async (appId, owner) => ({ ...(await findOwnerUsage(read, appId, owner)) }),
    ...createUploads(database, writers),
    ...createRegistrations(database),
    ...createHotTransitions(database, functions, { me, writers }, inTurn),
    ...createDeliveries(database, me),
    ...createFiles(database, `SELECT ${quoteName(schema)}.note_claims(?::bigint[])`),
    ...createDeletions(database),
    ...createHolds(database),
    ...createTombstones(database),
    ...createAppTable(database),
    ...createEndpoints(database, me),
    ...createHousekeeping(database),
    ...createHistory(database),
    // A write that changes nothing, because no key contains a space.
    probe: () => write((sql) => sql.hold(["no key"])),
    close,
  }
}
