import { setTimeout } from "node:timers/promises"
import type { Command } from "commander"
import { type Deletion, type FileSelection, type ListedFile, UploadError } from "../../api.ts"
import { formatByteSize } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { ask } from "../terminal/ask.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { createProgress } from "../terminal/progress.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toCommandFailure, toFailure } from "./failure.ts"
import { watchInterruption } from "./interruption.ts"
import type { RmOptions } from "./rm-options.ts"

/** ms between two questions to the ingest, at first and at most: the waits double. */
const [firstWait, longestWait] = [200, 2000]

/** Files that are shown to somebody who is asked, so that a mistyped prefix is noticed. */
const shown = 3

/** A deletion, as far as it is known. */
interface Progress {
  deletionId: string | null
  deletedCount: number
  isDone: boolean
  error: Failure | null
}

const count = (files: number): string => `${files} ${files === 1 ? "file" : "files"}`

const toSelection = ({ owner, prefix }: RmOptions): FileSelection =>
  ({ ...(owner !== undefined && { owner }), ...(prefix !== undefined && { prefix }) }) as FileSelection

/** Which files are meant, as the end of a sentence: ` of the owner user-7 whose path begins with albums/`. */
const describe = ({ owner, prefix }: FileSelection): string => {
  const whose = owner === undefined ? "" : ` of the owner ${toPrintable(owner)}`
  return prefix === undefined ? whose : `${whose} whose path begins with ${toPrintable(prefix)}`
}

const labelOf = ({ path, name }: ListedFile): string => toShortPrintable(path ?? name, 72)

/** Says what is about to be deleted, and asks. */
const confirm = async ({ api, ingestUrl }: AppConnection, selection: FileSelection): Promise<boolean> => {
  const { files: listed, hasMore } = await api.listFiles({ ...selection, limit: 1000 }).catch((error: unknown) => {
    throw toCommandFailure(error)
  })
  const files = listed.filter(({ status }) => status !== "Deleting")
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const many = hasMore ? `more than ${count(files.length)}` : `${count(files.length)}, ${formatByteSize(bytes)}`
  console.error(`This deletes every file${describe(selection)} at ${toPrintable(ingestUrl)}, for good: ${many}.`)
  for (const file of files.slice(0, shown)) console.error(`  ${labelOf(file)}`)
  if (files.length > shown) console.error("  …")
  return ask("Delete them? [y/N] ")
}

/** Waits until the ingest has marked all files, with how many it has. Fails: rejects with an UploadError. */
const waitUntilDone = async (
  { api }: AppConnection,
  selection: FileSelection,
  deletion: Progress,
  signal: AbortSignal,
): Promise<void> => {
  const progress = createProgress("Deleting:", undefined, process.stderr, count)
  progress.advance(deletion.deletedCount)
  /** Of a deletion whose place ours has taken, or that has taken the place of ours. */
  let before = 0
  try {
    for (let wait = firstWait; !deletion.isDone; wait = Math.min(2 * wait, longestWait)) {
      await setTimeout(wait, undefined, { signal })
      const deletions = await api.listDeletions({ signal })
      const isSame = ({ owner, prefix }: Deletion) =>
        owner === (selection.owner ?? null) && prefix === (selection.prefix ?? null)
      const now = deletions.find(({ id }) => id === deletion.deletionId) ?? deletions.find(isSame)
      if (now === undefined) {
        const message = "The ingest does not list the deletion any more."
        throw new UploadError({ code: "NOT_FOUND", message })
      }
      // The same deletion, asked for again by somebody: it goes on with what ours has not reached.
      if (now.id !== deletion.deletionId) before = deletion.deletedCount
      progress.advance(before + now.deletedCount - deletion.deletedCount)
      Object.assign(deletion, {
        deletionId: now.id,
        deletedCount: before + now.deletedCount,
        isDone: now.doneAt !== null,
      } satisfies Partial<Progress>)
    }
  } finally {
    progress.end()
  }
}

/** What to do after a failure, by what is known of the deletion. */
const advise = ({ deletionId, error }: Progress): string => {
  if (deletionId !== null) {
    return "Nobody can read the files any more, and the ingest goes on by itself. The same command again waits for it."
  }
  // Owner and prefix were checked before.
  if (error!.code === "BAD_REQUEST")
    return "Nothing was deleted. An ingest older than this command deletes by keys alone."
  return ["NETWORK_ERROR", "ABORTED", "INTERNAL_ERROR", "INGEST_UNAVAILABLE"].includes(error!.code)
    ? "It is not known whether the files are deleted. The same command again does no harm."
    : "Nothing was deleted."
}

/** `sluice rm --owner`, `--prefix`. */
export const runRmSelection = async (command: Command, options: RmOptions): Promise<void> => {
  const selection = toSelection(options)
  if (!options.yes && options.json) throw new CommandFailure("--json asks nothing: add --yes to delete.")
  if (!options.yes && !process.stdin.isTTY) {
    throw new CommandFailure("There is no terminal to ask on, so nothing was deleted. Add --yes to delete.")
  }
  const connection = await readConnection(command)
  if (!options.yes && !(await confirm(connection, selection))) {
    console.log("Nothing was deleted.")
    process.exitCode = exitCodes.failed
    return
  }
  const { signal, exitCode } = watchInterruption()
  const deletion: Progress = { deletionId: null, deletedCount: 0, isDone: false, error: null }
  try {
    const { deletionId, deletedCount, isDone } = await connection.api.deleteFiles(selection, { signal })
    Object.assign(deletion, { deletionId, deletedCount, isDone })
    await waitUntilDone(connection, selection, deletion, signal)
  } catch (error) {
    deletion.error = signal.aborted ? { code: "ABORTED", message: "It was interrupted." } : toFailure(error)
    process.exitCode = exitCode() ?? exitCodes.failed
  }
  if (options.json) {
    const { owner, prefix } = selection
    const { deletionId, ...rest } = deletion
    return console.log(JSON.stringify({ deletionId, owner: owner ?? null, prefix: prefix ?? null, ...rest }))
  }
  const { deletedCount, deletionId, error } = deletion
  if (deletionId !== null)
    console.log(`Deleted ${count(deletedCount)}${describe(selection)}${error === null ? "" : ", so far"}.`)
  if (error !== null) printNotice("error", `sluice: ${error.message} ${advise(deletion)}`, "text")
}
