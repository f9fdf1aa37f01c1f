import type { Row } from "../sql/rows.ts"
import { findPlaces } from "./connections.ts"
import { isInTheWay, isLost, toCatalogError } from "./error.ts"
import type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from "./pool.ts"
import { translate, type Translated } from "./translate.ts"
import { lockTime, toParameter, types } from "./values.ts"

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
  /** The same for what waits behind nobody, and not for long: it has a connection to itself. */
  readonly look: Sql
  /** One statement that changes something. It is not repeated: whether it has happened whose answer never came is not known. */
  readonly call: Sql["all"]
  /** One transaction. `work` may run several times: only the last run counts. */
  readonly write: <A>(work: (transaction: Transaction) => Promise<A>) => Promise<A>
}

/** How often a transaction is tried. */
const tries = { inTheWay: 12, lost: 3 }

/** A connection that was lost after more time than this is not tried again, ms: whoever asked has waited long enough. */
const soon = 1000

/** How long an answer may take, ms: a machine that is gone sends none, and ends no connection. */
const answerTimes = { usual: 60_000, look: 5000 }

/**
 * Begins a transaction. One that waits for others for long gives up, and the server ends one whose process is heard of no more:
 * what it holds, all other processes wait for.
 */
const beginning = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '${lockTime}'; SET LOCAL idle_in_transaction_session_timeout = '10s'`

const isNamed = (values: Values): values is readonly [Readonly<Record<string, Value>>] => {
  const [first] = values
  return typeof first === "object" && first !== null && !Array.isArray(first) && !ArrayBuffer.isView(first)
}

/** Makes the statements of a migration, which may take long. */
export interface Patience {
  readonly isPatient?: boolean | undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param holdKeys the statement that holds keys
 */
export const createDatabase = (
  pool: PostgresPool,
  schema: string,
  holdKeys: string,
  { isPatient = false }: Patience = {},
): Database => {
  const places = findPlaces(pool)
  const inPlace = async <A>(work: () => Promise<A>): Promise<A> => {
    const giveBack = await places.take()
    return work().finally(giveBack)
  }
  const known = new Map<string, Translated>()
  const toQuery = (sql: string, values: Values): PostgresQuery => {
    const translated = known.get(sql) ?? translate(sql, schema)
    known.set(sql, translated)
    const { text, names } = translated
    const listed = isNamed(values) ? (names ?? []).map((name) => values[0][name]) : values
    const query = { text, values: listed.map(toParameter), types }
    return isPatient ? query : { ...query, query_timeout: answerTimes.usual }
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
      const begunAt = performance.now()
      try {
        return await attempt()
      } catch (cause) {
        if (!hasFailed(cause) || !mayRepeat()) throw cause
        const isLostSoon = isLost(cause) && performance.now() - begunAt < soon
        const most = isInTheWay(cause) ? tries.inTheWay : isLostSoon ? tries.lost : 1
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
    await sql.run(beginning)
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
          () => inPlace(() => ask(() => pool.query(query))),
          () => true,
        ),
      ),
    ),
    look: createSql((query) =>
      orCatalogError(() => ask(() => pool.query({ ...query, query_timeout: answerTimes.look }))),
    ),
    call: createSql((query) => orCatalogError(() => inPlace(() => ask(() => pool.query(query))))).all,
    write: (work) =>
      orCatalogError(async () => {
        // Whether a COMMIT has happened whose answer never came is not known: it is not repeated.
        let hasCommitted = false
        return repeat(
          () => inPlace(() => lend((client) => transact(client, work, () => (hasCommitted = true)))),
          () => !hasCommitted,
        )
      }),
  }
}
