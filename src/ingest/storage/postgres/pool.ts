/** How values of a column are read, by the type that PostgreSQL gives the column. */
export interface PostgresTypes {
  getTypeParser(oid: number): (value: string) => unknown
}

/** A statement as `pg` takes it. It has no name, so nothing is left in the session that ran it. */
export interface PostgresQuery {
  text: string
  values: Array<unknown>
  types: PostgresTypes
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

/** What the catalog needs of a pool of connections: `Pool` of `pg` is one, and so is what other packages make like it. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  on?(event: "error", listener: (cause: Error) => void): unknown
  removeListener?(event: "error", listener: (cause: Error) => void): unknown
}
