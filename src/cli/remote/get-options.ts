/** The options of `sluice get`. */
export interface GetOptions {
  /** A file, a folder that is there, or "-" for standard output. */
  readonly out?: string
  readonly force?: true
  /** False: a file whose SHA-256 the ingest does not say is taken as it comes. */
  readonly verify: boolean
  /** Also a file that is held. */
  readonly held?: true
  readonly json?: true
}
