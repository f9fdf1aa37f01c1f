import { join } from "node:path"
import { withDataFolder } from "./data-folder.ts"
import type { Aim, Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

const upload = join(import.meta.dirname, "page/upload.ts")

const figures: Report["figures"] = {
  whole: "whole s",
  script: "script s",
  scriptPerFile: "script ms/file",
  busy: "main thread busy s",
}

/** Case → app. The other frameworks and Uppy are only measured with a thousand files. */
const appsOf = (count: number): Readonly<Record<string, string>> => ({
  "sluice uploadFiles": "bare",
  "sluice-react": "react",
  ...(count === 1000 && {
    "sluice-element": "element",
    "sluice-vue": "vue",
    "sluice-svelte": "svelte",
    "sluice-solid": "solid",
    uppy: "uppy",
  }),
})

const aimsOf = (count: number): ReadonlyArray<Aim> => [
  { of: "sluice-react", to: "sluice uploadFiles", figure: "whole", atMost: 1.5 },
  { of: "sluice-react", figure: "scriptPerFile", atMost: 0.6 },
  ...(count === 1000 ? [{ of: "sluice-react", to: "uppy", figure: "whole", atMost: 1 }] : []),
]

/**
 * Small files, uploaded by a page in Chromium to an app and an ingest of their own, by `uploadFiles` alone and by the
 * dropzone of each framework; beside Uppy's Dashboard with @uppy/tus and @tus/server, which has no app to be asked.
 */
export const benchList = async (rounds = 3): Promise<ReadonlyArray<Report>> =>
  withDataFolder("list", async (data) => {
    const reports: Array<Report> = []
    for (const count of [100, 1000, 2000]) {
      const cases = Object.entries(appsOf(count)).map(([name, app]) => ({
        name,
        args: [upload, app, `${count}`, data],
      }))
      const title = `${count} files of 1 KiB, uploaded by a page`
      reports.push({ title, figures, aims: aimsOf(count), rounds: await runRounds(cases, rounds) })
    }
    return reports
  })
