import { styleText } from "node:util"
import type { Command } from "commander"
import { type FileRecord, toFileStatus } from "../../ingest.ts"
import { type FileStatus, formatByteSize } from "../../protocol.ts"
import { toFileJson } from "./file-json.ts"
import { findUpload } from "./find-upload.ts"
import { findOnlyApp } from "./only-app.ts"
import { type FileCursor, toPathCursor } from "./path-cursor.ts"
import { formatMoment } from "../terminal/moment.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { type PageOptions, toPage } from "./page-options.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printFacts, printTable } from "../terminal/table.ts"

const colours = {
  Uploading: "yellow",
  Held: "yellow",
  Pending: "yellow",
  Uploaded: "green",
  Failed: "red",
  Deleting: "dim",
} as const

const showStatus = (status: FileStatus): string => styleText(colours[status], status)

const formatIfAny = (moment: number | null): string | null => (moment === null ? null : formatMoment(moment))

/** What `sluice files list` is asked for. */
export interface ListOptions extends PageOptions<FileCursor> {
  readonly status?: FileStatus
  readonly app?: string
  readonly owner?: string
  readonly prefix?: string
  readonly json?: true
}

/** That there are none, and of what. */
const describeNone = ({ status, app, owner, prefix }: ListOptions): string => {
  const parts = [
    app === undefined ? "" : ` of the app ${toPrintable(app)}`,
    owner === undefined ? "" : ` of the owner ${toPrintable(owner)}`,
    prefix === undefined ? "" : ` whose path begins with ${toPrintable(prefix)}`,
    status === undefined ? "" : ` that are ${status}`,
  ]
  return `There are no files${parts.join("")}.`
}

/** Columns that are shown where a listed file has what they are of. */
const extraColumns: ReadonlyArray<readonly [title: string, cellOf: (file: FileRecord) => string | null]> = [
  ["OWNER", ({ owner }) => owner && toShortPrintable(owner, 24)],
  ["PATH", ({ path }) => path && toShortPrintable(path, 48)],
  ["CLAIM BY", ({ claimBy }) => formatIfAny(claimBy)],
  ["EXPIRES", ({ removeAt }) => formatIfAny(removeAt)],
]

/** `sluice files list`. */
export const runFilesList = async (command: Command, deployment: Deployment, options: ListOptions): Promise<void> => {
  const { status, owner, prefix, limit, cursor, json } = options
  const found = await withDeployment(deployment, "reads", async (open) => {
    const { catalog } = open
    const needing = owner === undefined ? (prefix === undefined ? undefined : "--prefix") : "--owner"
    const appId = options.app ?? (needing === undefined ? undefined : await findOnlyApp(command, open, needing))
    // Without any app there is no file.
    if (needing !== undefined && appId === undefined) return []
    const which = { status, owner, limit: limit + 1 }
    if (prefix === undefined) return catalog.list({ ...which, appId, before: cursor?.id })
    const after = cursor && { path: cursor.path!, id: cursor.id }
    return catalog.listByPath({ ...which, appId: appId!, prefix, after })
  })
  const { rows, nextCursor } = toPage(found, limit, prefix === undefined ? ({ id }) => id : toPathCursor)
  if (json) {
    console.log(JSON.stringify({ files: rows.map(toFileJson), nextCursor }))
    return
  }
  if (rows.length === 0) return console.log(describeNone(options))
  const extra = extraColumns.filter(([, cellOf]) => rows.some((file) => cellOf(file) !== null))
  printTable(
    [
      { title: "KEY" },
      { title: "NAME" },
      { title: "SIZE", align: "right" },
      { title: "STATUS" },
      { title: "BEGUN" },
      ...extra.map(([title]) => ({ title })),
    ],
    rows.map((file) => [
      file.key,
      toShortPrintable(file.name, 32),
      formatByteSize(file.size),
      showStatus(toFileStatus(file)),
      formatMoment(file.createdAt),
      ...extra.map(([, cellOf]) => cellOf(file) ?? ""),
    ]),
  )
  if (nextCursor !== null) console.log(styleText("dim", `\nThere are more: --cursor ${nextCursor}`))
}

const toFacts = (file: FileRecord): ReadonlyArray<readonly [name: string, value: string | null]> => [
  ["Key", file.key],
  ["Name", toPrintable(file.name)],
  ["Size", `${formatByteSize(file.size)} (${file.size} bytes)`],
  ["Type", toPrintable(file.type)],
  ["Status", showStatus(toFileStatus(file))],
  ["Failure", file.failure && `${file.failure.code}: ${toPrintable(file.failure.message)}`],
  ["Custom id", file.customId && toPrintable(file.customId)],
  ["Route", file.slug === null ? "none: uploaded by the server" : toPrintable(file.slug)],
  ["Owner", file.owner && toPrintable(file.owner)],
  ["Path", file.path && toPrintable(file.path)],
  ["Access", file.acl ?? "the ingest's default"],
  ["App", toPrintable(file.appId)],
  ["SHA-256", file.fileHash === "" && file.uploadedAt !== null ? "none: its bytes were not read here" : file.fileHash],
  ["Begun", formatMoment(file.createdAt)],
  ["Resumed", formatIfAny(file.resumedAt)],
  ["Uploaded", formatIfAny(file.uploadedAt)],
  ["Ended", formatIfAny(file.endedAt)],
  ["To be claimed by", formatIfAny(file.claimBy)],
  ["Expires", formatIfAny(file.removeAt)],
  ["URL expires", formatMoment(file.expires)],
]

/** `sluice files show`. */
export const runFilesShow = async (
  deployment: Deployment,
  key: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const { file } = await withDeployment(deployment, "reads", (open) => findUpload(open, key))
  if (json) console.log(JSON.stringify(toFileJson(file)))
  else printFacts(toFacts(file))
}
