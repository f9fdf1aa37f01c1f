import type { Command } from "commander"
import { limits } from "../../protocol.ts"
import { exitCodes } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { canBeKey, listKeys } from "./given-keys.ts"
import { watchInterruption } from "./interruption.ts"

/** The options of `sluice release` and `sluice reject`. */
export interface JudgeOptions {
  readonly reason?: string
  readonly json?: true
}

/** What came of the verdicts. */
interface Judged {
  readonly judged: Array<string>
  /** Keys without a file that is held. */
  readonly notHeld: Array<string>
  /** Keys of which it is not known: a call failed, and those after it were not made. */
  readonly left: Array<string>
  error: Failure | null
}

/** Judges as many files as one call may. */
const judgeSome = async (
  { api, ...connection }: AppConnection,
  verdict: "release" | "reject",
  keys: ReadonlyArray<string>,
  { reason }: JudgeOptions,
  signal: AbortSignal,
): Promise<ReadonlyArray<string>> => {
  const asked = keys.filter((key) => canBeKey(key, connection))
  if (asked.length === 0) return []
  if (verdict === "release") return (await api.releaseFiles(asked, { signal })).releasedKeys
  return (await api.rejectFiles(asked, { signal, ...(reason !== undefined && { reason }) })).rejectedKeys
}

const said = { release: "Released", reject: "Rejected" } as const

/** `sluice release` and `sluice reject`. */
export const runJudge = async (
  command: Command,
  verdict: "release" | "reject",
  given: ReadonlyArray<string>,
  options: JudgeOptions,
): Promise<void> => {
  const connection = await readConnection(command)
  const { signal, exitCode } = watchInterruption()
  signal.addEventListener("abort", () => process.stdin.destroy())
  const found: Judged = { judged: [], notHeld: [], left: [], error: null }
  let some: Array<string> = []
  const flush = async (): Promise<void> => {
    const keys = some
    some = []
    if (found.error !== null) return void found.left.push(...keys)
    try {
      const judged = new Set(await judgeSome(connection, verdict, keys, options, signal))
      for (const key of keys) (judged.has(key) ? found.judged : found.notHeld).push(key)
    } catch (error) {
      found.error = toFailure(error)
      found.left.push(...keys)
    }
  }
  try {
    for await (const key of listKeys(given)) if (some.push(key) === limits.filesPerCall) await flush()
  } catch (error) {
    // Standard input was closed by the interruption.
    if (!signal.aborted) throw error
  }
  if (some.length > 0) await flush()

  const { judged, notHeld, left, error } = found
  if (error !== null || notHeld.length > 0 || signal.aborted) process.exitCode = exitCode() ?? exitCodes.failed
  if (options.json) {
    const names = { release: "released", reject: "rejected" } as const
    return console.log(JSON.stringify({ [names[verdict]]: judged, notHeld, left, error }))
  }
  const count = `${judged.length} ${judged.length === 1 ? "file" : "files"}`
  if (judged.length > 0 || error === null) console.log(`${said[verdict]} ${count}.`)
  for (const key of notHeld) printNotice("error", `sluice: ${key}: No file with this key is held.`, "text")
  if (error !== null) {
    const rest = `It is not known of ${left.length} more: the same command again does no harm.`
    printNotice("error", `sluice: ${error.message} ${rest}`, "text")
  }
}
