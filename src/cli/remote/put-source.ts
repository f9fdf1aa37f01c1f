import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { fileFromPath, type UploadableFile, UploadError } from "../../client.node.ts"
import type { PutOptions } from "./put-options.ts"

/**
 * The file at a path. It is opened only while it is sent.
 *
 * Fails: rejects with an UploadError where there is none, it is a folder, or it cannot be read.
 */
export const openPath = async (path: string, { name, type }: PutOptions): Promise<UploadableFile> => {
  const full = resolve(path)
  const stats = await stat(full).catch(() => undefined)
  if (stats?.isDirectory()) {
    const message = "It is a folder. Name the files in it: what is stored has no folders."
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  if (stats !== undefined && !stats.isFile()) {
    const message = `It is not a regular file. Give it on standard input: \`sluice put - < …\``
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  return fileFromPath(full, { name, type })
}

/** The bytes of those paths that are files, to measure the progress. */
export const sumSizes = async (paths: ReadonlyArray<string>): Promise<number> => {
  let sum = 0
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined)
    if (stats?.isFile()) sum += stats.size
  }
  return sum
}
