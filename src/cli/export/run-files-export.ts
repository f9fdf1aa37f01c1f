import { relative, resolve, sep } from "node:path"
import { styleText } from "node:util"
import type { Command } from "commander"
import { BlobStoreError, type Catalog, type FileRecord, flushFolder } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import { explainFull } from "../backup/disk-room.ts"
import { CommandFailure, describeSystemError, exitCodes } from "../command-failure.ts"
import { findOnlyApp } from "../inspect/only-app.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { describeStoreError } from "../deployment/describe-store-error.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { walkFolder } from "../regular-file.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable } from "../terminal/printable.ts"
import { createProgress } from "../terminal/progress.ts"
import { toExportEntry } from "./export-entry.ts"
import { type ExportHeader, indexName, isDraft, openIndex } from "./export-index.ts"
import { createPlaces, type Places } from "./export-places.ts"
import { openExport } from "./open-export.ts"
import { type Saved, saveFile } from "./save-file.ts"

/** What `sluice files export` is asked for. */
export interface ExportOptions {
  readonly owner: string
  readonly app?: string
  readonly json?: true
}

/** What an export did. */
interface Exported {
  readonly appId: string | null
  records: number
  /** Files that are in the folder now, those among them that were there before, and all of their bytes. */
  files: number
  kept: number
  bytes: number
  readonly damaged: Array<{ readonly key: string; readonly name: string; readonly reason: string }>
  /** Paths of what else is in the folder. */
  readonly others: Array<string>
}

/** Files read at a time. */
const pageSize = 500

/** All files of an owner, in any state, newest first. */
async function* listOwned(catalog: Catalog, appId: string, owner: string): AsyncGenerator<FileRecord> {
  for (let before: number | undefined; ;) {
    const page = await catalog.list({ appId, owner, before, limit: pageSize })
    yield* page
    if (page.length === 0) return
    before = page.at(-1)!.id
  }
}

/** What became of a file whose bytes are damaged: an ingest may be running, and one that was deleted meanwhile is not. */
const lookAgain = async (catalog: Catalog, file: FileRecord): Promise<FileRecord | undefined> => {
  const now = (await catalog.get(file.key))?.file
  return now?.id === file.id ? now : undefined
}

/** What is in the folder and not of this export: files that were deleted since an earlier one, or anybody's. */
const listOthers = async (root: string, places: Places): Promise<Array<string>> => {
  const others: Array<string> = []
  for await (const [path, entry] of walkFolder(root)) {
    const way = relative(root, path).split(sep).join("/")
    if (!entry.isDirectory() && !places.has(way) && !isDraft(way)) others.push(way)
  }
  return others.toSorted()
}

/** One line for what is no mistake of ours: a disk that is full, a store that fails. */
const explain = (error: unknown, root: string, file: FileRecord | undefined): unknown => {
  const remains = "The same command goes on where it stopped."
  const full = explainFull(error, root, remains)
  if (full !== error || error instanceof CommandFailure) return full
  const what = file === undefined ? "" : ` at the file ${file.key} (${JSON.stringify(file.name)})`
  if (BlobStoreError.is(error)) {
    return new CommandFailure(`The export stopped${what}: the store failed: ${describeStoreError(error)}. ${remains}`)
  }
  const { syscall, path } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  return new CommandFailure(
    `The export stopped${what}: ${path ?? root} cannot be written: ${describeSystemError(error)}. ${remains}`,
  )
}

