import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import { fillCatalog } from "./files/fill-catalog.ts"
import type { Aim, Report } from "./report.ts"
import { type Case, type Rounds, runRounds } from "./rounds.ts"

const script = (name: string): string => join(import.meta.dirname, "files", name)

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

const labelFigures = {
  first: "first page µs",
  firstUploaded: "of stored ones",
  last: "last page",
  usage: "usage of the owner",
  claim: "claim",
  claimWork: "claim without its flush, µs",
  spread: "claim, far apart",
  spreadWork: "far apart, without its flush",
} as const

const [few, most] = ["1,000 files", "1,000,000 files"]

/** Case → files in its catalog. Of the smallest, a thousand have to be stored: one in fifty is not. */
const sizes = { [few]: 1050, "10,000 files": 10_000, "100,000 files": 100_000, [most]: 1_000_000 }

const labelAims: ReadonlyArray<Aim> = [
  ...(["first", "firstUploaded", "last", "usage", "claimWork"] as const).map((figure) => ({
    of: most,
    to: few,
    figure,
    atMost: 1.5,
  })),
  { of: most, to: few, figure: "spreadWork" },
  ...Object.keys(sizes).map((of) => ({ of, figure: "claimWork", atMost: 10_000 })),
]

const deleted = 100_000

const deletionFigures = {
  answer: "answer ms",
  done: "last file s",
  stillRead: "read after the answer",
  put50: "neighbour's PUT p50 ms",
  put99: "p99",
} as const

/** What one process measured before the deletion and during it, as two cases. */
const splitDeletion = (rounds: Rounds): Rounds => {
  const { answer, done, stillRead, quiet50, quiet99, busy50, busy99 } = rounds.get("sluice")!
  return new Map([
    ["before it", { put50: quiet50!, put99: quiet99! }],
    ["during it", { answer: answer!, done: done!, stillRead: stillRead!, put50: busy50!, put99: busy99! }],
  ])
}

/**
 * The REST API over an SQLite catalog of a thousand and of up to a million files, with as many of another app: a whole
 * request each, by `ingest.fetch`. Beside them what it would cost to page by offset, and to add the usage up. Then an owner
 * with very many files who is deleted by `sluice ingest`, over HTTP.
 */
export const benchFiles = async (rounds = 3): Promise<ReadonlyArray<Report>> =>
  withDataFolder("files", async (data) => {
    const cases: Array<Case> = []
    for (const [name, files] of Object.entries(sizes)) {
      const catalog = join(data, `${files}.sqlite`)
      await fillCatalog(catalog, files)
      cases.push({ name, args: [catalog, String(files)] })
    }
    const by = (measure: string, some = cases) =>
      runRounds(
        some.map(({ name, args }) => ({ name, args: [script(measure), ...args] })),
        rounds,
      )
    const ends = cases.filter(({ name }) => name === few || name === most)
    const deletion = { name: "sluice", args: [script("delete-owner.ts"), String(deleted), data] }
    return [
      {
        title: "REST API, pages of 10 files",
        figures,
        aims: flat.map((figure) => ({ of: most, to: few, figure, atMost: 2 })),
        rounds: await by("measure.ts", ends),
      },
      {
        title: "REST API, pages of 500 files by owner and prefix, claims of 1,000 files",
        figures: labelFigures,
        aims: labelAims,
        rounds: await by("labels.ts"),
      },
      {
        title: `An owner's ${deleted.toLocaleString("en")} files are deleted`,
        figures: deletionFigures,
        aims: [
          { of: "during it", figure: "stillRead", atMost: 0 },
          { of: "during it", to: "before it", figure: "put50" },
          { of: "during it", to: "before it", figure: "put99" },
        ],
        rounds: splitDeletion(await runRounds([deletion], rounds)),
      },
    ]
  })
