import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import type { Aim, Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const upload = join(import.meta.dirname, "client/upload.ts")
const [kibibyte, mebibyte, gibibyte] = [1024, 1024 ** 2, 1024 ** 3]

interface Run {
  readonly title: string
  readonly size: number
  /** Uploads before anything is measured, of 10 MiB at most: processes that have run for a while are compared. */
  readonly warm: number
  readonly count: number
  readonly concurrency: number
  readonly figures: Report["figures"]
  readonly aims: ReadonlyArray<Aim>
}

const toFigures = (speed: Report["figures"], cpuUnit: string): Report["figures"] => ({
  ...speed,
  cpu: `CPU ${cpuUnit}`,
  clientCpu: `client CPU ${cpuUnit}`,
  appCpu: "app CPU",
  ingestCpu: "ingest CPU",
  peak: "client peak MiB",
  appRequests: "requests to app",
  ingestRequests: "requests to ingest",
  transactions: "transactions",
  flushes: "flushes",
})

const large = {
  figures: toFigures({ throughput: "MiB/s" }, "s/GiB"),
  aims: [
    { of: "sluice", to: "tus-js-client", figure: "throughput", atLeast: 1.2 },
    { of: "sluice", to: "floor", figure: "throughput" },
    { of: "sluice", figure: "clientCpu", atMost: 1.2 },
  ],
}

const runs: ReadonlyArray<Run> = [
  {
    title: "Uploads from Node, 1 KiB files, 4 at once",
    size: kibibyte,
    warm: 1000,
    count: 2000,
    concurrency: 4,
    figures: toFigures({ rate: "uploads/s" }, "µs/upload"),
    aims: [
      { of: "sluice", to: "tus-js-client", figure: "rate", atLeast: 0.75 },
      { of: "sluice", to: "floor", figure: "rate", atLeast: 0.5 },
      { of: "sluice", figure: "cpu", atMost: 2300 },
    ],
  },
  {
    title: "Uploads from Node, 10 MiB files, one after the other",
    size: 10 * mebibyte,
    warm: 10,
    count: 50,
    concurrency: 1,
    ...large,
  },
  { title: "Uploads from Node, a file of 1 GiB", size: gibibyte, warm: 10, count: 1, concurrency: 1, ...large },
]

/**
 * The whole way, as users have it: our client with an app that signs and is called back and `sluice ingest`, beside
 * tus-js-client with @tus/server, which has no app, and a floor of three bare requests. Servers are processes of their own.
 */
export const benchClient = async (rounds = 5): Promise<ReadonlyArray<Report>> =>
  withDataFolder("client", async (data) => {
    const reports: Array<Report> = []
    for (const { title, size, warm, count, concurrency, figures, aims } of runs) {
      const cases = ["sluice", "tus-js-client", "floor"].map((name) => ({
        name,
        args: [upload, name, size, warm, count, concurrency, data].map(String),
      }))
      reports.push({ title, figures, aims, rounds: await runRounds(cases, rounds) })
    }
    return reports
  })
