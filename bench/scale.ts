import type { Report } from "./report.ts"
import { benchPostgres } from "./scale/postgres.ts"
import { benchS3 } from "./scale/s3.ts"

/** What an ingest is compared by that is more than one disk and one process. */
const cases: ReadonlyArray<(rounds: number | undefined) => Promise<ReadonlyArray<Report>>> = [benchPostgres, benchS3]

/** All of them, one after the other. */
export const benchScale = async (rounds?: number): Promise<ReadonlyArray<Report>> => {
  const reports: Array<Report> = []
  for (const bench of cases) reports.push(...(await bench(rounds)))
  return reports
}
