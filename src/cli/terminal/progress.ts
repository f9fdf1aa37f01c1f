import { formatByteSize } from "../../protocol.ts"

/** A progress bar; silent where there is no terminal. */
export interface Progress {
  /** This many more bytes are done. */
  readonly advance: (bytes: number) => void
  /** Removes the bar. */
  readonly end: () => void
}

const width = 30

/** ms between two updates. */
const pace = 100

/**
 * Starts a bar of `total` bytes; where nobody knows how many there will be, it says how many are done.
 *
 * @param format words what is counted, where that is no bytes
 */
export const createProgress = (
  label: string,
  total: number | undefined,
  terminal: Pick<typeof process.stderr, "isTTY" | "write"> = process.stderr,
  format: (count: number) => string = formatByteSize,
): Progress => {
  if (!terminal.isTTY) return { advance: () => {}, end: () => {} }
  let done = 0
  let drawnAt = 0
  return {
    advance: (bytes) => {
      done += bytes
      if (Date.now() - drawnAt < pace) return
      drawnAt = Date.now()
      if (total === undefined) return void terminal.write(`\r\x1b[K${label} ${format(done)}`)
      const share = total === 0 ? 1 : Math.min(done / total, 1)
      const filled = Math.round(share * width)
      const bar = "█".repeat(filled) + "░".repeat(width - filled)
      terminal.write(`\r\x1b[K${label} ${bar} ${Math.floor(share * 100)}% of ${format(total)}`)
    },
    end: () => void terminal.write("\r\x1b[K"),
  }
}
