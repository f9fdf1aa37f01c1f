import type { Command } from "commander"
import { UploadError } from "../../api.ts"
import { limits } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { canBeKey, listKeys } from "./given-keys.ts"
import { watchInterruption } from "./interruption.ts"

/** The options of `sluice claim`. */
export interface ClaimCommandOptions {
  readonly owner?: string
  readonly slug?: string
  readonly replaces?: ReadonlyArray<string>
  readonly json?: true
}

/** How a claim ended. */
interface Claim {
  /** All of the keys, or none. */
  readonly claimed: ReadonlyArray<string>
  readonly replacedCount: number
  /** Keys for which there was nothing to claim. */
  readonly missing: ReadonlyArray<string>
  readonly error: Failure | null
}

const failed = (error: Failure, missing: ReadonlyArray<string> = []): Claim => ({
  claimed: [],
  replacedCount: 0,
  missing,
  error,
})

/** The keys that the ingest says are not there. */
const readMissing = ({ data }: UploadError): ReadonlyArray<string> => {
  const { missing } = (typeof data === "object" && data !== null ? data : {}) as { readonly missing?: unknown }
  return Array.isArray(missing) ? missing.filter((key) => typeof key === "string") : []
}

const claim = async (
  connection: AppConnection,
  keys: ReadonlyArray<string>,
  { owner, slug, replaces }: ClaimCommandOptions,
  signal: AbortSignal,
): Promise<Claim> => {
  const impossible = keys.filter((key) => !canBeKey(key, connection))
  if (impossible.length > 0) {
    const message = "What is no key of this app's files cannot be claimed: no custom id finds a pending file."
    return failed({ code: "NOT_FOUND", message }, impossible)
  }
  try {
    const { replacedCount } = await connection.api.claimFiles(keys, {
      signal,
      // What is written and undefined is refused.
      ...(owner !== undefined && { owner }),
      ...(slug !== undefined && { slug }),
      // One that is not there is no failure, and one that can be no key would be.
      replaces: replaces?.filter((key) => canBeKey(key, connection)),
    })
    return { claimed: keys, replacedCount, missing: [], error: null }
  } catch (error) {
    return failed(toFailure(error), UploadError.is(error) ? readMissing(error) : [])
  }
}

/** The keys that one claim may take. Fails: with a {@link CommandFailure} where there are more. */
const readKeys = async (given: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const keys: Array<string> = []
  for await (const key of listKeys(given)) {
    if (keys.push(key) > limits.filesPerCall) {
      throw new CommandFailure(
        `At most ${limits.filesPerCall} files can be claimed together, because it is all of them or none. Nothing was claimed: claim them in parts.`,
      )
    }
  }
  return keys
}

const count = (files: number): string => `${files} ${files === 1 ? "file" : "files"}`

/** `sluice claim`. */
export const runClaim = async (
  command: Command,
  given: ReadonlyArray<string>,
  options: ClaimCommandOptions,
): Promise<void> => {
  const connection = await readConnection(command)
  const { signal, exitCode } = watchInterruption()
  signal.addEventListener("abort", () => process.stdin.destroy())
  let keys: ReadonlyArray<string>
  try {
    keys = await readKeys(given)
  } catch (error) {
    if (!signal.aborted) throw error
    process.exitCode = exitCode()
    return
  }
  const result = await claim(connection, keys, options, signal)
  const { claimed, replacedCount, missing, error } = result
  if (error !== null) process.exitCode = exitCode() ?? exitCodes.failed
  if (options.json) return console.log(JSON.stringify(result))
  if (error !== null) {
    const others = [options.owner !== undefined && "owner", options.slug !== undefined && "file route"].filter(Boolean)
    const whose = others.length === 0 ? "" : `, or of another ${others.join(" or ")}`
    for (const key of missing) {
      printNotice("error", `sluice: ${key}: It is not there: deleted, too late, or never begun${whose}.`, "text")
    }
    // The ingest's own sentence only says how many these are.
    const isSaid = missing.length > 0 && error.code === "NOT_FOUND" && missing.every((key) => canBeKey(key, connection))
    const known = ["NETWORK_ERROR", "ABORTED"].includes(error.code)
      ? "It is not known whether the files are claimed: to claim them again does no harm."
      : "Nothing was claimed."
    printNotice("error", `sluice: ${isSaid ? "" : `${error.message} `}${known}`, "text")
    return
  }
  const replaces = new Set(options.replaces).size
  const replaced = replaces === 0 ? "" : `, and deleted ${replacedCount} of ${replaces} that they replace`
  console.log(`Claimed ${count(claimed.length)}${replaced}.`)
}
