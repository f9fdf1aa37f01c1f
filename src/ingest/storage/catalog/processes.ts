/** What a process is told when it looks. */
export interface ProcessLook {
  /** The clock of the catalog, ms since the epoch: the one that all its processes go by. */
  readonly now: number
  /**
   * Keys that this process writes and should let go: another process has been asked to go on with them, or their upload has
   * ended, was deleted or has a newer epoch.
   */
  readonly stops: ReadonlyArray<string>
  /** What the other live processes had under way when they last looked, summed by name. */
  readonly others: Readonly<Record<string, number>>
  /** Events were claimed by a process whose lease has ended, and are due now. */
  readonly hasReleased: boolean
}

/**
 * Knows the processes that work on one catalog at the same time. A process is one opened catalog: what it claims and
 * writes is noted as its own. It is alive from a look until the lease ends that it asked for, by the clock of the catalog.
 *
 * One that never looks is not known to be alive: nobody waits for its writers, and its claims end by their time alone.
 */
export interface CatalogProcesses {
  /**
   * Says that this process is alive, and what others want of it. It also ends what dead processes had: their events are due at
   * once, and nobody waits for their writers any more. One statement.
   */
  readonly look: (look: {
    /** How long this process counts as alive, ms from now. */
    readonly lease: number
    /** What it has under way, counted by name: at most a thousand names. */
    readonly active: Readonly<Record<string, number>>
  }) => Promise<ProcessLook>
  /**
   * This process does not write the key any more with this epoch, or an older one. Where it did not, nothing changes: a commit
   * and a failure let go by themselves.
   */
  readonly letGo: (key: string, epoch: number) => Promise<void>
  /**
   * Moves the ends of claims of this process, whose attempts are in progress; with the time of now they are given back. Events
   * that it does not hold are ignored.
   */
  readonly moveClaims: (move: { readonly events: ReadonlyArray<string>; readonly until: number }) => Promise<void>
  /** Whether this process is the one that does some work, for so many ms from now: it has been, or nobody is. */
  readonly lead: (work: string, time: number) => Promise<boolean>
  /** Ends: its claims are due at once, and it writes and leads nothing any more. */
  readonly leave: () => Promise<void>
}
