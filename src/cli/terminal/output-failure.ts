import type { LogFormat } from "../../protocol.ts"
import { describeSystemError, exitCodes, isSystemError } from "../command-failure.ts"
import { formatNotice } from "./print-notice.ts"

const streams = [
  ["standard output", process.stdout, process.stderr],
  ["standard error", process.stderr, process.stdout],
] as const

/** Whether the command outlives its output: what it is for is not what it prints. */
let isLasting = false

/**
 * Prints one sentence where standard output or standard error cannot be written (a disk that is full, a terminal that is gone), and
 * lets the command end with 1. It runs to its end all the same: a change is never left half done. That nobody reads the
 * output any more (`sluice --help | head`) is no failure.
 */
export const watchOutput = (): void => {
  let hasFailed = false
  for (const [name, stream, other] of streams) {
    stream.on("error", (error) => {
      if (isLasting || hasFailed || isSystemError(error, "EPIPE")) return
      hasFailed = true
      process.once("exit", () => {
        process.exitCode ||= exitCodes.failed
      })
      other.write(
        `sluice: Something is not printed, because ${name} cannot be written: ${describeSystemError(error)}.\n`,
      )
    })
  }
}

/** Counts what a stream cannot take, and says so on it with the first line that it takes again. */
const countLost = (stream: NodeJS.WriteStream, format: LogFormat | undefined): void => {
  const write: (
    text: Uint8Array | string,
    encoding: BufferEncoding | undefined,
    done: (error?: Error | null) => void,
  ) => boolean = stream.write.bind(stream)
  let lost = 0
  let reason = ""
  const settle = (error: Error | null | undefined, lines: number): void => {
    if (error) {
      // A reader that has left is not told what it missed.
      if (isSystemError(error, "EPIPE")) return
      lost += lines
      // What follows in the same turn fails because the stream has failed, and says no more than that.
      if ("syscall" in error) reason = describeSystemError(error)
    } else if (lost > 0) {
      const count = lost
      lost = 0
      const text = `${count === 1 ? "A line before this one is" : `${count} lines before this one are`} lost: the log could not be written${reason === "" ? "" : `, ${reason}`}.`
      write(`${formatNotice("warning", text, format)}\n`, undefined, (again) => settle(again, again ? count : 0))
    }
  }
  stream.write = (
    text: Uint8Array | string,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    const [of, then] = typeof encoding === "function" ? [undefined, encoding] : [encoding, done]
    return write(text, of, (error) => {
      settle(error, 1)
      then?.(error)
    })
  }
}

/** From now on the command goes on whatever becomes of its output: its work is worth more than its log. */
export const outliveOutput = (format: LogFormat | undefined): void => {
  isLasting = true
  for (const [, stream] of streams) countLost(stream, format)
}
