import { createHash } from "node:crypto"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import type { Sink } from "./sink.ts"

/** Standard output, written no faster than it is read. What was written is beyond recall. */
export const createOutputSink = (output: NodeJS.WritableStream = process.stdout): Sink => {
  const hash = createHash("sha256")
  let offset = 0
  return {
    offset: () => offset,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        hash.update(bytes)
        offset += bytes.length
        output.write(bytes, (error) => {
          if (!error) return resolve()
          const reason = isSystemError(error, "EPIPE") ? "nobody reads it any more" : describeSystemError(error)
          reject(new CommandFailure(`Standard output cannot be written: ${reason}.`))
        })
      }),
    restart: async () => {
      if (offset === 0) return
      throw new CommandFailure(
        "The file was changed while it was read, and standard output has a part of the old one already. Throw that away, and try again.",
      )
    },
    digest: () => hash.copy().digest("hex"),
    discard: async () => {},
  }
}
