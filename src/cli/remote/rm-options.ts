/** The options of `sluice rm`. */
export interface RmOptions {
  readonly force?: true
  readonly json?: true
}
