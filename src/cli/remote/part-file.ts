import { createHash, type Hash } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, rm, stat, writeFile } from "node:fs/promises"
import { renameFile } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { giveName } from "../give-name.ts"
import { readRegularFile } from "../regular-file.ts"
import type { RemoteVersion } from "./remote-file.ts"
import type { Sink } from "./sink.ts"

/** A file that is being downloaded, beside the one that it becomes. */
export interface PartFile extends Sink {
  readonly path: string
  /** Gives it its name, in one step. Fails: with a {@link CommandFailure} where another file has that by now. */
  readonly commit: () => Promise<void>
  /** Leaves it for the next time. */
  readonly close: () => Promise<void>
}

type KnownVersion = Pick<RemoteVersion, "etag" | "size" | "sha256">

/** Undefined on Windows, where they count as no bits, and ordinary users cannot make links. */
const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants

/** What an earlier run has noted of its part; undefined where it is no note. */
const readNote = async (path: string): Promise<KnownVersion | undefined> => {
  try {
    const { etag, size, sha256 }: Record<string, unknown> = JSON.parse(await readRegularFile(path, { limit: 4096 }))
    if (typeof etag !== "string" || !/^"[\x21\x23-\x7e]{1,200}"$/.test(etag)) return undefined
    if (!Number.isSafeInteger(size)) return undefined
    return { etag, size: size as number, sha256: typeof sha256 === "string" ? sha256 : undefined }
  } catch {
    return undefined
  }
}

/** Whether a part of one is a part of the other. A file that was renamed has another tag, and the same bytes. */
const isSame = (one: KnownVersion, { etag, size, sha256 }: KnownVersion): boolean =>
  one.size === size && (one.etag === etag || (sha256 !== undefined && one.sha256 === sha256))

/**
 * Whether nobody else can change a file once it was compared: it is this user's, has one name, and not everybody may
 * write it. Windows tells neither owner nor mode: there every file that may be written has 0666.
 */
const isOursAlone = ({ uid, nlink, mode }: Stats): boolean =>
  nlink === 1 && (process.getuid === undefined || (uid === process.getuid() && (mode & 0o002) === 0))

/** Bytes read from the disk at a time. */
const pieceSize = 1024 * 1024

/** Hashes what is there, and says how much that is. */
const hashFile = async (handle: FileHandle, hash: Hash): Promise<number> => {
  const buffer = Buffer.allocUnsafe(pieceSize)
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, pieceSize, at)
    if (bytesRead === 0) return at
    hash.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

/**
 * Fails: with a {@link CommandFailure} where a download must not go to this path: it is there and is not to be
 *        replaced, or is no regular file.
 */
export const requireTarget = async (target: string, isForced: boolean): Promise<void> => {
  if ((await lstat(target).catch(() => undefined)) === undefined) return
  if (!isForced) {
    throw new CommandFailure(
      `${target} already exists and was left as it is. Choose another file with -o, or replace it with --force.`,
    )
  }
  if ((await stat(target).catch(() => undefined))?.isFile() === false) {
    throw new CommandFailure(`${target} is not a regular file and was left as it is. Choose another file with -o.`)
  }
}

/**
 * Opens `<target>.part`, with what an earlier run has left there of the same version. What it is part of is noted in
 * `<target>.part.json`.
 *
 * Fails: with a {@link CommandFailure} where it cannot be made, and where a file of that name is none of ours.
 */
export const openPartFile = async (target: string, version: RemoteVersion, isForced: boolean): Promise<PartFile> => {
  const path = `${target}.part`
  const notePath = `${path}.json`
  let hash = createHash("sha256")
  let handle: FileHandle
  let offset = 0

  const fail = (error: unknown): CommandFailure =>
    error instanceof CommandFailure
      ? error
      : new CommandFailure(`${path} cannot be written: ${describeSystemError(error)}. Choose another file with -o.`)
  const failing = <A>(work: Promise<A>): Promise<A> =>
    work.catch((error: unknown) => {
      throw fail(error)
    })

  const begin = async ({ etag, size, sha256 }: KnownVersion): Promise<void> => {
    // What has the names is removed, never written to: whoever else is writing there goes on with a file without a name.
    for (const old of [path, notePath]) await rm(old, { force: true })
    // First: a part without a note is taken for somebody else's file.
    await writeFile(notePath, JSON.stringify({ etag, size, sha256 }), { flag: "wx" })
    handle = await open(path, "wx")
    hash = createHash("sha256")
    offset = 0
  }

  const resume = async (): Promise<boolean> => {
    const there = await lstat(path).catch(() => undefined)
    if (there === undefined) return false
    const note = await readNote(notePath)
    if ((note === undefined || !there.isFile()) && !isForced) {
      throw new CommandFailure(
        `${path} is in the way: \`sluice get\` has not made it. Choose another file with -o, or replace it with --force.`,
      )
    }
    if (note === undefined || !there.isFile() || !isSame(note, version) || there.size > version.size) return false
    if (!isOursAlone(there)) return false
    handle = await open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
    offset = await hashFile(handle, hash)
    return true
  }

  await failing(
    (async () => {
      if (!(await resume())) await begin(version)
    })(),
  )

  const close = () => handle.close()
  return {
    path,
    offset: () => offset,
    write: (bytes) =>
      failing(
        (async () => {
          hash.update(bytes)
          for (let at = 0; at < bytes.length;) {
            const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, offset)
            at += bytesWritten
            offset += bytesWritten
          }
        })(),
      ),
    restart: (other) =>
      failing(
        (async () => {
          await handle.close()
          await begin(other)
        })(),
      ),
    digest: () => hash.copy().digest("hex"),
    commit: () =>
      failing(
        (async () => {
          await handle.sync()
          const [ours, named] = [await handle.stat(), await lstat(path).catch(() => undefined)]
          await close()
          if (named?.ino !== ours.ino || named.size !== offset) {
            throw new CommandFailure(
              `${path} was changed by somebody else meanwhile. Is another \`sluice get\` running?`,
            )
          }
          if (isForced) await renameFile(path, target)
          else await giveName(path, target)
          await rm(notePath, { force: true })
        })().catch((error: unknown) => {
          if (!isSystemError(error, "EEXIST")) throw error
          throw new CommandFailure(`${target} was made by somebody else meanwhile. The download is in ${path}.`)
        }),
      ),
    close,
    discard: () =>
      failing(
        (async () => {
          await close()
          for (const old of [path, notePath]) await rm(old, { force: true })
        })(),
      ),
  }
}
