/*
 * Lets the test put the clock of this process forwards or back: what `Date` says, not what `performance.now` says. To be
 * imported before anything else.
 */
const Real = Date
let { shift = 0 }: { shift?: number } = JSON.parse(process.argv[2] ?? "{}")

class ShiftedDate extends Real {
  constructor(...given: ReadonlyArray<unknown>) {
    super(...((given.length === 0 ? [Real.now() + shift] : given) as [number]))
  }
  static override now(): number {
    return Real.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor

/** Puts it so many ms before the machine's. */
export const shiftClock = (by: number): void => {
  shift = by
}
