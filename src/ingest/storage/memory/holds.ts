import type { CatalogHolds } from "../catalog/holds.ts"
import { decideDeadlines, toRejection } from "../upload-rules.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** What waits for a verdict, in memory; listing walks all files. */
export const createMemoryHolds = (
  { rows, contents }: Tables,
  { toUpload, schedule, isGone }: Pick<Steps, "toUpload" | "schedule" | "isGone">,
): CatalogHolds => ({
  judgeHeld: async ({ appId, files, verdict, now, createEventId, appSince }) => {
    if (isGone(appId, appSince)) return []
    return files.flatMap(({ key, id }) => {
      const row = rows.get(key)
      const isHeld = row?.file.appId === appId && row.file.status === "Uploaded" && row.file.hold
      if (row === undefined || !isHeld || (id !== undefined && row.file.id !== id)) return []
      const free = { ...row.file, hold: false }
      row.file =
        verdict.kind === "release"
          ? { ...free, ...decideDeadlines(free, now), releasedAt: now }
          : { ...free, status: "Failed", failure: toRejection(verdict.reason), endedAt: now }
      if (verdict.kind === "reject") contents.delete(row.file.id)
      schedule(row, createEventId(), now, 0)
      return [toUpload(row)]
    })
  },
  listHeld: async ({ limit, except }) => {
    const held = [...rows.values()]
      .filter(({ file }) => file.status === "Uploaded" && file.hold && !except.has(file.id))
      .sort((a, b) => a.file.id - b.file.id)
    return [...Map.groupBy(held, ({ file }) => file.appId).values()].flatMap((ofApp) =>
      ofApp.slice(0, limit).map(toUpload),
    )
  },
})
