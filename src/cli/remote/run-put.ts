import type { Command } from "commander"
import type { ListedFile, StoredFile, UploadableFile } from "../../api.ts"
import { parseDuration } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { formatMoment } from "../terminal/moment.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable } from "../terminal/printable.ts"
import { createProgress, type Progress } from "../terminal/progress.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { withHash } from "./hashed-file.ts"
import { type Interruption, watchInterruption } from "./interruption.ts"
import { type PutOptions, toDetails } from "./put-options.ts"
import { findSources, openPath, type PutSource, type PutSources, sumSizes } from "./put-source.ts"
import { type SpooledInput, spoolInput } from "./spool-input.ts"
import { findStoredPaths } from "./stored-paths.ts"

/** Seconds of patience with an ingest that is being started again: the waits are 0.5 s and twice as long each time. */
const retry = { attempts: 6 }

/** A file that is stored, and what becomes of it. */
interface PutFile extends StoredFile {
  readonly status: "Uploaded" | "Pending" | "Held"
  /** Until when it has to be claimed, ms since the epoch; null where it need not be, and while it is held. */
  readonly claimBy: number | null
  /** Where it is filed; null where nobody said. */
  readonly storedPath: string | null
}

/** How the upload of one path ended. */
type PutResult =
  | { readonly file: PutFile; readonly verified: boolean; readonly error: null }
  | { readonly file: null; readonly verified: false; readonly error: Failure }
  /** It was stored before. */
  | { readonly file: ListedFile; readonly verified: false; readonly error: null; readonly isSkipped: true }

/** The fields of a file that is not stored, for JSON. */
const nothing: Record<keyof PutFile, null> = {
  key: null,
  name: null,
  size: null,
  type: null,
  customId: null,
  url: null,
  fileHash: null,
  uploadedAt: null,
  status: null,
  claimBy: null,
  storedPath: null,
}

/** What the ingest does not say of it, because it was told. */
const toPutFile = (file: StoredFile, storedPath: string | undefined, { claim, hold }: PutOptions): PutFile => {
  const filed = { ...file, storedPath: storedPath ?? null }
  // The time to claim it begins with its release.
  if (hold) return { ...filed, status: "Held", claimBy: null }
  const span = claim === undefined ? undefined : parseDuration(claim)
  const claimBy = span?.ok ? file.uploadedAt + span.value : null
  return { ...filed, status: claimBy === null ? "Uploaded" : "Pending", claimBy }
}

const failed = (error: Failure): PutResult => ({ file: null, verified: false, error })

/** What is known of a file that was stored before. */
const toSkipped = ({ key, name, size, type, customId, uploadedAt, status, claimBy, path }: ListedFile) => ({
  ...nothing,
  ...{ key, name, size, type, customId, uploadedAt, status, claimBy, storedPath: path },
})

/** Uploads one file, and compares what the ingest says that it has stored. */
const upload = async (
  { api }: AppConnection,
  source: UploadableFile,
  storedPath: string | undefined,
  options: PutOptions,
  { signal }: Interruption,
  onBytes: (count: number) => void,
): Promise<PutResult> => {
  const { file, digest } = withHash(source)
  const { name, size, type, lastModified, slice } = file
  const { data, error } = await api.uploadFiles(
    { name, size, type, lastModified, slice, ...toDetails(options, storedPath) },
    { retry, signal, onUploadProgress: ({ delta }) => onBytes(delta) },
  )
  if (error !== null) return failed(toFailure(error))
  const sent = await digest()
  const verified = data.fileHash === sent
  if (data.size === size && (verified || data.fileHash === "")) {
    return { file: toPutFile(data, storedPath, options), verified, error: null }
  }
  const message = `The ingest has stored it under the key ${data.key} with ${data.size} bytes and the SHA-256 ${data.fileHash}; sent were ${size} bytes with ${sent}. Delete it with \`sluice rm ${data.key}\`, and try again.`
  return failed({ code: "DIGEST_MISMATCH", message })
}

/** Prints results in the order of the paths, each as soon as those before it are there. */
const createPrinter = (sources: ReadonlyArray<PutSource>, { json }: PutOptions, progress: Progress) => {
  const results: Array<PutResult | undefined> = sources.map(() => undefined)
  let printed = 0
  const print = (path: string, result: PutResult): void => {
    const isSkipped = "isSkipped" in result
    if (json) {
      const said = isSkipped ? toSkipped(result.file) : (result.file ?? nothing)
      return console.log(JSON.stringify({ path, ...said, verified: result.verified, isSkipped, error: result.error }))
    }
    if (isSkipped) return
    const { file, verified, error } = result
    if (file === null) {
      if (error.code !== "ABORTED") printNotice("error", `sluice: ${path}: ${error.message}`, "text")
      return
    }
    console.log(`${toPrintable(file.key)}  ${toPrintable(file.url)}  ${toPrintable(path)}`)
    if (!verified) {
      printNotice("warning", `sluice: ${path}: The ingest keeps no hashes, so nothing was compared.`, "text")
    }
  }
  return {
    add: (index: number, result: PutResult): void => {
      results[index] = result
      progress.end()
      for (let next; (next = results[printed]) !== undefined; printed++) print(sources[printed]!.path, next)
    },
    listStored: () =>
      results.flatMap((result) => (result === undefined || "isSkipped" in result ? [] : (result.file ?? []))),
    countSkipped: () => results.filter((result) => result !== undefined && "isSkipped" in result).length,
  }
}

