import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import { whyMissing } from "./ingest/servers.ts"
import type { Aim, Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const load = join(import.meta.dirname, "ingest/load.ts")
const [kibibyte, mebibyte, gibibyte] = [1024, 1024 ** 2, 1024 ** 3]

interface Run {
  readonly title: string
  readonly servers: ReadonlyArray<string>
  readonly action: "put" | "get" | "slow"
  readonly size: number
  readonly count: number
  readonly concurrency: number
  readonly figures: Report["figures"]
  readonly aims: ReadonlyArray<Aim>
}

const small = { rate: "requests/s", p50: "p50 ms", p99: "p99 ms", cpuPerRequest: "CPU µs/request", peak: "peak MiB" }
const large = { throughput: "MiB/s", cpu: "CPU s/GiB", peak: "peak MiB" }

const puts = ["sluice", "@tus/server", "bare pipe", "nginx"]

const runs: Readonly<Record<"put" | "get" | "slow", ReadonlyArray<Run>>> = {
  put: [
    {
      title: "PUT, 1 KiB files, 16 at once",
      servers: puts,
      action: "put",
      size: kibibyte,
      count: 10_000,
      concurrency: 16,
      figures: small,
      aims: [
        { of: "sluice", to: "@tus/server", figure: "rate", atLeast: 3.3 },
        { of: "sluice", to: "bare pipe", figure: "rate", atLeast: 1 },
        { of: "sluice", to: "nginx", figure: "rate" },
      ],
    },
    {
      title: "PUT, 10 MiB files, one after the other",
      servers: puts,
      action: "put",
      size: 10 * mebibyte,
      count: 50,
      concurrency: 1,
      figures: large,
      aims: [
        { of: "sluice", to: "@tus/server", figure: "throughput", atLeast: 1.6 },
        { of: "sluice", to: "bare pipe", figure: "throughput", atLeast: 0.95 },
        { of: "sluice", to: "nginx", figure: "throughput" },
      ],
    },
    {
      title: "PUT, a file of 1 GiB",
      servers: ["sluice", "sluice, no hash", ...puts.slice(1)],
      action: "put",
      size: gibibyte,
      count: 1,
      concurrency: 1,
      figures: large,
      aims: [
        { of: "sluice", to: "@tus/server", figure: "throughput", atLeast: 1.2 },
        { of: "sluice, no hash", to: "@tus/server", figure: "throughput", atLeast: 1.6 },
        { of: "sluice", to: "bare pipe", figure: "throughput" },
        { of: "sluice", to: "nginx", figure: "throughput" },
      ],
    },
  ],
  get: [
    {
      title: "GET, a file of 1 KiB, 16 at once",
      servers: ["sluice", "send", "nginx"],
      action: "get",
      size: kibibyte,
      count: 20_000,
      concurrency: 16,
      figures: small,
      aims: [{ of: "sluice", to: "send", figure: "rate", atLeast: 1.2 }],
    },
    {
      title: "GET, a file of 1 GiB",
      servers: ["sluice", "send", "nginx"],
      action: "get",
      size: gibibyte,
      count: 3,
      concurrency: 1,
      figures: large,
      aims: [{ of: "sluice", to: "send", figure: "throughput", atLeast: 1.8 }],
    },
  ],
  slow: [
    {
      title: "1,000 slow uploads at once, 256 KiB each over some 8 s",
      servers: ["sluice", "@tus/server", "bare pipe"],
      action: "slow",
      size: 256 * kibibyte,
      count: 1000,
      concurrency: 1000,
      figures: {
        stored: "stored",
        lost: "lost",
        wait50: "others wait p50 ms",
        wait99: "p99 ms",
        peak: "peak MiB",
        cpuPerRequest: "CPU µs/upload",
      },
      aims: [],
    },
  ],
}

/**
 * The ingest as `sluice ingest` runs it (hash, flush and catalog on), beside what people would take instead, on the disk
 * this repository is on. A server process each, loaded from a process of its own.
 */
export const benchIngest =
  (name: keyof typeof runs) =>
  async (rounds = 5): Promise<ReadonlyArray<Report>> =>
    withDataFolder(name, async (data) => {
      const reports: Array<Report> = []
      for (const { title, servers, action, size, count, concurrency, figures, aims } of runs[name]) {
        for (const server of servers) {
          const why = whyMissing(server)
          if (why !== undefined) console.log(`Not measured: ${server}; ${why}.`)
        }
        const cases = servers
          .filter((server) => whyMissing(server) === undefined)
          .map((server) => ({ name: server, args: [load, server, action, size, count, concurrency, data].map(String) }))
        reports.push({ title, figures, aims, rounds: await runRounds(cases, rounds) })
      }
      return reports
    })
