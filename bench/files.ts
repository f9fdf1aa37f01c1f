import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import { fillCatalog } from "./files/fill-catalog.ts"
import type { Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const measure = join(import.meta.dirname, "files/measure.ts")

const figures = {
  first: "first page µs",
  middle: "middle page",
  last: "last page",
  failed: "failed ones",
  uploadingMiddle: "uploading, middle",
  usage: "usage",
  access: "read URL",
  rename: "rename 5",
  remove: "delete 5",
  offset: "page by offset",
  scan: "usage by a scan",
} as const

/** What has to cost the same, however many files there are. */
const flat: ReadonlyArray<keyof typeof figures> = [
  "first",
  "middle",
  "last",
  "failed",
  "uploadingMiddle",
  "usage",
  "access",
  "rename",
  "remove",
]

/**
 * The REST API over an SQLite catalog of a thousand and of a million files, with as many of another app: a whole request
 * each, by `ingest.fetch`. Beside them what it would cost to page by offset, and to add the usage up.
 */
export const benchFiles = async (rounds = 5): Promise<ReadonlyArray<Report>> =>
  withDataFolder("files", async (data) => {
    const cases = []
    for (const [name, files] of [
      ["1,000 files", 1000],
      ["1,000,000 files", 1_000_000],
    ] as const) {
      const catalog = join(data, `${files}.sqlite`)
      await fillCatalog(catalog, files)
      cases.push({ name, args: [measure, catalog, String(files)] })
    }
    const aims = flat.map((figure) => ({ of: "1,000,000 files", to: "1,000 files", figure, atMost: 2 }))
    return [{ title: "REST API, pages of 10 files", figures, aims, rounds: await runRounds(cases, rounds) }]
  })
