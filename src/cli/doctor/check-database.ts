import type { PostgresCatalogReader, PostgresProcess, PostgresServer } from "../../postgres.ts"
import type { DatabaseChoice, DatabaseDeployment } from "../deployment/deployment.ts"
import { explainDatabase } from "../deployment/explain-database.ts"
import { type LentPool, withPool } from "../deployment/lend-pool.ts"
import { findForeignTables } from "../deployment/open-database.ts"
import { formatSpan } from "../terminal/moment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

/** The oldest version of PostgreSQL that has all that is used. */
const oldest = 140_000

/** ms by which two clocks may differ without anybody noticing. */
const tolerance = 5000

/** ms of an answer above which every upload that waits for the database is slow. */
const slow = 100

/** The page with what a database has to do. */
const page = "node_modules/sluice/docs/postgres.md"

const describeServer = ({ version, answerTime, isPooled, synchronousCommit }: PostgresServer): string =>
  [
    `is PostgreSQL ${version}, takes ${formatSpan(answerTime)} for an answer`,
    ...(isPooled === true ? ["lends its sessions by a pooler"] : []),
    `confirms commits with synchronous_commit ${synchronousCommit}`,
  ].join(", ")

const judgeServer = (server: PostgresServer, { place }: DatabaseChoice): Finding => {
  const check = "Database"
  const message = `${place} ${describeServer(server)}`
  if (server.number < oldest) return failed(check, `${message}.`, "Upgrade it to PostgreSQL 14 or newer.")
  if (server.isStandby) {
    return failed(check, `${message}. It is a standby, and takes no changes.`, "Name the primary in databaseUrl.")
  }
  if (server.isReadOnly) {
    return failed(
      check,
      `${message}. It is read-only.`,
      "Turn default_transaction_read_only off, at least for its user.",
    )
  }
  if (server.synchronousCommit === "off") {
    return warning(
      check,
      `${message}: a crash of the server loses the last files whose uploaders were told that they are stored.`,
      "Turn synchronous_commit on for its user.",
    )
  }
  if (server.answerTime > slow) return warning(check, `${message}.`, "Run the ingests near their database.")
  return ok(check, message)
}

const judgeClock = ({ ahead }: PostgresServer, { place }: DatabaseChoice): Finding => {
  const check = "Clock"
  const difference = Math.abs(ahead)
  return difference > tolerance
    ? warning(
        check,
        `differs by ${formatSpan(difference)} from that of the database ${place}`,
        "Set both clocks by NTP: the ingests go by that of the database, apps and signed URLs do not.",
      )
    : ok(check, `agrees with that of the database ${place}`)
}

const describeProcesses = (processes: ReadonlyArray<PostgresProcess>): string => {
  const alive = processes.filter(({ isAlive }) => isAlive).length
  const dead = processes.length - alive
  const living = alive === 0 ? "no ingest runs on it" : `${alive} ${alive === 1 ? "ingest runs" : "ingests run"} on it`
  return dead === 0 ? living : `${living}; what ${dead} had that died is left to the next one that looks`
}

const judgeProcesses = (processes: ReadonlyArray<PostgresProcess>): Finding => {
  const check = "Processes"
  return processes.some(({ isAlive }) => isAlive)
    ? ok(check, describeProcesses(processes))
    : warning(check, `${describeProcesses(processes)}.`, "Start one: `sluice ingest` with the same settings.")
}

/** Whether the catalog is there, of this version, and may be changed by this user. */
const checkCatalog = async (
  pool: LentPool,
  { database }: DatabaseDeployment,
  reader: PostgresCatalogReader,
  { mayCreate }: PostgresServer,
): Promise<Finding> => {
  const check = "Catalog"
  const { schema } = database
  const { is } = await reader.readSchema()
  if (is === 0) {
    return mayCreate
      ? warning(check, `the schema ${schema} has none yet`, "An ingest makes it on its first start.")
      : failed(
          check,
          `the schema ${schema} has none, and its user may make none.`,
          `Give the rights that ${page} lists.`,
        )
  }
  const foreign = await findForeignTables(pool, database, false)
  if (foreign !== undefined) return failed(check, foreign.message, foreign.advice)
  const { createPostgresCatalog } = await import("../../postgres.ts")
  const catalog = createPostgresCatalog({ pool, schema })
  try {
    await catalog.probe()
  } finally {
    await catalog.close()
  }
  return ok(check, `in the schema ${schema}, of version ${is}, can be changed`)
}

/** Whether a database can be reached, does what it has to, and has a catalog; nothing is made. */
export const checkDatabase = async (deployment: DatabaseDeployment): Promise<ReadonlyArray<Finding>> =>
  withPool(deployment.database, async (pool) => {
    const { database } = deployment
    const { readPostgresCatalog } = await import("../../postgres.ts")
    const reader = readPostgresCatalog({ pool, schema: database.schema })
    const found: Array<Finding> = []
    let check = "Database"
    try {
      const server = await reader.readServer()
      found.push(judgeServer(server, database), judgeClock(server, database))
      if (found[0]!.status === "failed") return found
      check = "Catalog"
      found.push(await checkCatalog(pool, deployment, reader, server))
      const processes = found.at(-1)!.status === "ok" ? await reader.listProcesses() : undefined
      if (processes !== undefined) found.push(judgeProcesses(processes))
    } catch (error) {
      const { reason, advice } = explainDatabase(error, database)
      found.push(failed(check, reason, advice))
    }
    return found
  })
