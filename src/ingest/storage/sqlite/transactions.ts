/** How the parts of the SQLite catalog read and write. */
export interface Transactions {
  readonly read: <A>(work: () => A) => Promise<A>
  /** One transaction. `work` is synchronous and may run twice: only the last run counts. */
  readonly write: <A>(work: () => A) => Promise<A>
}
