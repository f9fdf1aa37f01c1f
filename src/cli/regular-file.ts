import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** The path is a pipe, a device, or a link that must not be followed. The message is the end of a sentence that names it. */
export class NoRegularFile extends Error {
  override readonly name = "NoRegularFile"
}

/** A file is larger than its reader accepts. */
export class LargeFile extends Error {
  override readonly name = "LargeFile"
}

/** How to read a file. */
export interface ReadOptions {
  /** Whether a link may lead to it. */
  readonly follows?: boolean
  /** Bytes. */
  readonly limit?: number
}

/** Undefined on Windows, where they count as no bits: folders there contain no pipes, and ordinary users cannot make links. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** How many bytes are read at a time. */
const step = 64 * 1024

const demandRegular = (stats: Stats): void => {
  if (stats.isFile()) return
  throw new NoRegularFile(
    stats.isDirectory() ? "it is a folder" : "it is not a regular file but a link, a pipe, a device or the like",
  )
}

/**
 * The bytes of a regular file. Reading a pipe could wait for ever, and a device has no end.
 *
 * Fails: with {@link NoRegularFile}, {@link LargeFile}, or the system's error.
 */
export const readRegularBytes = (path: string, { follows = false, limit = Infinity }: ReadOptions = {}): Buffer => {
  // Before it is opened, because opening alone may affect a device.
  demandRegular((follows ? statSync : lstatSync)(path))
  const file = openSync(path, O_RDONLY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW))
  try {
    demandRegular(fstatSync(file))
    const chunks: Array<Buffer> = []
    // The size is not taken from the file system, because files in /proc say 0.
    for (let size = 0; ;) {
      const chunk = Buffer.alloc(Math.min(step, limit + 1 - size))
      const count = readSync(file, chunk)
      if (count === 0) return Buffer.concat(chunks)
      size += count
      if (size > limit) throw new LargeFile(`it is larger than ${limit} bytes`)
      chunks.push(chunk.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
}

/** The text of a regular file, read by {@link readRegularBytes}. */
export const readRegularFile = async (path: string, options?: ReadOptions): Promise<string> =>
  readRegularBytes(path, options).toString()

/** Everything below a folder, with its path; links are not followed. */
export async function* walkFolder(folder: string): AsyncGenerator<readonly [path: string, entry: Dirent]> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    yield [path, entry]
    if (entry.isDirectory()) yield* walkFolder(path)
  }
}

/**
 * Finds anything below a folder that is neither a regular file nor a folder, or belongs to another user; undefined
 * where all is well.
 */
export const findIrregular = async (folder: string, owner?: number): Promise<string | undefined> => {
  for await (const [path, entry] of walkFolder(folder)) {
    if (!entry.isFile() && !entry.isDirectory()) return path
    if (owner !== undefined && (await lstat(path)).uid !== owner) return path
  }
  return undefined
}
