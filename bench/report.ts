import type { Rounds } from "./rounds.ts"
import { type Spread, toRatio, toSpread } from "./statistics.ts"

/** A goal: for the ratio of one figure between two cases, or for the figure itself. */
export interface Aim {
  readonly of: string
  /** Absent: the bounds are of the figure itself. */
  readonly to?: string
  readonly figure: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** What a bench found. */
export interface Report {
  readonly title: string
  /** Figure → how it is printed. The first one is plotted. */
  readonly figures: Readonly<Record<string, string>>
  readonly rounds: Rounds
  readonly aims: ReadonlyArray<Aim>
}

/** An aim and what was found. */
export interface Verdict extends Aim {
  /** A ratio where there is a `to`. */
  readonly value: Spread
  /** Undefined for what has no bounds, which is only shown. */
  readonly isMet: boolean | undefined
  /** Whether somebody else did better in a ratio of ours. */
  readonly isBehind: boolean
}

const moreIsBetter: ReadonlySet<string> = new Set(["rate", "throughput", "stored"])

/** Whether more of a figure is better than less of it, as it is with speeds. */
export const isSpeed = (figure: string): boolean => moreIsBetter.has(figure)

/** Whether a case is ours. */
export const isOurs = (name: string): boolean => name.startsWith("sluice")

const isWithin = ({ atLeast, atMost }: Aim, { median }: Spread): boolean | undefined =>
  atLeast === undefined && atMost === undefined
    ? undefined
    : median >= (atLeast ?? -Infinity) && median <= (atMost ?? Infinity)

const isBehind = ({ of, to, figure }: Aim, { median }: Spread): boolean => {
  if (to === undefined || isOurs(of) === isOurs(to)) return false
  // What is printed as ×1 is no difference.
  const ratio = Math.round(median * 100) / 100
  return isSpeed(figure) === isOurs(of) ? ratio < 1 : ratio > 1
}

/** Measures the aims; one that names a case or a figure that there is not is left out. */
export const judge = ({ rounds, aims }: Pick<Report, "rounds" | "aims">): ReadonlyArray<Verdict> =>
  aims.flatMap((aim) => {
    const over = rounds.get(aim.of)?.[aim.figure]
    const under = aim.to === undefined ? undefined : rounds.get(aim.to)?.[aim.figure]
    if (over === undefined || (aim.to !== undefined && under === undefined)) return []
    const value = under === undefined ? toSpread(over) : toRatio(over, under)
    return [{ ...aim, value, isMet: isWithin(aim, value), isBehind: isBehind(aim, value) }]
  })
