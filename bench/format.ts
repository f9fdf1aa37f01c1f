import type { Aim, Report } from "./report.ts"
import { type Spread, toSpread } from "./statistics.ts"

export const formatNumber = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString("en")
    : value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : 1 })

/** The median, and the lowest and highest value where they differ. */
export const formatSpread = ({ median, min, max }: Spread): string =>
  min === max ? formatNumber(median) : `${formatNumber(median)} (${formatNumber(min)}..${formatNumber(max)})`

/** A value of an aim: a ratio is told by its sign. */
export const formatValue = ({ to }: Aim, value: string): string => (to === undefined ? value : `×${value}`)

/** `sluice / tus-js-client`, or `sluice` for a figure of its own. */
export const formatSubject = ({ of, to }: Aim): string => (to === undefined ? of : `${of} / ${to}`)

/** The bounds of an aim; empty where it has none. */
export const formatBounds = (aim: Aim): string => {
  const bounds = [
    ["≥", aim.atLeast],
    ["≤", aim.atMost],
  ] as const
  return bounds
    .filter(([, bound]) => bound !== undefined)
    .map(([sign, bound]) => `${sign} ${formatValue(aim, formatNumber(bound!))}`)
    .join(", ")
}

/** A report as rows of cells; the first is the heading, and columns without a value are left out. */
export const toRows = ({
  figures,
  rounds,
}: Pick<Report, "figures" | "rounds">): ReadonlyArray<ReadonlyArray<string>> => {
  const cases = [...rounds]
  const shown = Object.entries(figures).filter(([figure]) => cases.some(([, values]) => values[figure] !== undefined))
  return [
    ["", ...shown.map(([, label]) => label)],
    ...cases.map(([name, values]) => [
      name,
      ...shown.map(([figure]) => (values[figure] === undefined ? "" : formatSpread(toSpread(values[figure])))),
    ]),
  ]
}
