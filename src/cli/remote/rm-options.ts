/** The options of `sluice rm`. */
export interface RmOptions {
  readonly customId?: ReadonlyArray<string>
  readonly owner?: string
  readonly prefix?: string
  readonly force?: true
  readonly yes?: true
  readonly json?: true
}
