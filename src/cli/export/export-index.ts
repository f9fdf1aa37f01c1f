import { constants } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { renameFile } from "../../ingest.ts"
import { isSystemError } from "../command-failure.ts"

/** The name of the file that makes a folder an export. */
export const indexName = "files.json"

/** Its name while it is written. No exported file begins with a dot. */
const draftName = ".files.json.part"

/** What an export is of. */
export interface ExportHeader {
  readonly format: 1
  readonly appId: string
  readonly owner: string
  /** The moment that it shows, ms since the epoch. */
  readonly asOf: number
  /** Whether it has ended. */
  readonly isComplete: boolean
}

/** More bytes than the longest first line: an owner has at most 256, an app's id hardly more. */
const longestHeader = 16 * 1024

/** The first line of the file, so that a large one need not be read to know whose it is. */
const toFirstLine = (header: ExportHeader): string => `${JSON.stringify(header).slice(0, -1)},"files":[`

/** What the export in a folder is of; undefined where there is none, null where the file is none of ours. */
export const readIndexHeader = async (folder: string): Promise<ExportHeader | null | undefined> => {
  try {
    // Undefined on Windows, where they count as no bits.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    const handle = await open(join(folder, indexName), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(longestHeader), 0, longestHeader, 0)
      const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n", 1)
      const { format, appId, owner, asOf, isComplete }: Record<string, unknown> = JSON.parse(`${line}]}`)
      const isOurs = format === 1 && typeof appId === "string" && typeof owner === "string"
      return isOurs ? { format, appId, owner, asOf: Number(asOf), isComplete: isComplete === true } : null
    } finally {
      await handle.close()
    }
  } catch (error) {
    return isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR") ? undefined : null
  }
}

/** A `files.json` that is being written, beside the one that it replaces. */
export interface IndexWriter {
  readonly add: (entry: object) => Promise<void>
  /** Puts it in its place, in one step. */
  readonly commit: () => Promise<void>
  /** Leaves what is in its place. */
  readonly close: () => Promise<void>
}

/** Begins to write it: a record a line, so that memory does not grow with them. */
export const openIndex = async (folder: string, header: ExportHeader): Promise<IndexWriter> => {
  const draft = join(folder, draftName)
  // What has the name is removed, never written to: it may be a link.
  await rm(draft, { force: true })
  const handle = await open(draft, "wx", 0o600)
  let isFirst = true
  await handle.writeFile(toFirstLine(header))
  return {
    add: async (entry) => {
      await handle.writeFile(`${isFirst ? "" : ","}\n${JSON.stringify(entry)}`)
      isFirst = false
    },
    commit: async () => {
      await handle.writeFile("\n]}\n")
      await handle.sync()
      await handle.close()
      await renameFile(draft, join(folder, indexName))
    },
    close: async () => {
      await handle.close()
      await rm(draft, { force: true })
    },
  }
}

/** Whether a name in a folder is one that an export has there before it has written anything else. */
export const isDraft = (name: string): boolean => name === draftName || name === partName

/** The file that is being exported, until its bytes were compared. */
export const partName = ".file.part"
