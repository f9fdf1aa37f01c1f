import { setTimeout } from "node:timers/promises"
import { UploadError } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import type { AppConnection } from "./app-connection.ts"
import type { GetOptions } from "./get-options.ts"
import { findFile, readFile, type RemoteVersion } from "./remote-file.ts"
import type { Sink } from "./sink.ts"

/** Attempts in a row without a byte, and ms before the second one: the waits double. */
const attempts = 6
const firstWait = 500

/** Whether the same request may end better later. */
const mayHelp = (error: unknown): boolean =>
  UploadError.is(error) &&
  (error.code === "NETWORK_ERROR" || error.status === 429 || error.status >= 500) &&
  // What is wrong with the set-up has a status of the app's, 500, and stays wrong.
  error.code !== "INVALID_CONFIG"

/** What a sink has after a download. */
export interface Downloaded {
  readonly version: RemoteVersion
  /** Whether what the sink had before was thrown away. */
  readonly isAnew: boolean
}

/**
 * Writes the rest of a file to a sink, all of it where it is another version than the sink has a part of. Goes on where
 * the bytes end when the connection breaks, for some fifteen seconds without a byte.
 *
 * Fails: rejects with an UploadError, with a {@link CommandFailure} of the sink, or with the reason of the signal.
 */
export const download = async (
  connection: AppConnection,
  key: string,
  options: Pick<GetOptions, "held">,
  version: RemoteVersion,
  sink: Sink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<Downloaded> => {
  let current = version
  let isAnew = false

  const attempt = async (): Promise<void> => {
    // Anew each time: a download may take longer than its URL is valid.
    const { url } = await findFile(connection, key, options, signal)
    const content = await readFile(url, "GET", { offset: sink.offset(), etag: current.etag }, signal)
    const isOther = content.version.etag !== current.etag
    if (isOther || content.start !== sink.offset()) {
      await sink.restart(content.version)
      isAnew = true
      current = isOther ? content.version : current
    }
    const { size } = current
    try {
      for await (const bytes of content.body) {
        if (sink.offset() + bytes.length > size) {
          throw new UploadError({ code: "SIZE_MISMATCH", message: `More than ${size} bytes came.` })
        }
        await sink.write(bytes)
        onBytes(bytes.length)
      }
    } catch (cause) {
      if (UploadError.is(cause) || cause instanceof CommandFailure) throw cause
      throw new UploadError({ code: "NETWORK_ERROR", message: "The connection broke.", cause })
    }
    if (sink.offset() < size) {
      const message = `The connection broke after ${sink.offset()} of ${size} bytes.`
      throw new UploadError({ code: "NETWORK_ERROR", message })
    }
  }

  for (let failures = 0; sink.offset() < current.size;) {
    const before = sink.offset()
    try {
      await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (sink.offset() > before) failures = 0
      if (!mayHelp(error) || ++failures >= attempts) throw error
      await setTimeout(firstWait * 2 ** (failures - 1), undefined, { signal })
    }
  }
  return { version: current, isAnew }
}