/** Copies the files, and writes `files.json` anew once all are there. */
const exportFiles = async (
  { catalog, ...way }: Parameters<typeof saveFile>[0],
  header: ExportHeader,
  done: Exported,
): Promise<void> => {
  const { appId, owner } = header
  const progress = createProgress("Exporting", (await catalog.usageOfOwner(appId, owner)).storedBytes)
  let current: FileRecord | undefined
  try {
    const index = await openIndex(way.root, header)
    try {
      for await (const listed of listOwned(catalog, appId, owner)) {
        current = listed
        let saved: Saved | undefined
        if (listed.status === "Uploaded") saved = await saveFile({ catalog, ...way }, listed, progress.advance)
        if (saved !== undefined && !("path" in saved)) {
          const now = await lookAgain(catalog, listed)
          if (now === undefined) continue
          current = now
          if (now.status === "Uploaded") done.damaged.push({ key: now.key, name: now.name, reason: saved.kind })
          else saved = undefined
        }
        done.records++
        if (saved !== undefined && "path" in saved) {
          done.files++
          done.bytes += listed.size
          if (saved.kind === "kept") done.kept++
        }
        await index.add(await toExportEntry(catalog, current, saved))
      }
      current = undefined
      await index.commit()
      await flushFolder(way.root)
    } catch (error) {
      await index.close().catch(() => {})
      throw error
    }
  } catch (error) {
    throw explain(error, way.root, current)
  } finally {
    progress.end()
  }
}

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

const show = (root: string, owner: string, { appId, records, files, kept, bytes, damaged, others }: Exported): void => {
  const whose = `the owner ${toPrintable(owner)}${appId === null ? "" : ` in the app ${toPrintable(appId)}`}`
  if (records === 0) console.log(`There is nothing of ${whose}.`)
  else {
    const before = kept === 0 ? "" : `, ${kept} of them there before`
    console.log(
      `${styleText("green", "Exported")} ${count(files, "file")}, ${formatByteSize(bytes)}, of ${whose} to ${toPrintable(root)}${before}. ` +
        `${indexName} has ${records === 1 ? "the record" : `all ${records} records`}.`,
    )
  }
  for (const { key, name, reason } of damaged) {
    printNotice(
      "error",
      `sluice: ${key}: ${JSON.stringify(name)} is damaged in the store (${reason}), and was left out.`,
      "text",
    )
  }
  if (damaged.length > 0) {
    printNotice(
      "error",
      "sluice: Restore what is damaged from a backup (`sluice backup verify`), and export again.",
      "text",
    )
  }
  if (others.length > 0) {
    const some = others.slice(0, 5).join(", ") + (others.length > 5 ? ` and ${others.length - 5} more` : "")
    printNotice(
      "warning",
      `sluice: ${count(others.length, "file is", "files are")} in the folder and not of this export, deleted since an earlier one or somebody's own: ${some}`,
      "text",
    )
  }
}

/** `sluice files export`. */
export const runFilesExport = async (
  command: Command,
  deployment: Deployment,
  target: string,
  { owner, app, json }: ExportOptions,
): Promise<void> => {
  const root = resolve(target)
  const { done, notes } = await withDeployment(deployment, "reads", async (open) => {
    const { catalog } = open
    const appId = app ?? (await findOnlyApp(command, open, "--owner")) ?? null
    const exported: Exported = { appId, records: 0, files: 0, kept: 0, bytes: 0, damaged: [], others: [] }
    // For nobody no folder is made: the id may be mistyped.
    const isKnown = appId !== null && (await catalog.list({ appId, owner, limit: 1 })).length > 0
    if (!isKnown) return { done: exported, notes: [] }
    const header: ExportHeader = { format: 1, appId, owner, asOf: Date.now(), isComplete: true }
    const store = await open.openStore()
    const { isResumed, notes: exposed } = await openExport(root, open.folder, header)
    const places = createPlaces(root)
    await exportFiles({ catalog, store, root, places }, header, exported)
    if (isResumed) exported.others.push(...(await listOthers(root, places)))
    return { done: exported, notes: exposed }
  })
  for (const note of notes) printNotice("warning", `sluice: ${note}`, "text")
  if (done.damaged.length > 0) process.exitCode = exitCodes.failed
  if (json) console.log(JSON.stringify({ folder: done.records === 0 ? null : root, owner, ...done }))
  else show(root, owner, done)
}
