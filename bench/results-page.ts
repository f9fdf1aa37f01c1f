import { formatBounds, formatNumber, formatSpread, formatSubject, formatValue, toRows } from "./format.ts"
import type { Machine } from "./machine.ts"
import { drawPlot, type Plot } from "./plot.ts"
import { isSpeed, judge, type Report, type Verdict } from "./report.ts"
import { countRounds, type Result, type Results } from "./results.ts"
import { toSpread } from "./statistics.ts"

/** What `bench/RESULTS.md` is made of. */
export interface ResultsPage {
  readonly markdown: string
  /** File in `bench/results` → SVG. */
  readonly plots: ReadonlyMap<string, string>
}

/** Text that stands in a table or a sentence as it is. */
const plain = (text: string): string => text.replaceAll(/[\\`*_|<>[\]~]/g, (sign) => `\\${sign}`)

/** What an aim asks for, in words. */
const tellAim = (aim: Verdict): string =>
  [
    [aim.atLeast, "or more"],
    [aim.atMost, "or less"],
  ]
    .filter(([bound]) => bound !== undefined)
    .map(([bound, words]) => `${formatValue(aim, formatNumber(bound as number))} ${words}`)
    .join(", and ")

/** A sentence on what is not as it should be. */
const tell = ({ title, figures }: Report, verdict: Verdict): string => {
  const { of, to, figure, value, isMet } = verdict
  const label = plain(figures[figure] ?? figure)
  const found = formatValue(verdict, formatSpread(value))
  const verb = isSpeed(figure) ? "reaches" : "takes"
  const finding =
    to === undefined ? `\`${of}\` ${verb} ${found} ${label}` : `\`${of}\` ${verb} ${found} of \`${to}\`, by ${label}`
  return `- ${plain(title)}: ${finding}${isMet === undefined ? "" : `; the aim is ${tellAim(verdict)}`}.`
}

const count = (number: number, one: string, more: string): string => `${number} ${number === 1 ? one : more}`

/** Where we are behind: the first lines of the page. */
const writeShortcomings = (results: Results): ReadonlyArray<string> => {
  const all = [...results.values()].flatMap(({ reports }) =>
    reports.flatMap((report) => judge(report).map((verdict) => ({ report, verdict }))),
  )
  const write = (found: typeof all) => found.map(({ report, verdict }) => tell(report, verdict))
  const aims = all.filter(({ verdict }) => verdict.isMet !== undefined)
  const missed = aims.filter(({ verdict }) => verdict.isMet === false)
  const behind = all.filter(({ verdict }) => verdict.isBehind && verdict.isMet !== false)
  const compared = all.filter(({ verdict }) => verdict.to !== undefined)
  if (all.length === 0)
    return ["Nothing has been measured yet. `npm run bench`, and then `npm run bench -- --write`, fill this page."]
  return [
    `Sluice misses ${missed.length} of its ${count(aims.length, "aim", "aims")}, and is behind in ${behind.length} more of ${count(compared.length, "ratio", "ratios")}.`,
    ...(missed.length > 0 ? ["**It misses these aims:**", write(missed).join("\n")] : []),
    ...(behind.length > 0
      ? [
          "**It is behind here, and no aim is missed** (what is called floor, bare, noop or node does less than anybody who is of use):",
          write(behind).join("\n"),
        ]
      : []),
  ]
}

const writeTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...body] = rows.map((cells) => `| ${cells.map(plain).join(" | ")} |`)
  const line = rows[0]!.map((_, column) => (column === 0 ? "---" : "---:")).join(" | ")
  return [head, `| ${line} |`, ...body].join("\n")
}

const writeVerdicts = (report: Report): string => {
  const verdicts = judge(report)
  if (verdicts.length === 0) return ""
  const rows = verdicts.map((verdict) => [
    `${formatSubject(verdict)}, ${report.figures[verdict.figure]}`,
    formatValue(verdict, formatSpread(verdict.value)),
    formatBounds(verdict),
    verdict.isMet === undefined ? "" : verdict.isMet ? "met" : "MISSED",
  ])
  return writeTable([["", "found", "aim", ""], ...rows])
}

const toPlot = ({ title, figures, rounds }: Report): Plot | undefined => {
  const [figure, label] = Object.entries(figures)[0]!
  const bars = [...rounds].flatMap(([name, values]) =>
    values[figure] === undefined ? [] : [[name, toSpread(values[figure])] as const],
  )
  if (bars.length === 0) return
  return { title, label: isSpeed(figure) ? label : `${label} (less is better)`, bars }
}

const tellOthers = ({ others }: Machine): string =>
  others === undefined ? "" : ` Others used ${Math.round(others * 100)} % of the processors meanwhile.`

const describe = ({ machine, reports }: Result): string => {
  const { date, node, cpu, memory, versions } = machine
  const rounds = count(countRounds(reports), "round", "rounds")
  const programs = Object.entries(versions)
    .map(([name, version]) => `\`${name}\` ${version}`)
    .join(", ")
  return `${rounds} on ${date.slice(0, 10)}: ${plain(cpu)}, ${memory}, Node ${node}.${tellOthers(machine)}\n\n${programs}.`
}

/** Writes the page of all results, and draws its plots. */
export const writeResultsPage = (results: Results): ResultsPage => {
  const plots = new Map<string, string>()
  const sections = [...results].flatMap(([name, result]) => [
    `## ${name}`,
    `\`npm run bench -- ${name}\`, ${describe(result)}`,
    ...result.reports.flatMap((report, index) => {
      const plot = toPlot(report)
      const file = `${name}-${index + 1}.svg`
      if (plot !== undefined) plots.set(file, drawPlot(plot))
      const picture = plot && `![${plain(`${report.title}: ${plot.label}`)}](results/${file})`
      return [`### ${plain(report.title)}`, picture ?? "", writeTable(toRows(report)), writeVerdicts(report)]
    }),
  ])
  const parts = [
    "# What the benches measured",
    ...writeShortcomings(results),
    "`npm run bench -- --write` wrote this page of the files in `bench/results`. Figures are medians over rounds (lowest..highest). All cases of a table ran in turn on the same machine, one process a case and round; a ratio is the median of the ratios round by round. Compare inside a table, and trust ratios more than figures.",
    ...sections,
  ]
  return { markdown: `${parts.filter((part) => part !== "").join("\n\n")}\n`, plots }
}