/** Says what a folder has that was not uploaded. It is no failure, and so nothing of `--json`. */
const printLeftOut = ({ leftOut, empty }: PutSources): void => {
  for (const [folder, { hidden, links, others }] of leftOut) {
    const parts = [
      hidden > 0 && `${hidden} hidden`,
      links > 0 && `${links} symbolic ${links === 1 ? "link" : "links"}`,
      others > 0 && `${others} that ${others === 1 ? "is" : "are"} no regular file`,
    ].filter((part) => part !== false)
    if (parts.length === 0 && !empty.includes(folder)) continue
    const none = empty.includes(folder) ? "There is no file in it to upload. " : ""
    const rest = parts.length === 0 ? "" : `Left out: ${parts.join(", ")}. What you name yourself is uploaded.`
    printNotice("warning", `sluice: ${folder}: ${none}${rest}`.trimEnd(), "text")
  }
}

/** Says once that files wait to be claimed, and what is to be known of that. */
const printPending = (stored: ReadonlyArray<PutFile>): void => {
  const pending = stored.filter(({ claimBy }) => claimBy !== null)
  if (pending.length === 0) return
  const first = formatMoment(Math.min(...pending.map(({ claimBy }) => claimBy!)))
  const text =
    pending.length === 1
      ? `The file is pending: unless it is claimed by ${first} it is deleted (\`sluice claim ${pending[0]!.key}\`). Until then its URL needs a signature.`
      : `${pending.length} files are pending: those that nobody claims are deleted, the first at ${first} (\`sluice claim <key…>\`). Until then their URLs need a signature.`
  printNotice("warning", `sluice: ${text}`, "text")
}

/** Says once that files are held, and how that ends. */
const printHeld = (stored: ReadonlyArray<PutFile>): void => {
  if (stored.length === 0) return
  const text =
    stored.length === 1
      ? `The file is held: nobody reads it until it is released (\`sluice release ${stored[0]!.key}\`) or rejected.`
      : `${stored.length} files are held: nobody reads them until they are released (\`sluice release <key…>\`) or rejected.`
  printNotice("warning", `sluice: ${text}`, "text")
}

/** Keeps standard input on the disk, with its progress. */
const spool = async (options: PutOptions, { signal }: Interruption): Promise<SpooledInput> => {
  const progress = createProgress("Reading", undefined)
  const stop = () => process.stdin.destroy(new Error("It was interrupted."))
  signal.addEventListener("abort", stop)
  try {
    return await spoolInput(process.stdin, { name: options.name ?? "stdin", type: options.type }, progress.advance)
  } finally {
    signal.removeEventListener("abort", stop)
    progress.end()
  }
}

/** Fails: with a {@link CommandFailure}, where the ingest does not say. */
const askStored = async (connection: AppConnection, options: PutOptions, { signal }: Interruption) => {
  try {
    return await findStoredPaths(connection, options, signal)
  } catch (error) {
    // Then no file is uploaded either, and that is said as ever.
    if (signal.aborted) return async () => undefined
    throw new CommandFailure(`What is stored cannot be listed, and nothing was uploaded. ${toFailure(error).message}`)
  }
}

/** `sluice put`. */
export const runPut = async (command: Command, paths: ReadonlyArray<string>, options: PutOptions): Promise<void> => {
  const connection = await readConnection(command)
  const interruption = watchInterruption()
  const { signal, exitCode } = interruption
  let input: SpooledInput | undefined
  let inputFailure: Failure | undefined
  try {
    if (paths.includes("-")) input = await spool(options, interruption)
  } catch (error) {
    if (!signal.aborted && !(error instanceof CommandFailure)) throw error
    inputFailure = { code: signal.aborted ? "ABORTED" : "INTERNAL_ERROR", message: (error as Error).message }
  }
  const found = await findSources(paths, options)
  const { sources } = found
  const total = (await sumSizes(sources)) + (input?.file.size ?? 0)
  const progress = createProgress("Uploading", total)
  const printer = createPrinter(sources, options, progress)

  const findStored = options.skipStored ? await askStored(connection, options, interruption) : undefined

  const put = async (asked: PutSource): Promise<PutResult> => {
    const { path, storedPath, failure } = asked
    const before = await findStored?.(asked)
    if (before !== undefined) return { file: before, verified: false, error: null, isSkipped: true }
    if (failure !== undefined) return failed(failure)
    if (path === "-" && inputFailure !== undefined) return failed(inputFailure)
    try {
      const source = path === "-" ? input!.file : await openPath(path, options)
      return await upload(connection, source, storedPath, options, interruption, progress.advance)
    } catch (error) {
      return failed(toFailure(error))
    }
  }
  let next = 0
  const work = async (): Promise<void> => {
    for (let index; (index = next++) < sources.length;) printer.add(index, await put(sources[index]!))
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, sources.length) }, work))
  progress.end()
  await input?.close()

  const [stored, skipped] = [printer.listStored(), printer.countSkipped()]
  printLeftOut(found)
  if (!options.json && options.hold) printHeld(stored)
  else if (!options.json) printPending(stored)
  if (skipped > 0 && !options.json) {
    const what = skipped === 1 ? "1 file was" : `${skipped} files were`
    printNotice("info", `sluice: ${what} stored already, and left out.`, "text")
  }
  if (stored.length + skipped < sources.length) {
    process.exitCode = exitCode() ?? exitCodes.failed
    if (!options.json && (sources.length > 1 || signal.aborted)) {
      const how = signal.aborted ? "Interrupted: " : ""
      printNotice("error", `sluice: ${how}${stored.length} of ${sources.length - skipped} files were uploaded.`, "text")
    }
  }
}
