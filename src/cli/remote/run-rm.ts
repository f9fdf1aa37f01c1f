import type { Command } from "commander"
import { limits } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { canBeKey, listKeys } from "./given-keys.ts"
import { type Interruption, watchInterruption } from "./interruption.ts"
import type { RmOptions } from "./rm-options.ts"

/** What came of a deletion. */
interface Deletion {
  readonly deleted: Array<string>
  /** Keys, or custom ids, without a file. */
  readonly notFound: Array<string>
  /** Keys of which it is not known: a call failed, and those after it were not made. */
  readonly left: Array<string>
  error: Failure | null
}

/** Deletes as many files as one call may. */
const deleteSome = async (
  connection: AppConnection,
  keys: ReadonlyArray<string>,
  { signal }: Interruption,
  found: Deletion,
): Promise<void> => {
  const asked = keys.filter((key) => canBeKey(key, connection))
  try {
    const { deletedCount, deletedKeys } = await connection.api.deleteFiles(asked, { signal })
    // An older ingest only says how many, which is enough where it is all of them, or none.
    const there = deletedKeys ?? (deletedCount === asked.length ? asked : deletedCount === 0 ? [] : undefined)
    if (there === undefined) {
      const message = `This ingest is older than the command: it deleted ${deletedCount} of ${asked.length} files, and does not say which were not there.`
      found.error = { code: "BAD_REQUEST", message }
      found.left.push(...keys)
      return
    }
    const known = new Set(there)
    for (const key of keys) (known.has(key) ? found.deleted : found.notFound).push(key)
  } catch (error) {
    found.error = toFailure(error)
    found.left.push(...keys)
  }
}

/** Deletes all files with a custom id; one without a file is noted in the place of a key. */
const deleteByCustomId = async (
  { api }: AppConnection,
  customId: string,
  { signal }: Interruption,
  found: Deletion,
): Promise<void> => {
  try {
    const { deletedCount, deletedKeys } = await api.deleteFiles(customId, { keyType: "customId", signal })
    if (deletedCount === 0) found.notFound.push(customId)
    else if (deletedKeys !== undefined) found.deleted.push(...deletedKeys)
    else {
      const message = `This ingest is older than the command: it deleted ${count(deletedCount)} with the custom id ${JSON.stringify(customId)}, and does not say which.`
      found.error = { code: "BAD_REQUEST", message }
    }
  } catch (error) {
    found.error = toFailure(error)
    found.left.push(customId)
  }
}

/** Why a file was not found, and what to do. */
const explainMissing = (word: string, connection: AppConnection, { customId = [] }: RmOptions): string => {
  if (customId.includes(word)) return `${word}: There is no file with this custom id.`
  return canBeKey(word, connection)
    ? `${word}: There is no such file.`
    : `${word}: There is no such file: it is no key of this app. To delete by custom id: sluice rm --custom-id <id>`
}

const count = (files: number): string => `${files} ${files === 1 ? "file" : "files"}`

/** `sluice rm`. */
export const runRm = async (command: Command, given: ReadonlyArray<string>, options: RmOptions): Promise<void> => {
  const connection = await readConnection(command)
  const interruption = watchInterruption()
  const found: Deletion = { deleted: [], notFound: [], left: [], error: null }
  let some: Array<string> = []
  const flush = async (): Promise<void> => {
    if (found.error === null) await deleteSome(connection, some, interruption, found)
    else found.left.push(...some)
    some = []
  }
  const { signal } = interruption
  signal.addEventListener("abort", () => process.stdin.destroy())
  try {
    for await (const key of listKeys(given)) if (some.push(key) === limits.filesPerCall) await flush()
  } catch (error) {
    // Keys that were read after a mistake are left as they are; what came of those before is still said.
    if (!signal.aborted && !(error instanceof CommandFailure)) throw error
    const message = signal.aborted ? "It was interrupted." : (error as Error).message
    found.error ??= { code: signal.aborted ? "ABORTED" : "BAD_REQUEST", message }
  }
  if (some.length > 0) await flush()
  for (const customId of new Set(options.customId)) {
    if (found.error === null) await deleteByCustomId(connection, customId, interruption, found)
    else found.left.push(customId)
  }

  const { deleted, notFound, left, error } = found
  if (error !== null || (notFound.length > 0 && !options.force)) {
    process.exitCode = interruption.exitCode() ?? exitCodes.failed
  }
  if (options.json) return console.log(JSON.stringify({ deleted, notFound, left, error }))
  console.log(`Deleted ${count(deleted.length)}.`)
  if (!options.force) {
    for (const word of notFound) printNotice("error", `sluice: ${explainMissing(word, connection, options)}`, "text")
  }
  if (error === null) return
  printNotice("error", `sluice: ${error.message}`, "text")
  if (left.length === 0) return
  printNotice("error", `sluice: Of ${count(left.length)} it is not known whether they were deleted. Try again.`, "text")
}
