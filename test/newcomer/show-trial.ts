import type { Trial } from "./try-application.ts"

/** What the first upload may take, downloads not counted. */
export const budget = { ms: 180_000, commands: 3 }

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** A table of what a newcomer did, and what was off. */
export const showTrial = ({ title, steps, faults, screenshots, firstUpload }: Trial): string => {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const rows = steps.map(({ name, ms, isDownload, faults }) =>
    [
      faults.length === 0 ? "✓" : "✗",
      name.padEnd(width),
      seconds(ms).padStart(8),
      isDownload ? "(download, not counted)" : "",
    ].join(" "),
  )
  const { ms, commands } = firstUpload ?? {}
  return [
    `\n${title}`,
    ...rows,
    ms === undefined || commands === undefined
      ? "✗ no upload arrived"
      : `${ms <= budget.ms && commands <= budget.commands ? "✓" : "✗"} first upload after ${seconds(ms)} and ${commands} commands (at most ${seconds(budget.ms)} and ${budget.commands})`,
    ...faults.map((fault) => `\n✗ ${fault}`),
    ...(screenshots.length === 0 ? [] : ["\nScreenshots, to be looked at:", ...screenshots.map((path) => `  ${path}`)]),
  ].join("\n")
}
