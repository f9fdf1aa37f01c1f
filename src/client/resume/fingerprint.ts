import { createLimit } from "./create-limit.ts"
import type { ResumeEntryOptions } from "./resume-store.ts"

/** How many bytes are read at either end of a file. */
const edge = 64 * 1024

const limited = createLimit()

/**
 * Identifies the upload of a file, in the same way before and after a reload.
 *
 * Shape: hex SHA-256 of where the file goes (handler, slug, input, scope), its name, size and time, and its first and
 *        last 64 KiB.
 * Fails: rejects where the file cannot be read, or not in time, and outside of secure contexts.
 */
export const fingerprint = async (options: ResumeEntryOptions, file: File, scope: string): Promise<string> => {
  const { url, slug, input } = options
  const { name, size, lastModified } = file
  const identity = JSON.stringify([url, slug, input ?? null, scope, name, size, lastModified])
  // For a file shorter than two edges: all of it, once.
  const tail = file.slice(Math.max(edge, size - edge))
  const bytes = await limited(new Blob([identity, file.slice(0, edge), tail]).arrayBuffer())
  const hash = new Uint8Array(await limited(crypto.subtle.digest("SHA-256", bytes)))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
