import { stat } from "node:fs/promises"
import type { ListedFile } from "../../api.ts"
import type { AppConnection } from "./app-connection.ts"
import type { PutOptions } from "./put-options.ts"
import type { PutSource } from "./put-source.ts"

/** What has arrived, and is to stay as far as is known. */
const arrived: ReadonlySet<ListedFile["status"]> = new Set(["Uploaded", "Pending", "Held"])

/** Finds the file that is stored already of a source. */
export type FindStored = (source: PutSource) => Promise<ListedFile | undefined>

/**
 * Asks which files are stored under the paths that are meant. A file is taken to be stored where one with its path has its
 * size, however old that is: its bytes are not compared.
 *
 * Fails: as `listFiles` does.
 */
export const findStoredPaths = async (
  { api }: AppConnection,
  { owner, path, prefix }: PutOptions,
  signal: AbortSignal,
): Promise<FindStored> => {
  const way = path ?? prefix
  const selection = { ...(owner !== undefined && { owner }), ...(way !== undefined && { prefix: way }) }
  const stored = new Map<string, ListedFile>()
  const toId = (storedPath: string, size: number): string => `${size} ${storedPath}`
  for await (const file of api.listFiles({ ...selection, limit: 1000, signal })) {
    if (file.path !== null && arrived.has(file.status)) stored.set(toId(file.path, file.size), file)
  }
  return async ({ path: source, storedPath, failure }) => {
    if (failure !== undefined || storedPath === undefined || source === "-") return undefined
    const size = (await stat(source).catch(() => undefined))?.size
    return size === undefined ? undefined : stored.get(toId(storedPath, size))
  }
}
