import type { CatalogHistory } from "../catalog/history.ts"
import { endOfPrefix } from "../path-order.ts"
import { countFilesOfApp, edgeOfFiles, edgeOfPaths, listFiles, listFilesByPath, listFilesOfApp } from "./history.ts"
import { type Row, toFile } from "./rows.ts"
import { hasOpenDeletion, type StepReader } from "./step-reader.ts"

/** Where the first page begins; it also makes the query a search by key instead of a scan. */
const newest = Number.MAX_SAFE_INTEGER

/**
 * The listings of files in a catalog over SQL. Files that a deletion means and has not reached are passed by, and there may be
 * millions of them: then a page is put together in steps, so that neither this process nor the database is busy with one
 * statement for long.
 */
export const createFileListing = (reader: StepReader): Pick<CatalogHistory, "list" | "listByPath"> => {
  const { all, pause, merging, longestStep: step } = reader
  const mayPassMany = async (appId: string, status: string | undefined): Promise<boolean> =>
    status !== "Deleting" && (await hasOpenDeletion(reader, appId))

  return {
    list: async ({ appId, status, owner, before = newest, limit, offset = 0 }) => {
      if (appId === undefined) return (await all(listFiles(status), { before, limit, offset })).map(toFile)
      const whose = owner === undefined ? "all" : "owner"
      const which = { appId, ...(owner !== undefined && { owner }) }
      const passesMany = await mayPassMany(appId, status)
      const isStepped = offset > step || passesMany
      const found: Array<Row> = []
      let skipped = offset
      for (let end = before; ;) {
        const [edge] = isStepped
          ? await all(edgeOfFiles(status, whose, merging), { ...which, before: end, from: 0, step })
          : []
        // Each file of a step is one that would be listed.
        if (edge !== undefined && !passesMany && skipped >= step) {
          skipped -= step
          end = edge.id as number
          await pause()
          continue
        }
        const bounds = { ...which, before: end, from: (edge?.id as number | undefined) ?? 0 }
        const room = limit - found.length
        const rows = await all(listFilesOfApp(status, whose, merging), { ...bounds, limit: room, offset: skipped })
        found.push(...rows)
        if (edge === undefined || rows.length === room) return found.map(toFile)
        if (rows.length > 0) skipped = 0
        else if (skipped > 0) {
          const [passed] = await all(countFilesOfApp(status, whose), bounds)
          skipped = Math.max(0, skipped - (passed!.count as number))
        }
        end = bounds.from
        await pause()
      }
    },
    listByPath: async ({ appId, prefix, owner, status, after, limit }) => {
      const whose = owner === undefined ? "all" : "owner"
      const which = { appId, ...(owner !== undefined && { owner }) }
      const end = { toPath: endOfPrefix(prefix), toId: -1 }
      const isStepped = await mayPassMany(appId, status)
      const found: Array<Row> = []
      for (let last = after; ;) {
        const place = last === undefined ? "first" : "next"
        const from = { ...which, ...(last === undefined ? { prefix } : { path: last.path, id: last.id }) }
        const [edge] = isStepped ? await all(edgeOfPaths(status, whose, place, merging), { ...from, ...end, step }) : []
        last = edge && { path: edge.path as string, id: edge.id as number }
        const to = last === undefined ? end : { toPath: last.path, toId: last.id }
        const room = limit - found.length
        const rows = await all(listFilesByPath(status, whose, place, merging), { ...from, ...to, limit: room })
        found.push(...rows)
        if (last === undefined || rows.length === room) return found.map(toFile)
        await pause()
      }
    },
  }
}
