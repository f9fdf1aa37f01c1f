import { join } from "node:path"
import type { Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const measure = join(import.meta.dirname, "measure.ts")

export const handlerFigures = { rate: "requests/s", p50: "p50 µs", p99: "p99 µs", rss: "RSS MiB" } as const

/** In-process, one request at a time: new Request → handler → whole Response read. */
const aims = {
  1: { uploadthing: 25, "better-upload": 2.5, floor: 0.55 },
  10: { uploadthing: 40, "better-upload": 2.5, floor: 0.58 },
  100: { uploadthing: 65, "better-upload": 2.5, floor: 0.68 },
}

/** The upload action for 1, 10 and 100 files; the ingest's answer to the registration is mocked. */
export const benchHandler = async (rounds = 5): Promise<ReadonlyArray<Report>> => {
  const reports: Array<Report> = []
  for (const [files, aim] of Object.entries(aims)) {
    const cases = ["sluice", "uploadthing", "better-upload", "floor", "noop"].map((name) => ({
      name,
      args: [measure, name, "upload", files],
    }))
    reports.push({
      title: `Upload action, ${files} ${files === "1" ? "file" : "files"}`,
      figures: handlerFigures,
      rounds: await runRounds(cases, rounds),
      aims: Object.entries(aim).map(([to, atLeast]) => ({ of: "sluice", to, figure: "rate", atLeast })),
    })
  }
  return reports
}
