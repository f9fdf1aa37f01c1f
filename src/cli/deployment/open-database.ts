import { setTimeout as sleep } from "node:timers/promises"
import type { LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import type { DatabaseChoice } from "./deployment.ts"
import { adviseOnAbsence, explainDatabase, isNotThereYet, toDatabaseFailure } from "./explain-database.ts"
import type { LentPool } from "./lend-pool.ts"

/** ms after which a start says that it waits for a database, and after which it does not wait any more. */
const patience = { notice: 2500, end: 60_000 }

/** ms between two questions. */
const pause = 500

/**
 * Waits until a server answers: it may start at the same moment.
 *
 * Fails: with a {@link CommandFailure} where it refuses this user, or does not answer for a minute; with the reason of the signal.
 */
export const awaitDatabase = async (
  pool: LentPool,
  choice: DatabaseChoice,
  { logFormat, signal }: { readonly logFormat: LogFormat; readonly signal?: AbortSignal | undefined },
): Promise<void> => {
  const { readPostgresCatalog } = await import("../../postgres.ts")
  const reader = readPostgresCatalog({ pool, schema: choice.schema })
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(signal?.reason)
  // It is awaited below only while nothing has answered.
  ended.promise.catch(() => {})
  signal?.addEventListener("abort", end, { once: true })
  let failure: unknown
  const reminder = setTimeout(() => {
    const { reason, advice } =
      failure === undefined
        ? {
            reason: `PostgreSQL at ${choice.place}: nothing has answered for ${patience.notice / 1000} s.`,
            advice: adviseOnAbsence(choice),
          }
        : explainDatabase(failure, choice)
    const text = `There is no answer yet. ${reason} It is asked again for up to ${patience.end / 1000} s. ${advice}`
    printNotice("warning", text, logFormat)
  }, patience.notice)
  const until = performance.now() + patience.end
  try {
    signal?.throwIfAborted()
    for (;;) {
      try {
        await Promise.race([reader.readSchema(), ended.promise])
        return
      } catch (error) {
        signal?.throwIfAborted()
        if (!isNotThereYet(error) || performance.now() > until) {
          throw toDatabaseFailure(error, choice, "The catalog cannot be opened.")
        }
        failure = error
      }
      await Promise.race([sleep(pause), ended.promise])
    }
  } finally {
    clearTimeout(reminder)
    signal?.removeEventListener("abort", end)
  }
}

/** What is wrong with the schema of a database, and what to do. */
export interface ForeignTables {
  readonly message: string
  readonly advice: string
}

/**
 * Why this version must not work on a catalog in a database; undefined where it may.
 *
 * @param isIngest whether it makes what is missing, and migrates what is older: a command never does
 */
export const findForeignTables = async (
  pool: LentPool,
  { place, schema }: DatabaseChoice,
  isIngest: boolean,
): Promise<ForeignTables | undefined> => {
  const { readPostgresCatalog } = await import("../../postgres.ts")
  const { is, oldest, known } = await readPostgresCatalog({ pool, schema }).readSchema()
  const message = `The catalog in PostgreSQL ${place}, in the schema ${schema}, is of version ${is}, and this version of sluice`
  if (oldest > known) {
    return {
      message: `${message} works with up to ${known}.`,
      advice: "Use the version that wrote it, or a newer one.",
    }
  }
  if (isIngest || is >= known) return undefined
  if (is === 0) {
    return {
      message: `There is no catalog to read in PostgreSQL ${place}: the schema ${schema} has none.`,
      advice: "Say with --database-url and --database-schema which one the ingests run on.",
    }
  }
  return {
    message: `${message} works with ${known}.`,
    advice: "Start an ingest of this version on it, which upgrades it, or run the command of its version.",
  }
}

/** Fails: with a {@link CommandFailure} as {@link findForeignTables} says, or where the database cannot be read. */
export const requireOwnTables = async (pool: LentPool, choice: DatabaseChoice, isIngest: boolean): Promise<void> => {
  let foreign: ForeignTables | undefined
  try {
    foreign = await findForeignTables(pool, choice, isIngest)
  } catch (error) {
    throw toDatabaseFailure(error, choice, "The catalog cannot be read.")
  }
  if (foreign !== undefined) throw new CommandFailure(`${foreign.message} ${foreign.advice}`)
}
