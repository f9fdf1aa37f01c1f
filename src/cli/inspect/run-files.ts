import { styleText } from "node:util"
import { type FileRecord, toFileStatus } from "../../ingest.ts"
import { type FileStatus, formatByteSize } from "../../protocol.ts"
import { findUpload } from "./find-upload.ts"
import { formatMoment } from "../terminal/moment.ts"
import { withCatalog } from "../open-catalog.ts"
import { type PageOptions, toPage } from "./page-options.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printFacts, printTable } from "../terminal/table.ts"

/** A file as `--json` prints it. Sizes in bytes, times in ms since the epoch. Source: docs/cli.md. */
const toFileJson = (file: FileRecord) => {
  const { key, name, size, type, customId, slug, acl, appId, fileHash, failure, owner, path } = file
  const { createdAt, resumedAt, uploadedAt, endedAt, expires, removeAt: expiresAt, claimBy } = file
  const times = { createdAt, resumedAt, uploadedAt, endedAt, expires, owner, path, expiresAt, claimBy }
  return { key, name, size, type, status: toFileStatus(file), customId, slug, acl, appId, fileHash, failure, ...times }
}

const colours = { Uploading: "yellow", Pending: "yellow", Uploaded: "green", Failed: "red", Deleting: "dim" } as const

const showStatus = (status: FileStatus): string => styleText(colours[status], status)

/** `sluice files list`. */
export const runFilesList = async (
  data: string,
  {
    status,
    app,
    owner,
    limit,
    cursor,
    json,
  }: PageOptions & {
    readonly status?: FileStatus
    readonly app?: string
    readonly owner?: string
    readonly json?: true
  },
): Promise<void> => {
  const found = await withCatalog(data, "reads", (catalog) =>
    catalog.list({ status, appId: app, owner, before: cursor, limit: limit + 1 }),
  )
  const { rows, nextCursor } = toPage(found, limit, ({ id }) => id)
  if (json) {
    console.log(JSON.stringify({ files: rows.map(toFileJson), nextCursor }))
    return
  }
  if (rows.length === 0) {
    const whose = app === undefined ? "" : ` of the app ${toPrintable(app)}`
    console.log(`There are no files${whose}${status === undefined ? "" : ` that are ${status}`}.`)
    return
  }
  printTable(
    [{ title: "KEY" }, { title: "NAME" }, { title: "SIZE", align: "right" }, { title: "STATUS" }, { title: "BEGUN" }],
    rows.map((file) => [
      file.key,
      toShortPrintable(file.name, 32),
      formatByteSize(file.size),
      showStatus(toFileStatus(file)),
      formatMoment(file.createdAt),
    ]),
  )
  if (nextCursor !== null) console.log(styleText("dim", `\nThere are more: --cursor ${nextCursor}`))
}

const formatIfAny = (moment: number | null): string | null => (moment === null ? null : formatMoment(moment))

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
  ["SHA-256", file.fileHash],
  ["Begun", formatMoment(file.createdAt)],
  ["Resumed", formatIfAny(file.resumedAt)],
  ["Uploaded", formatIfAny(file.uploadedAt)],
  ["Ended", formatIfAny(file.endedAt)],
  ["To be claimed by", formatIfAny(file.claimBy)],
  ["Expires", formatIfAny(file.removeAt)],
  ["URL expires", formatMoment(file.expires)],
]

/** `sluice files show`. */
export const runFilesShow = async (data: string, key: string, { json }: { readonly json?: true }): Promise<void> => {
  const { file } = await withCatalog(data, "reads", (catalog, folder) => findUpload(catalog, folder, key))
  if (json) console.log(JSON.stringify(toFileJson(file)))
  else printFacts(toFacts(file))
}
