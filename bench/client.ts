import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const upload = join(import.meta.dirname, "client/upload.ts")
const [kibibyte, mebibyte, gibibyte] = [1024, 1024 ** 2, 1024 ** 3]

const sizes: ReadonlyArray<{
  readonly title: string
  readonly size: number
  readonly count: number
  readonly concurrency: number
  readonly figure: "rate" | "throughput"
  readonly figures: Report["figures"]
}> = [
  {
    title: "Uploads from Node, 1 KiB files, 4 at once",
    size: kibibyte,
    count: 400,
    concurrency: 4,
    figure: "rate",
    figures: { rate: "uploads/s", cpuPerUpload: "client CPU µs/upload", peak: "client peak MiB" },
  },
  {
    title: "Uploads from Node, 10 MiB files, one after the other",
    size: 10 * mebibyte,
    count: 30,
    concurrency: 1,
    figure: "throughput",
    figures: { throughput: "MiB/s", cpu: "client CPU s/GiB", peak: "client peak MiB" },
  },
  {
    title: "Uploads from Node, a file of 1 GiB",
    size: gibibyte,
    count: 1,
    concurrency: 1,
    figure: "throughput",
    figures: { throughput: "MiB/s", cpu: "client CPU s/GiB", peak: "client peak MiB" },
  },
]

/**
 * The whole way, as users have it: our client with an app that signs and is called back and `sluice ingest`, beside
 * tus-js-client with @tus/server, which has no app. Servers are processes of their own.
 */
export const benchClient = async (rounds = 5): Promise<ReadonlyArray<Report>> => {
  const parent = join(import.meta.dirname, ".data")
  mkdirSync(parent, { recursive: true })
  const data = mkdtempSync(join(parent, "client-"))
  const reports: Array<Report> = []
  try {
    for (const { title, size, count, concurrency, figure, figures } of sizes) {
      const cases = ["sluice", "tus-js-client"].map((name) => ({
        name,
        args: [upload, name, size, count, concurrency, data].map(String),
      }))
      const aims = [{ of: "sluice", to: "tus-js-client", figure }]
      reports.push({ title, figures, aims, rounds: await runRounds(cases, rounds) })
    }
  } finally {
    rmSync(data, { recursive: true })
  }
  return reports
}
