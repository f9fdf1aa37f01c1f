import { createRequire } from "node:module"
import { Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { PostgresPool } from "../../postgres.ts"
import { CommandFailure, isSystemError } from "../command-failure.ts"
import type { DatabaseChoice } from "./deployment.ts"

/** Connections to a database. */
export interface LentPool extends PostgresPool {
  end(): Promise<void>
}

interface Pg {
  readonly Pool: new (settings: Readonly<Record<string, unknown>>) => LentPool
}

/** Connections of one process. Small files share them. */
const poolSize = 16

/** How long a new connection may take, ms. */
const connectTime = 5_000

const isMissing = (error: unknown): boolean =>
  isSystemError(error, "ERR_MODULE_NOT_FOUND") || isSystemError(error, "MODULE_NOT_FOUND")

/** Finds `pg` beside this package, else in the project of the working folder: this package may be installed elsewhere. */
const loadPg = async (): Promise<Pg> => {
  try {
    return (await import("pg")).default
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    const path = createRequire(join(process.cwd(), "package.json")).resolve("pg")
    const loaded = (await import(pathToFileURL(path).href)) as { readonly default: Pg }
    return loaded.default
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CommandFailure(
      "A catalog in PostgreSQL needs the package pg, which is not installed here: npm install pg",
    )
  }
}

/** How long connections may take to end, ms: one whose log-in has failed waits for a server that waits for it. */
const endTime = 1000

const openPool = async ({ url }: DatabaseChoice): Promise<LentPool> => {
  const { Pool } = await loadPg()
  const sockets = new Set<Socket>()
  const pool = new Pool({
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.on("close", () => sockets.delete(socket))
    },
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTime,
    application_name: "sluice",
    keepAlive: true,
  })
  // A connection that breaks while nobody uses it says so by an event, which ends the process where nobody listens.
  pool.on?.("error", () => {})
  const end = pool.end.bind(pool)
  pool.end = async () => {
    await Promise.race([end(), sleep(endTime, undefined, { ref: false })])
    for (const socket of sockets) socket.destroy()
  }
  return pool
}

/** The open pools, and how many use each. */
const open = new Map<DatabaseChoice, { readonly pool: Promise<LentPool>; users: number }>()

/**
 * Lends connections to a database: those that somebody has already, else new ones, which are ended when nobody has them any
 * more. Nothing is asked of the server yet.
 *
 * Fails: with a {@link CommandFailure} where `pg` is not installed.
 */
export const withPool = async <A>(choice: DatabaseChoice, use: (pool: LentPool) => Promise<A>): Promise<A> => {
  const lent = open.get(choice) ?? { pool: openPool(choice), users: 0 }
  open.set(choice, lent)
  lent.users++
  try {
    return await use(await lent.pool)
  } finally {
    lent.users--
    if (lent.users === 0) {
      open.delete(choice)
      await lent.pool.then(
        (pool) => pool.end(),
        () => {},
      )
    }
  }
}
