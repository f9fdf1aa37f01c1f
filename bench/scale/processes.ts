import { join } from "node:path"
import type { Report } from "../report.ts"
import { runRounds } from "../rounds.ts"

const script = join(import.meta.dirname, "load-processes.ts")

const counts = [1, 2, 3] as const

/** How a case is called in the tables. */
export const nameCase = (processes: number): string =>
  `sluice, ${processes} ${processes === 1 ? "process" : "processes"}`

/** What is measured, by its title. */
export const processTitles = {
  small: "1 KiB files through several ingests: registered by the URL, stored, the app told",
  object: "2 MiB files through several ingests into a double of S3, 16 at once",
  large: "64 MiB files through several ingests into a double of S3, 3 at once",
} as const

const shared = {
  lag: "app told after, s",
  p50: "p50 ms",
  p99: "p99 ms",
  databaseCpu: "PostgreSQL's CPU µs/file",
  commits: "commits/file",
  wal: "WAL KiB/file",
  rows: "rows, bytes/file",
  peak: "peak MiB",
} as const

const figures = {
  small: { rate: "files/s", cpuPerRequest: "ingests' CPU µs/file", ...shared },
  object: { throughput: "MiB/s", cpuPerRequest: "ingests' CPU µs/file", cpu: "ingests' CPU s/GiB", ...shared },
  large: { throughput: "MiB/s", cpu: "ingests' CPU s/GiB", bucketCpu: "bucket's CPU s/GiB", ...shared },
} as const

/**
 * One, two and three ingests over one PostgreSQL that flushes, and one bucket. All of it shares the processors of one machine
 * with what sends the files, so that it shows what a file costs, and not how the rate grows with machines.
 */
export const benchProcesses = async (rounds = 3): Promise<ReadonlyArray<Report>> => {
  const reports: Array<Report> = []
  for (const kind of ["small", "object", "large"] as const) {
    const cases = counts.map((count) => ({ name: nameCase(count), args: [script, String(count), kind] }))
    reports.push({
      title: processTitles[kind],
      figures: figures[kind],
      aims: [],
      rounds: await runRounds(cases, rounds),
    })
  }
  return reports
}
