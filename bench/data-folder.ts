import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"

/**
 * Runs a bench with a folder for its data, on the disk this repository is on, and removes it afterwards. Files are kept
 * until then: where many were just deleted, making new ones is slow.
 */
export const withDataFolder = async <A>(name: string, run: (folder: string) => Promise<A>): Promise<A> => {
  const parent = join(import.meta.dirname, ".data")
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, `${name}-`))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
