/** How values of a column are read, by the type that PostgreSQL gives the column. */
export interface PostgresTypes {
  getTypeParser(oid: number): (value: string) => unknown
}

/** A statement as `pg` takes it. It has no name, so nothing is left in the session that ran it. */
export interface PostgresQuery {
  text: string
  values: Array<unknown>
  types: PostgresTypes
  /** How long the client waits for the answer, ms; then the connection is given up. */
  query_timeout?: number
}

/** What the server answers to a statement. */
export interface PostgresResult {
  rows: Array<Record<string, unknown>>
  rowCount: number | null
}

/** A connection that is lent by a {@link PostgresPool}. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  /** Gives it back; `true`: it must not be used again. */
  release(isBroken?: boolean): void
  on?(event: "error", listener: (cause: Error) => void): unknown
  removeListener?(event: "error", listener: (cause: Error) => void): unknown
}

/** What is heard of a pool. */
interface PoolEvents {
  (event: "error", listener: (cause: Error) => void): unknown
  /** It is about to lend a connection. */
  (event: "acquire", listener: (client: PostgresClient) => void): unknown
}

/** What the catalog needs of a pool of connections: `Pool` of `pg` is one, and so is what other packages make like it. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  /** How many connections there may be; 10 where it does not say. */
  readonly options?: { readonly max?: number | undefined } | undefined
  on?: PoolEvents
  removeListener?: PoolEvents
}

const ignore = (): void => {}

/** Connections that somebody listens to. */
const attended = new WeakSet<PostgresClient>()

/** A pool resolves a moment after it has lent a connection, and what breaks it may come with the answer before. */
const attend = (client: PostgresClient): void => {
  if (attended.has(client)) return
  attended.add(client)
  client.on?.("error", ignore)
}

/** How many have asked that broken connections of a pool are ignored. */
const ignorers = new WeakMap<PostgresPool, number>()

/**
 * A connection that breaks says so by an event, which ends the process where nobody listens. Whoever uses it meanwhile
 * hears of it by what it was asked. However many ask for it, a pool is listened to once: a catalog may be made for each request.
 *
 * @returns undoes it, once
 */
export const ignoreBroken = (pool: PostgresPool): (() => void) => {
  const count = ignorers.get(pool) ?? 0
  ignorers.set(pool, count + 1)
  if (count === 0) {
    pool.on?.("error", ignore)
    pool.on?.("acquire", attend)
  }
  let isUndone = false
  return () => {
    if (isUndone) return
    isUndone = true
    const left = ignorers.get(pool)! - 1
    ignorers.set(pool, left)
    if (left > 0) return
    pool.removeListener?.("error", ignore)
    pool.removeListener?.("acquire", attend)
  }
}
