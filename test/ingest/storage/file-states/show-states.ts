import { readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { type State, states, type Transition, transitions } from "./states.ts"

/** The page that shows the states, and the picture in it. */
export const statesPage = join(import.meta.dirname, "../../../../docs/stored-files.md")
export const statesPicture = join(import.meta.dirname, "../../../../docs/file-states.svg")

const block = /<!-- table: file states -->[^]*?<!-- end -->/

const named = Object.keys(states) as ReadonlyArray<keyof typeof states>

const toName = (state: State): string => (state === "gone" ? "gone" : `\`${state}\``)

/** A transition as a sentence of the table. */
const tellNext = ({ to, when }: Transition): string => `${toName(to)} when ${when}`

const showBlock = (): string =>
  [
    "<!-- table: file states -->",
    "",
    "![The states of a stored file, and what leads from one to the next, as the table has it in words](file-states.svg)",
    "",
    "| status | what it means | who reads it | counts as usage | callback | what comes next |",
    "| --- | --- | --- | --- | --- | --- |",
    ...named.map((state) => {
      const { meaning, readBy, counts, callback } = states[state]
      const next = transitions.filter(({ from }) => from === state).map(tellNext)
      return `| \`${state}\` | ${[meaning, readBy, counts, callback, next.join("; ")].join(" | ")} |`
    }),
    "",
    "<!-- end -->",
  ].join("\n")

/** The page with the table and the picture of all states, and everything else as it is. */
export const tellStates = async (): Promise<string> => {
  const page = readFileSync(statesPage, "utf8")
  if (!block.test(page)) throw new Error(`${statesPage} has no place for the states.`)
  const told = page.replace(block, showBlock)
  return format(told, { ...(await resolveConfig(statesPage)), filepath: statesPage })
}

/** Where each state stands, by its middle. */
const places: Readonly<Record<State, readonly [x: number, y: number]>> = {
  nothing: [44, 196],
  Uploading: [176, 196],
  Held: [388, 84],
  Pending: [576, 196],
  Uploaded: [790, 84],
  Failed: [176, 412],
  Deleting: [576, 412],
  gone: [790, 412],
}
const [width, height] = [124, 46]

/** How an arrow goes, and where its words stand. */
interface Arrow {
  readonly path: string
  readonly x: number
  readonly y: number
  readonly anchor?: "start" | "middle" | "end"
}

const arrows: Readonly<Record<string, Arrow>> = {
  "nothing Uploading": { path: "M52 196H112", x: 80, y: 186, anchor: "middle" },
  "Uploading Uploaded": { path: "M140 173C120 -10 560 8 780 58", x: 470, y: 30, anchor: "middle" },
  "Uploading Held": { path: "M206 173L324 96", x: 254, y: 132, anchor: "end" },
  "Uploading Pending": { path: "M238 196H512", x: 378, y: 188, anchor: "middle" },
  "Uploading Failed": { path: "M176 219V387", x: 166, y: 306, anchor: "end" },
  "Uploading Deleting": { path: "M222 219L516 388", x: 300, y: 256 },
  "Held Uploaded": { path: "M450 84H726", x: 588, y: 76, anchor: "middle" },
  "Held Pending": { path: "M444 107L540 171", x: 500, y: 132 },
  "Held Failed": { path: "M358 107L206 387", x: 244, y: 346 },
  "Held Deleting": { path: "M396 107L556 387", x: 496, y: 264 },
  "Pending Uploaded": { path: "M638 180L742 109", x: 690, y: 160 },
  "Pending Deleting": { path: "M584 219V387", x: 592, y: 250 },
  "Uploaded Deleting": { path: "M796 107C796 280 720 340 622 388", x: 768, y: 214, anchor: "end" },
  "Failed Deleting": { path: "M238 412H512", x: 375, y: 404, anchor: "middle" },
  "Failed gone": { path: "M190 435C230 492 740 492 784 437", x: 480, y: 470, anchor: "middle" },
  "Deleting gone": { path: "M638 412H726", x: 682, y: 402, anchor: "middle" },
}

const drawn = transitions.filter(({ label }) => label !== undefined)

/** All arrows of the picture in words, for who does not see it. */
const describePicture = (): string =>
  drawn.map(({ from, to, label }) => `${from === "nothing" ? "" : `${from}, `}${label}: ${to}`).join("; ")

const drawState = (state: State): string => {
  const [x, y] = places[state]
  if (state === "nothing") return `<circle class="dot" cx="${x}" cy="${y}" r="8" />`
  const isRead = state !== "gone" && states[state].isReadable
  const kind = state === "gone" ? "card gone" : isRead ? "card read" : "card"
  const box = `<rect class="${kind}" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="12" />`
  return `${box}<text class="name${isRead ? " on" : ""}" x="${x}" y="${y + 5.5}">${state}</text>`
}

const drawTransition = ({ from, to, label }: Transition): string => {
  const arrow = arrows[`${from} ${to}`]
  if (arrow === undefined) throw new Error(`The picture has no arrow from ${from} to ${to}.`)
  const { path, x, y, anchor = "start" } = arrow
  return `<path class="way" d="${path}" /><text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${label}</text>`
}

/** The picture of all states and transitions. */
export const drawStates = (): string =>
  `${[
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 520" width="880" height="520" role="img" aria-labelledby="title desc">',
    '  <title id="title">The states of a stored file</title>',
    `  <desc id="desc">${describePicture()}</desc>`,
    "  <style>",
    "    :root { --ground: #f6f9f9; --card: #ffffff; --line: #cfdbdc; --ink: #14201f; --soft: #566769; --accent: #0e7c86; --on: #ffffff }",
    "    @media (prefers-color-scheme: dark) {",
    "      :root { --ground: #12181a; --card: #1a2225; --line: #344144; --ink: #e6eeee; --soft: #9aabad; --accent: #4cc3cd; --on: #08282b }",
    "    }",
    '    text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink) }',
    "    .ground { fill: var(--ground); stroke: var(--line) }",
    "    .card { fill: var(--card); stroke: var(--line); stroke-width: 1.5 }",
    "    .read { fill: var(--accent); stroke: var(--accent) }",
    "    .gone { stroke-dasharray: 5 4 }",
    "    .name { font-weight: 700; font-size: 16px; text-anchor: middle }",
    "    .on { fill: var(--on) }",
    "    .note { fill: var(--soft); font-size: 12.5px; paint-order: stroke; stroke: var(--ground); stroke-width: 5px }",
    "    .way { fill: none; stroke: var(--soft); stroke-width: 1.5; marker-end: url(#tip) }",
    "    .dot { fill: var(--soft) }",
    "  </style>",
    '  <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z" style="fill: var(--soft)" /></marker></defs>',
    '  <rect class="ground" x="0.5" y="0.5" width="879" height="519" rx="14" />',
    ...drawn.map((transition) => `  ${drawTransition(transition)}`),
    ...(Object.keys(places) as ReadonlyArray<State>).map((state) => `  ${drawState(state)}`),
    '  <text class="note" x="28" y="506">Filled: the file can be read. A small file that arrives in one piece is never seen as Uploading.</text>',
    "</svg>",
  ].join("\n")}\n`
