import type { Command } from "commander"
import { isKeyOf, limits } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { type Interruption, watchInterruption } from "./interruption.ts"
import { readLines } from "./read-lines.ts"
import type { RmOptions } from "./rm-options.ts"

/** What came of a deletion. */
interface Deletion {
  readonly deleted: Array<string>
  /** Keys without a file. */
  readonly notFound: Array<string>
  /** Keys of which it is not known: a call failed, and those after it were not made. */
  readonly left: Array<string>
  error: Failure | null
}

/** The keys that were given, each once, those of standard input in the place of "-". */
async function* listKeys(given: ReadonlyArray<string>): AsyncGenerator<string, void> {
  const seen = new Set<string>()
  for (const key of given) {
    for await (const each of key === "-" ? readLines(process.stdin) : [key]) {
      if (seen.has(each)) continue
      seen.add(each)
      yield each
    }
  }
}

/** Deletes as many files as one call may. */
const deleteSome = async (
  { api, encodedAppId }: AppConnection,
  keys: ReadonlyArray<string>,
  { signal }: Interruption,
  found: Deletion,
): Promise<void> => {
  // One that can be no key would make the ingest refuse the others with it.
  const asked = keys.filter((key) => /^[\w-]+$/.test(key) && key.length <= limits.fileKey && isKeyOf(key, encodedAppId))
  try {
    const { deletedCount, deletedKeys } = await api.deleteFiles(asked, { signal })
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

  const { deleted, notFound, left, error } = found
  if (error !== null || (notFound.length > 0 && !options.force)) {
    process.exitCode = interruption.exitCode() ?? exitCodes.failed
  }
  if (options.json) return console.log(JSON.stringify({ deleted, notFound, left, error }))
  console.log(`Deleted ${count(deleted.length)}.`)
  if (!options.force) for (const key of notFound) printNotice("error", `sluice: ${key}: There is no such file.`, "text")
  if (error === null) return
  printNotice("error", `sluice: ${error.message}`, "text")
  printNotice("error", `sluice: Of ${count(left.length)} it is not known whether they were deleted. Try again.`, "text")
}
