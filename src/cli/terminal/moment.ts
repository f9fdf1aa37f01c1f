/** A moment for people, in their time zone: `2026-11-21 06:42:10`. */
export const formatMoment = (ms: number): string => {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 19).replace("T", " ")
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const

/** A length of time in its largest unit: `850 ms`, `1.2 s`, `3.5 h`. */
export const formatSpan = (ms: number): string => {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? (["ms", 1] as const)
  return `${Math.round((ms / size) * 10) / 10} ${unit}`
}
