export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** Middle and ends of what the rounds gave. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export const toSpread = (values: ReadonlyArray<number>): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
})

/** Round by round, so that a slow minute of the machine slows both sides of a ratio. Nothing beside nothing is 1. */
export const toRatio = (over: ReadonlyArray<number>, under: ReadonlyArray<number>): Spread =>
  toSpread(over.map((value, round) => (value === 0 && under[round] === 0 ? 1 : value / (under[round] ?? Number.NaN))))
