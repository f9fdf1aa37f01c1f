import { appendFileSync } from "node:fs"
import { join } from "node:path"

/** Fills the disk of a folder to its last byte. */
export const fillDisk = (folder: string): string => {
  const file = join(folder, "filler")
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(file, new Uint8Array(size))
    } catch {
      // Less may fit.
    }
  }
  return file
}
