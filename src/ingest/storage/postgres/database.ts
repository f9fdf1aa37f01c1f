import type { Row } from "../sql/rows.ts"
import { isInTheWay, isLost, toCatalogError } from "./error.ts"
import type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from "./pool.ts"
import { translate, type Translated } from "./translate.ts"
import { toParameter, types } from "./values.ts"

type Value = string | number | boolean | null | Uint8Array | ReadonlyArray<string | number>

/** The values of a statement: in the order of its parameters, or by their names. */
type Values = ReadonlyArray<Value> | readonly [Readonly<Record<string, Value>>]

/** Runs statements. */
export interface Sql {
  readonly all: (sql: string, ...values: Values) => Promise<ReadonlyArray<Row>>
  /** The first row that it finds. */
  readonly one: (sql: string, ...values: Values) => Promise<Row | undefined>
  /** How many rows it has changed. */
  readonly run: (sql: string, ...values: Values) => Promise<number>
}

/** A transaction. */
export interface Transaction extends Sql {
  /**
   * Waits until no other transaction holds one of these keys, and holds them until the end of this one. Every statement
   * after it sees what those have written.
   */
  readonly hold: (keys: ReadonlyArray<string>) => Promise<void>
}

/** How the parts of the catalog read and write. */
export interface Database {
  /** Each statement is by itself. */
  readonly read: Sql
  /** One statement that changes something. It is not repeated: whether it has happened whose answer never came is not known. */
  readonly call: Sql["all"]
  /** One transaction. `work` may run several times: only the last run counts. */
  readonly write: <A>(work: (transaction: Transaction) => Promise<A>) => Promise<A>
}

/** How often a transaction is tried. */
const tries = { inTheWay: 12, lost: 3 }

const isNamed = (values: Values): values is readonly [Readonly<Record<string, Value>>] => {
  const [first] = values
  return typeof first === "object" && first !== null && !Array.isArray(first) && !ArrayBuffer.isView(first)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param holdKeys the statement that holds keys
 */
export const createDatabase = (pool: PostgresPool, schema: string, holdKeys: string): Database => {
  const known = new Map<string, Translated>()
  const toQuery = (sql: string, values: Values): PostgresQuery => {
    const translated = known.get(sql) ?? translate(sql, schema)
    known.set(sql, translated)
    const { text, names } = translated
    const listed = isNamed(values) ? (names ?? []).map((name) => values[0][name]) : values
    return { text, values: listed.map(toParameter), types }
  }

  /** What the pool or one of its connections has rejected with: everything else is a mistake of ours, and stays one. */
  const failures = new WeakSet<object>()
  const ask = async <A>(run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      if (typeof cause === "object" && cause !== null) failures.add(cause)
      throw cause
    }
  }
  const hasFailed = (cause: unknown): boolean => typeof cause === "object" && cause !== null && failures.has(cause)

  const createSql = (runQuery: (query: PostgresQuery) => Promise<PostgresResult>): Sql => {
    const query = (sql: string, values: Values) => ask(() => runQuery(toQuery(sql, values)))
    return {
      all: async (sql, ...values) => (await query(sql, values)).rows as ReadonlyArray<Row>,
      one: async (sql, ...values) => (await query(sql, values)).rows[0] as Row | undefined,
      run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    }
  }

  /** Repeats what has changed nothing: a statement by itself that reads, or a transaction that was not committed. */
  const repeat = async <A>(attempt: () => Promise<A>, mayRepeat: () => boolean): Promise<A> => {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt()
      } catch (cause) {
        if (!hasFailed(cause) || !mayRepeat()) throw cause
        const most = isInTheWay(cause) ? tries.inTheWay : isLost(cause) ? tries.lost : 1
        if (tried >= most) throw cause
        if (isInTheWay(cause)) await pause(Math.random() * 5 * tried)
      }
    }
  }

  const transact = async <A>(
    client: PostgresClient,
    work: (transaction: Transaction) => Promise<A>,
    onCommit: () => void,
  ): Promise<A> => {
    const sql = createSql((query) => client.query(query))
    await sql.run("BEGIN ISOLATION LEVEL READ COMMITTED")
    const result = await work({ ...sql, hold: async (keys) => void (await sql.run(holdKeys, keys)) })
    onCommit()
    await sql.run("COMMIT")
    return result
  }

  /** Lends a connection. One that may be in the middle of something is not given back. */
  const lend = async <A>(use: (client: PostgresClient) => Promise<A>): Promise<A> => {
    const client = await ask(() => pool.connect())
    // A connection that breaks while it is lent also says so by an event, which ends the process where nobody listens.
    const ignore = (): void => {}
    client.on?.("error", ignore)
    let isBroken = true
    try {
      const result = await use(client)
      isBroken = false
      return result
    } catch (cause) {
      if (!hasFailed(cause) || !isLost(cause)) {
        await client.query({ text: "ROLLBACK", values: [], types }).then(
          () => (isBroken = false),
          () => {},
        )
      }
      throw cause
    } finally {
      client.removeListener?.("error", ignore)
      client.release(isBroken)
    }
  }

  const orCatalogError = async <A>(run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      throw hasFailed(cause) ? toCatalogError(cause) : cause
    }
  }

  return {
    read: createSql((query) =>
      orCatalogError(() =>
        repeat(
          () => ask(() => pool.query(query)),
          () => true,
        ),
      ),
    ),
    call: createSql((query) => orCatalogError(() => ask(() => pool.query(query)))).all,
    write: (work) =>
      orCatalogError(async () => {
        // Whether a COMMIT has happened whose answer never came is not known: it is not repeated.
        let hasCommitted = false
        return repeat(
          () => lend((client) => transact(client, work, () => (hasCommitted = true))),
          () => !hasCommitted,
        )
      }),
  }
}
