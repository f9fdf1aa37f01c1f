/*
 * Configuration: `file`, the database, made when missing, for this user alone (mode 0600); `largestContent`, bytes of
 * the largest file whose content is kept here and not in the blob store (64 KiB; 0: none).
 *
 * What is stored where: tables `files`, `contents`, `registrations`, `expected_files`, `deliveries`, `attempts`, `deletions`, `apps`, `app_keys`, `endpoints`,
 * `endpoint_secrets`, `endpoint_events` in that file, beside
 * it SQLite's `-wal` and `-shm`. migrations/ has the columns.
 *
 * Considerations: the driver is Node's own (`node:sqlite`), in WAL mode. What a method resolved with is on disk:
 * SQLite itself flushes its log only before a checkpoint (`synchronous = NORMAL`), so we flush it after each
 * transaction, off the calling thread (docs/decisions/013). Writes of one turn of the event loop share a transaction
 * and its flush, and so do all that arrive while the disk is busy. The log grows to some 32 MiB before it is moved
 * into the database, so that pages that change with every upload are moved once and not each time. Up to 16 MiB of
 * pages are kept in memory (SQLite's own default is 2): a transaction that changes a thousand files of 300,000 spills
 * otherwise, and takes twice as long. One ingest per
 * file; other processes, such as the command line, may read and write it meanwhile. Statements run on the calling
 * thread, for some microseconds each. Before a write resolves, it is looked up whether the file is still where it was opened: what
 * is written to one that was removed, moved or replaced is lost, so from then on every method fails with `io`.
 */
import type { Catalog } from "../catalog/catalog.ts"
import { wrapPort } from "../wrap-port.ts"
import { createAppTable } from "./apps.ts"
import { retryWhileBusy } from "./busy.ts"
import { createCompaction, rewriteOld, setCompaction } from "./compaction.ts"
import { createDeleteSteps } from "./delete-steps.ts"
import { createDeletions } from "./deletions.ts"
import { createDeliveries } from "./deliveries.ts"
import { createEndpoints } from "./endpoints.ts"
import { toCatalogError } from "./error.ts"
import { createFiles } from "./files.ts"
import { createHolds } from "./holds.ts"
import { createHistory } from "./history.ts"
import { createHousekeeping } from "./housekeeping.ts"
import { openDatabase } from "./open-database.ts"
import { createRegistrations } from "./registrations.ts"
import { migrate } from "./schema.ts"
import { prepareStatements } from "./statements.ts"
import { createSteps } from "./steps.ts"
import { createTombstones } from "./tombstones.ts"
import type { Transactions } from "./transactions.ts"
import { createUploads } from "./uploads.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

/**
 * Keeps the catalog in an SQLite file. Node, Deno.
 *
 * @param beside further files that this process has open, such as the lock of its folder: nothing is written once one is gone
 */
export const createSqliteCatalog = (
  {
    file,
    largestContent = 64 * 1024,
  }: {
    readonly file: string
    readonly largestContent?: number | undefined
  },
  beside?: ReadonlyArray<string>,
): Catalog => {
  const { chmodSync, existsSync } = process.getBuiltinModule("node:fs")
  const isDurable = file !== ":memory:"
  const { database, group, places, free, requireRoom, close } = openDatabase(file, {
    ...(beside && { beside }),
    first: setCompaction,
    longestLog: 8000,
    prepare: (opened) => {
      opened.exec("PRAGMA cache_size = -16384")
      migrate(opened)
      if (isDurable) rewriteOld(opened)
    },
  })
  const sql = prepareStatements(database)
  const compaction = createCompaction(database, group.run)
  const transactions: Transactions = { read: async (work) => work(), write: group.run }
  const steps = createSteps(sql, compaction.noteDeletion)
  const { findRefusal, bury, ...tombstones } = createTombstones(sql, transactions, steps)

  const deleteSteps = createDeleteSteps(database, sql, { bury })

  /** Windows has no modes: who may read a file is what its folder says. To set one of a file in use fails there (EBUSY). */
  const closeToOthers = (): void => {
    if (process.platform === "win32") return
    for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600)
  }

  const catalog: Catalog = {
    abilities: { isDurable, isShared: false, largestContent },
    usage: async (appId) => ({ ...findUsage(sql, appId) }),
    usageOfOwner: async (appId, owner) => ({ ...findOwnerUsage(sql, appId, owner) }),
    ...createUploads(sql, transactions, { ...steps, ...deleteSteps, findRefusal }),
    ...createRegistrations(sql, transactions, steps),
    ...createDeliveries(sql, transactions, steps),
    ...createFiles(database, sql, transactions, { ...steps, ...deleteSteps, bury }),
    ...createDeletions(database, sql, transactions, steps, deleteSteps),
    ...createHolds(database, sql, transactions, steps),
    ...tombstones,
    ...createAppTable(database, transactions, closeToOthers),
    ...createEndpoints(database, transactions, closeToOthers, steps.insertAttempt),
    ...createHousekeeping(sql, transactions, { ...steps, compact: compaction.step }),
    ...createHistory(database),
    probe: async () => {
      // A write that changes nothing, because no key contains a space. It needs no page, and so would go through on a full disk.
      await transactions.write(() => sql.interrupt.get("no key"))
      requireRoom()
    },
    ...(free && { free }),
    close: async () => {
      if (!database.isOpen) return
      await close(() => compaction.close())
    },
  }
  // In one place, so that it applies to every method, present and future.
  return wrapPort(catalog, async (method, run) => {
    try {
      if (method !== "close") places.recheck()
      return await retryWhileBusy(run)
    } catch (cause) {
      throw toCatalogError(cause, file)
    }
  })
}
