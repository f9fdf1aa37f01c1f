const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const

/** A duration in the largest unit of which it is a whole number, otherwise in parts of a second. */
const measure = (ms: number): readonly [count: number, unit: string] => {
  const [unit, length] = units.find(([, each]) => ms > 0 && ms % each === 0) ?? (["second", 1000] as const)
  return [ms / length, unit]
}

/** Milliseconds in the form that `parseDuration` reads: 60,000 → `1 minute`. */
export const toDurationText = (ms: number): string => {
  const [count, unit] = measure(ms)
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** Several durations in one line: `5s, 2m`. */
export const toDurationsText = (durations: ReadonlyArray<number>): string =>
  durations
    .map(measure)
    .map(([count, unit]) => `${count}${unit[0]}`)
    .join(", ")
