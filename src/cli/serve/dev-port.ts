import { join } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { readKeptToken } from "../deployment/data-folder.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { readNote, writeNote } from "./note.ts"

/** The file of a data folder that holds the port of the project's development ingest, and a newline. */
export const portFile = ({ path }: Pick<DataFolder, "path">): string => join(path, "port")

/** Reads a port from 1 to 65,535. */
const parsePort = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0
  return port > 0 && port <= 65_535 ? port : undefined
}

/** The content of the file; undefined where there is none, or it is invalid. */
export const readPortFile = async (folder: Pick<DataFolder, "path">): Promise<number | undefined> =>
  parsePort(await readNote(portFile(folder)))

/**
 * The port in the URLs of a project's files; undefined where no ingest has run for it. Data folders from before this
 * file existed have it in the URL of their token.
 *
 * Fails: with a {@link CommandFailure} when the token cannot be read.
 */
export const readDevPort = async (folder: DataFolder): Promise<number | undefined> => {
  const kept = await readPortFile(folder)
  if (kept !== undefined) return kept
  const { protocol, hostname, port } = URL.parse((await readKeptToken(folder))?.token.ingestUrl ?? "") ?? {}
  return protocol === "http:" && hostname === "localhost" ? parsePort(port ?? "") : undefined
}

/** Remembers the port. Fails: with a {@link CommandFailure} that names the file. */
export const keepDevPort = async (folder: DataFolder, port: number): Promise<void> => {
  if ((await readPortFile(folder)) === port) return
  try {
    await writeNote(portFile(folder), `${port}`)
  } catch (error) {
    const reason = isSystemError(error, "EISDIR") ? "a folder of that name is in the way" : describeSystemError(error)
    throw new CommandFailure(`The port ${port} cannot be kept in ${portFile(folder)}: ${reason}.`)
  }
}
