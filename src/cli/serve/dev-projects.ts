import { createHash } from "node:crypto"
import { readdir, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { makeFolder } from "../../ingest.ts"
import { names } from "../../protocol.ts"
import { readPortFile } from "./dev-port.ts"
import { readNote, writeNote } from "./note.ts"

/** A project of this user whose ingest has run in development. */
export interface DevProject {
  /** Its data folder. */
  readonly path: string
  /** The port it keeps. */
  readonly port: number
}

/** Where this user's programs keep state that is neither configuration nor cache. Source: the XDG Base Directory Specification. */
const stateFolder = (): string => {
  const given = process.env[process.platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME"]
  return join(given && isAbsolute(given) ? given : join(homedir(), ".local", "state"), names.word, "dev")
}

/** One small file for each project, so that two starts at once do not overwrite each other. */
const entryOf = (path: string): string =>
  join(stateFolder(), createHash("sha256").update(path).digest("hex").slice(0, 16))

/** Other files in that folder are left alone. */
const isEntry = (name: string): boolean => /^[\da-f]{16}$/.test(name)

/**
 * The other projects of this user with the ports that they keep, so that a new one does not take the port of one that
 * is not running now. Entries of deleted projects are removed.
 *
 * @param path the data folder of the current project
 */
export const listOtherProjects = async (path: string): Promise<ReadonlyArray<DevProject>> => {
  const folder = stateFolder()
  const entries = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    entries.filter(isEntry).map(async (entry) => {
      const file = join(folder, entry)
      const other = await readNote(file)
      if (other === path) return []
      const port = isAbsolute(other) ? await readPortFile({ path: other }) : undefined
      if (port !== undefined) return [{ path: other, port }]
      await rm(file, { force: true }).catch(() => {})
      return []
    }),
  )
  return found.flat()
}

/** Makes this project known to other projects of this user. Where that cannot be written, they only see ports that are in use. */
export const noteProject = async (path: string): Promise<void> => {
  try {
    makeFolder(stateFolder())
    await writeNote(entryOf(path), path)
  } catch {
    // A home that is missing or read-only is no reason not to start.
  }
}
