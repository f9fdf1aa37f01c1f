import { styleText } from "node:util"
import type { Command } from "commander"
import { type Catalog, type FileRecord, toFileStatus } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { formatMoment } from "../terminal/moment.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"
import { toFileJson } from "./file-json.ts"
import { findOnlyApp } from "./only-app.ts"

/** What `sluice files orphans` is asked for. */
export interface OrphansOptions {
  readonly limit: number
  readonly app?: string
  readonly owner?: string
  readonly json?: true
}

/** Files that wait to be claimed. */
interface Orphans {
  /** Those with the oldest deadlines. */
  readonly oldest: ReadonlyArray<FileRecord>
  /** Of all of them. */
  readonly count: number
  readonly bytes: number
}

/** Files read at a time. */
const pageSize = 500

const takeOldest = (files: ReadonlyArray<FileRecord>, limit: number): Array<FileRecord> =>
  files.toSorted((a, b) => a.claimBy! - b.claimBy! || a.id - b.id).slice(0, limit)

/** Walks over all of them, and keeps only as many as are shown. */
const findOrphans = async (
  catalog: Catalog,
  { limit, ...which }: { readonly limit: number; readonly appId?: string | undefined; readonly owner?: string },
): Promise<Orphans> => {
  let oldest: Array<FileRecord> = []
  let [count, bytes] = [0, 0]
  for (let before: number | undefined; ;) {
    const page = await catalog.list({ ...which, status: "Pending", before, limit: pageSize })
    if (page.length === 0) break
    before = page.at(-1)!.id
    // One that is being deleted is nobody's to claim.
    const waiting = page.filter((file) => toFileStatus(file) === "Pending")
    count += waiting.length
    for (const { size } of waiting) bytes += size
    oldest = takeOldest([...oldest, ...waiting], limit)
  }
  return { oldest, count, bytes }
}

const showDeadline = (claimBy: number, now: number): string =>
  claimBy > now ? formatMoment(claimBy) : styleText("red", `${formatMoment(claimBy)} (too late)`)

/** `sluice files orphans`. */
export const runFilesOrphans = async (
  command: Command,
  deployment: Deployment,
  options: OrphansOptions,
): Promise<void> => {
  const { app, owner, limit, json } = options
  const { oldest, count, bytes, now } = await withDeployment(deployment, "reads", async (open) => {
    const now = await open.now()
    const appId = app ?? (owner === undefined ? undefined : await findOnlyApp(command, open, "--owner"))
    if (owner !== undefined && appId === undefined) return { oldest: [], count: 0, bytes: 0, now }
    return { ...(await findOrphans(open.catalog, { appId, limit, ...(owner !== undefined && { owner }) })), now }
  })
  if (json) {
    console.log(JSON.stringify({ files: oldest.map(toFileJson), count, bytes }))
    return
  }
  if (count === 0) {
    const whose = [
      app === undefined ? "" : ` of the app ${toPrintable(app)}`,
      owner === undefined ? "" : ` of the owner ${toPrintable(owner)}`,
    ]
    console.log(`No file${whose.join("")} waits to be claimed.`)
    return
  }
  printTable(
    [{ title: "KEY" }, { title: "NAME" }, { title: "SIZE", align: "right" }, { title: "OWNER" }, { title: "CLAIM BY" }],
    oldest.map(({ key, name, size, owner: whose, claimBy }) => [
      key,
      toShortPrintable(name, 32),
      formatByteSize(size),
      toShortPrintable(whose ?? "", 24),
      showDeadline(claimBy!, now),
    ]),
  )
  const more = count > oldest.length ? ` Shown are ${oldest.length}: --limit ${count} shows all.` : ""
  console.log(
    `\n${count === 1 ? "1 file waits" : `${count} files wait`} to be claimed, ${formatByteSize(bytes)} in all.${more}`,
  )
}
