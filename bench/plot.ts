import { formatSpread } from "./format.ts"
import { isOurs } from "./report.ts"
import type { Spread } from "./statistics.ts"

/** One figure of several cases. */
export interface Plot {
  readonly title: string
  readonly label: string
  readonly bars: ReadonlyArray<readonly [name: string, spread: Spread]>
}

const [width, top, row, thickness] = [760, 56, 30, 16]
/** Where bars begin, and how long the longest is; the rest is for names and numbers. */
const [start, longest] = [150, 400]

/** The page behind a picture may be light or dark, whatever the system prefers: the picture brings its own ground. */
const style = `
  .ground { fill: #fff } .text { fill: #1f2328 } .faint { fill: #59636e }
  .bar { fill: #b6bfc9 } .ours { fill: #2f81c7 } .spread { stroke: #1f2328 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 }
    .bar { fill: #565f69 } .ours { fill: #388bfd } .spread { stroke: #f0f6fc }
  }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600 } .spread { stroke-width: 1.5 }`

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]!)

const round = (value: number): number => Math.round(value * 10) / 10

const drawBar = ([name, spread]: Plot["bars"][number], index: number, scale: number): string => {
  const y = top + index * row
  const middle = y + thickness / 2
  const [from, to] = [round(start + spread.min * scale), round(start + spread.max * scale)]
  const text = `<text class="text" x="${start - 10}" y="${middle + 5}" text-anchor="end">${escape(name)}</text>`
  const bar = `<rect class="${isOurs(name) ? "ours" : "bar"}" x="${start}" y="${y}" width="${round(spread.median * scale)}" height="${thickness}" rx="2"/>`
  const ends = [from, to].map((x) => `M${x} ${middle - 4}V${middle + 4}`).join("")
  const line = `<path class="spread" d="M${from} ${middle}H${to}${ends}"/>`
  const value = `<text class="faint" x="${to + 10}" y="${middle + 5}">${escape(formatSpread(spread))}</text>`
  return [text, bar, ...(spread.min === spread.max ? [] : [line]), value].join("\n  ")
}

/** Draws a bar for each case, as long as its median, with a line from the lowest to the highest round. SVG. */
export const drawPlot = ({ title, label, bars }: Plot): string => {
  const height = top + bars.length * row + 8
  const highest = Math.max(...bars.map(([, { max }]) => max))
  const scale = highest > 0 ? longest / highest : 0
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escape(`${title}: ${label}`)}</title>
  <style>${style}
  </style>
  <rect class="ground" width="${width}" height="${height}" rx="6"/>
  <text class="text title" x="16" y="24">${escape(title)}</text>
  <text class="faint" x="16" y="42">${escape(label)}: medians of rounds, lowest to highest</text>
  ${bars.map((bar, index) => drawBar(bar, index, scale)).join("\n  ")}
</svg>
`
}
