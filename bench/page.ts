import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import type { Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const measure = join(import.meta.dirname, "page/measure.ts")

const apps = ["sluice-react", "sluice-element", "uppy", "filepond"]

const titles: Readonly<Record<string, string>> = {
  jpeg: "100 photos chosen and looked at, JPEG of 12 MP",
  png: "20 pictures chosen and looked at, PNG of 12 MP",
  small: "500 small files chosen and looked at",
}

const figures: Report["figures"] = {
  peak: "peak MB",
  kept: "MB kept",
  before: "MB before",
  longTasks: "long tasks",
  longest: "longest ms",
  blocked: "blocked ms",
  listed: "listed ms",
  seen: "all seen s",
}

/**
 * What a page's process costs while somebody chooses files and looks through their list: our dropzone, in React and as
 * an element, beside Uppy's Dashboard and FilePond with its image preview, each bundled alike on a page of its own.
 */
export const benchPage = async (rounds = 3): Promise<ReadonlyArray<Report>> =>
  withDataFolder("page", async (data) => {
    const reports: Array<Report> = []
    for (const [choice, title] of Object.entries(titles)) {
      const cases = apps.map((name) => ({ name, args: [measure, name, choice, data] }))
      const aims = ["sluice-react", "sluice-element"].flatMap((of) =>
        ["uppy", "filepond"].flatMap((to) => ["peak", "blocked"].map((figure) => ({ of, to, figure, atMost: 1 }))),
      )
      reports.push({ title, figures, aims, rounds: await runRounds(cases, rounds) })
    }
    return reports
  })
