import type { Command } from "commander"
import type { StoredFile, UploadableFile } from "../../api.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable } from "../terminal/printable.ts"
import { createProgress, type Progress } from "../terminal/progress.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { type Failure, toFailure } from "./failure.ts"
import { withHash } from "./hashed-file.ts"
import { type Interruption, watchInterruption } from "./interruption.ts"
import { type PutOptions, toDetails } from "./put-options.ts"
import { openPath, sumSizes } from "./put-source.ts"
import { type SpooledInput, spoolInput } from "./spool-input.ts"

/** Seconds of patience with an ingest that is being started again: the waits are 0.5 s and twice as long each time. */
const retry = { attempts: 6 }

/** How the upload of one path ended. */
type PutResult =
  | { readonly file: StoredFile; readonly verified: boolean; readonly error: null }
  | { readonly file: null; readonly verified: false; readonly error: Failure }

/** The fields of a file that is not stored, for JSON. */
const nothing: Record<keyof StoredFile, null> = {
  key: null,
  name: null,
  size: null,
  type: null,
  customId: null,
  url: null,
  fileHash: null,
  uploadedAt: null,
}

const failed = (error: Failure): PutResult => ({ file: null, verified: false, error })

/** Uploads one file, and compares what the ingest says that it has stored. */
const upload = async (
  { api }: AppConnection,
  source: UploadableFile,
  options: PutOptions,
  { signal }: Interruption,
  onBytes: (count: number) => void,
): Promise<PutResult> => {
  const { file, digest } = withHash(source)
  const { name, size, type, lastModified, slice } = file
  const { data, error } = await api.uploadFiles(
    { name, size, type, lastModified, slice, ...toDetails(options) },
    { retry, signal, onUploadProgress: ({ delta }) => onBytes(delta) },
  )
  if (error !== null) return failed(toFailure(error))
  const sent = await digest()
  const verified = data.fileHash === sent
  if (data.size === size && (verified || data.fileHash === "")) return { file: data, verified, error: null }
  const message = `The ingest has stored it under the key ${data.key} with ${data.size} bytes and the SHA-256 ${data.fileHash}; sent were ${size} bytes with ${sent}. Delete it with \`sluice rm ${data.key}\`, and try again.`
  return failed({ code: "DIGEST_MISMATCH", message })
}

/** Prints results in the order of the paths, each as soon as those before it are there. */
const createPrinter = (paths: ReadonlyArray<string>, { json }: PutOptions, progress: Progress) => {
  const results: Array<PutResult | undefined> = paths.map(() => undefined)
  let printed = 0
  const print = (path: string, { file, verified, error }: PutResult): void => {
    if (json) {
      return console.log(JSON.stringify({ path, ...(file ?? nothing), verified, error }))
    }
    if (file === null) {
      if (error.code !== "ABORTED") printNotice("error", `sluice: ${path}: ${error.message}`, "text")
      return
    }
    console.log(`${file.key}  ${toPrintable(file.url)}  ${toPrintable(path)}`)
    if (!verified) {
      printNotice("warning", `sluice: ${path}: The ingest keeps no hashes, so nothing was compared.`, "text")
    }
  }
  return {
    add: (index: number, result: PutResult): void => {
      results[index] = result
      progress.end()
      for (let next; (next = results[printed]) !== undefined; printed++) print(paths[printed]!, next)
    },
    countStored: () => results.filter((result) => result?.error === null).length,
  }
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
  const total = (await sumSizes(paths.filter((path) => path !== "-"))) + (input?.file.size ?? 0)
  const progress = createProgress("Uploading", total)
  const printer = createPrinter(paths, options, progress)

  const put = async (path: string): Promise<PutResult> => {
    if (path === "-" && inputFailure !== undefined) return failed(inputFailure)
    try {
      const source = path === "-" ? input!.file : await openPath(path, options)
      return await upload(connection, source, options, interruption, progress.advance)
    } catch (error) {
      return failed(toFailure(error))
    }
  }
  let next = 0
  const work = async (): Promise<void> => {
    for (let index; (index = next++) < paths.length;) printer.add(index, await put(paths[index]!))
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, paths.length) }, work))
  progress.end()
  await input?.close()

  const stored = printer.countStored()
  if (stored < paths.length) {
    process.exitCode = exitCode() ?? exitCodes.failed
    if (!options.json && (paths.length > 1 || signal.aborted)) {
      const how = signal.aborted ? "Interrupted: " : ""
      printNotice("error", `sluice: ${how}${stored} of ${paths.length} files were uploaded.`, "text")
    }
  }
}
