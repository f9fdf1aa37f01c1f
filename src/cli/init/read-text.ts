import { readRegularBytes } from "../regular-file.ts"

/** More than any manifest or hand-written source has. */
const largestText = 1024 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * The bytes of a file of the project, or of the file that a link leads to: the only way in which `sluice init` reads.
 *
 * Fails: as `readRegularBytes` does.
 */
export const readBytes = (path: string, limit: number = largestText): Buffer =>
  readRegularBytes(path, { follows: true, limit })

/** The text of a file that may be edited; undefined where there is none, or it is not UTF-8 and would be damaged. */
export const readText = (path: string, limit?: number): string | undefined => {
  try {
    return utf8.decode(readBytes(path, limit))
  } catch {
    return undefined
  }
}

/** The text of a file that is only searched, whatever its encoding; undefined where there is none. */
export const glance = (path: string): string | undefined => {
  try {
    return readBytes(path).toString()
  } catch {
    return undefined
  }
}
