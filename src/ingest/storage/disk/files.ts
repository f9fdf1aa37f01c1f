import { renameFile } from "./rename-file.ts"
import { BlobStoreError } from "../blob-store.ts"
import { flushFolder } from "./flush-folder.ts"
import { toNoFile } from "./open-file.ts"
import { makeFolder } from "./make-folder.ts"

/** The code of a system error: `ENOENT` and the like. */
export const codeOf = (cause: unknown): string | undefined => (cause as { code?: string } | undefined)?.code

/** The names of a disk store's files: where a blob is, and who may write it. */
export interface DiskFiles {
  /** Where the finished blob is; while unfinished, its name ends in `.<epoch>`. */
  readonly pathOf: (key: string) => string
  /**
   * Makes the root where there has never been one. One that was there is not made again: somebody has removed or unmounted it, and
   * what would be stored in a new one is not where the rest is.
   *
   * Fails: throws a {@link BlobStoreError} `io` then, and the system's error where it cannot be made.
   */
  readonly requireRoot: () => void
  /** Makes the folder of a path, durably, once; its root too, as `requireRoot` does. */
  readonly makeShard: (path: string) => Promise<void>
  /** The folder of a path is gone: the next `makeShard` makes it again. */
  readonly forgetShard: (path: string) => void
  /** Makes changed names in the folder of a path durable. */
  readonly syncShard: (path: string) => Promise<void>
  /** Bytes of a file; undefined when there is none. Fails: throws where something else is in its place. */
  readonly sizeOf: (path: string) => Promise<number | undefined>
  /** Whether there is such a file; checked synchronously, which takes a hundredth of the time of a thread. */
  readonly exists: (path: string) => boolean
  /** The epochs for which an unfinished file exists; more than one only after a crash inside `claim`. */
  readonly listEpochs: (path: string) => Promise<ReadonlyArray<number>>
  /**
   * Renames the unfinished file to this epoch; false when there is none.
   *
   * @param before the epoch it probably has
   */
  readonly takeOver: (path: string, epoch: number, before: number) => Promise<boolean>
}

/** Node, Bun and Deno. */
export const createDiskFiles = (folder: string): DiskFiles => {
  const fs = process.getBuiltinModule("node:fs/promises")
  const { existsSync, statSync } = process.getBuiltinModule("node:fs")
  const { join, dirname, basename } = process.getBuiltinModule("node:path")
  const { hash } = process.getBuiltinModule("node:crypto")
  const shards = new Map<string, Promise<void>>()

  /**
   * The device of the root. Not its number too, which some file systems change while nobody has it open; a folder that somebody has put
   * in its place, on the same device, keeps what is stored in it.
   */
  const findDevice = (): bigint | undefined => {
    const root = statSync(folder, { bigint: true, throwIfNoEntry: false })
    return root?.isDirectory() ? root.dev : undefined
  }
  let device: bigint | undefined
  try {
    device = findDevice()
  } catch {
    // Whoever needs it is told why it cannot be used.
  }

  const requireRoot = (): void => {
    if (device === undefined) {
      makeFolder(folder)
      device = findDevice()
    } else if (findDevice() !== device) {
      throw new BlobStoreError(
        "io",
        `The folder ${folder} was removed, moved or unmounted while it is in use. Put it back as it was, or restart the ingest.`,
      )
    }
  }

  const makeOne = async (shard: string): Promise<void> => {
    await fs.mkdir(shard, { mode: 0o700 }).catch((cause: unknown) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
    // Even for a folder that exists: the process that made it may have died, or failed, before its name was durable.
    await flushFolder(folder)
  }

  const listEpochs: DiskFiles["listEpochs"] = async (path) => {
    const prefix = `${basename(path)}.`
    const names = await fs.readdir(dirname(path)).catch((cause: unknown) => {
      if (codeOf(cause) === "ENOENT") return []
      throw cause
    })
    return names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)))
  }

  return {
    pathOf: (key) => {
      const name = hash("sha256", key)
      return join(folder, name.slice(0, 2), name.slice(2))
    },
    requireRoot,
    makeShard: async (path) => {
      requireRoot()
      const shard = dirname(path)
      let made = shards.get(shard)
      if (made === undefined) {
        made = makeOne(shard)
        made.catch(() => shards.delete(shard))
        shards.set(shard, made)
      }
      return made
    },
    forgetShard: (path) => void shards.delete(dirname(path)),
    syncShard: (path) => flushFolder(dirname(path)),
    sizeOf: async (path) => {
      try {
        const found = await fs.lstat(path)
        if (!found.isFile()) throw toNoFile(path)
        return found.size
      } catch (cause) {
        if (codeOf(cause) === "ENOENT") return undefined
        throw cause
      }
    },
    exists: existsSync,
    listEpochs,
    takeOver: async (path, epoch, before) => {
      const target = `${path}.${epoch}`
      // The usual case needs no listing.
      for (const guess of new Set([before, epoch])) {
        try {
          await renameFile(`${path}.${guess}`, target)
          return true
        } catch (cause) {
          if (codeOf(cause) !== "ENOENT") throw cause
        }
      }
      const found = Math.max(0, ...(await listEpochs(path)))
      if (found === 0) return false
      if (found > epoch) throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${found}.`)
      await renameFile(`${path}.${found}`, target)
      return true
    },
  }
}
