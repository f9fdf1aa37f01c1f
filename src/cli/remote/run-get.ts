import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Command } from "commander"
import { UploadError } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable } from "../terminal/printable.ts"
import { createProgress } from "../terminal/progress.ts"
import { type AppConnection, readConnection } from "./app-connection.ts"
import { download } from "./download.ts"
import { toCommandFailure } from "./failure.ts"
import type { GetOptions } from "./get-options.ts"
import { watchInterruption } from "./interruption.ts"
import { createOutputSink } from "./output-sink.ts"
import { openPartFile, requireTarget } from "./part-file.ts"
import { findFile, readFile, type RemoteVersion } from "./remote-file.ts"
import { toSafeName } from "./safe-name.ts"
import type { Sink } from "./sink.ts"

/** A file as the ingest has it before it is downloaded. */
interface Found {
  readonly key: string
  readonly version: RemoteVersion
}

const find = async (
  connection: AppConnection,
  id: string,
  options: GetOptions,
  signal: AbortSignal,
): Promise<Found> => {
  const { key, url } = await findFile(connection, id, options, signal).catch((error: unknown) => {
    if (options.held || !UploadError.is(error) || error.code !== "NOT_FOUND") throw error
    throw new CommandFailure("There is no such file. One that waits for a verdict is taken with --held.")
  })
  const { version } = await readFile(url, "HEAD", { offset: 0 }, signal)
  if (version.sha256 !== undefined || !options.verify) return { key, version }
  throw unverifiable()
}

const unverifiable = (): CommandFailure =>
  new CommandFailure(
    "The ingest does not say the SHA-256 of this file: it keeps none, is older than this command, or a proxy removes the header repr-digest. To take the file without a comparison: --no-verify",
  )

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false

/** Where a file goes: to the given path, or under its own name, made safe, into the given folder or this one. */
const toTarget = async ({ out }: GetOptions, { key, version }: Found): Promise<string> => {
  const name = toSafeName(version.name, toSafeName(key, "file"))
  if (out === undefined) return name
  return (await isFolder(out)) ? join(out, name) : out
}

/** Downloads what the sink does not have, with a bar, and compares the whole. */
const fill = async (
  connection: AppConnection,
  { key, version }: Found,
  options: GetOptions,
  sink: Sink,
  signal: AbortSignal,
): Promise<RemoteVersion & { readonly resumedAt: number }> => {
  let resumedAt = sink.offset()
  let current = version
  for (;;) {
    const progress = createProgress("Downloading", current.size)
    progress.advance(resumedAt)
    try {
      const done = await download(connection, key, options, current, sink, progress.advance, signal)
      if (done.isAnew) resumedAt = 0
      current = done.version
    } finally {
      progress.end()
    }
    const { sha256 } = current
    const arrived = sink.digest()
    if (sha256 === undefined && options.verify) {
      await sink.discard()
      throw unverifiable()
    }
    if (sha256 === undefined || sha256 === arrived) return { ...current, resumedAt }
    if (resumedAt === 0) {
      await sink.discard()
      throw new CommandFailure(
        `What arrived of ${key} is not what is stored: its SHA-256 is ${arrived}, the ingest says ${sha256}. Try again; where that does not help, \`sluice files verify\` tells whether the stored file is damaged.`,
      )
    }
    printNotice("warning", "sluice: What an earlier download had left was damaged. Downloading all of it.", "text")
    await sink.restart(current)
    resumedAt = 0
  }
}

/** `sluice get`. */
export const runGet = async (command: Command, id: string, options: GetOptions): Promise<void> => {
  const connection = await readConnection(command)
  const { signal, exitCode } = watchInterruption()
  const isForced = options.force === true
  try {
    if (options.out === "-") {
      await fill(connection, await find(connection, id, options, signal), options, createOutputSink(), signal)
      return
    }
    // Where it is known before: nobody has to wait for an answer to hear that the file is there.
    if (options.out !== undefined && !(await isFolder(options.out))) await requireTarget(options.out, isForced)
    const found = await find(connection, id, options, signal)
    const target = await toTarget(options, found)
    await requireTarget(target, isForced)
    const part = await openPartFile(target, found.version, isForced)
    try {
      const { size, sha256, name, resumedAt } = await fill(connection, found, options, part, signal)
      await part.commit()
      const verified = sha256 !== undefined
      const { key } = found
      const answer = { key, name, path: target, size, fileHash: part.digest(), verified, resumedAt }
      console.log(options.json ? JSON.stringify(answer) : toPrintable(target))
      if (!verified) printNotice("warning", "sluice: The ingest does not say its SHA-256: it was not compared.", "text")
    } catch (error) {
      await part.close().catch(() => {})
      const isKept = (await stat(part.path).catch(() => undefined)) !== undefined
      if (isKept && part.offset() > 0) {
        printNotice(
          "warning",
          `sluice: ${part.offset()} bytes are in ${part.path}; the same command resumes it.`,
          "text",
        )
      }
      throw error
    }
  } catch (error) {
    if (!signal.aborted) throw UploadError.is(error) ? toCommandFailure(error) : error
    process.exitCode = exitCode()
  }
}
