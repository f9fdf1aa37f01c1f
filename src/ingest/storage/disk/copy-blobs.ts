import { renameFile } from "./rename-file.ts"
import { toBlobName } from "../blob-name.ts"
import type { FileRecord } from "../catalog/records.ts"
import type { FileVerdict } from "../verify-file.ts"
import { flushFolder } from "./flush-folder.ts"
import { codeOf, createDiskFiles } from "./files.ts"

/**
 * The outcome of one blob's copy: it was already there, it is a hard link to the same bytes, it was copied, or the
 * source is damaged.
 */
export type BlobCopyOutcome = "kept" | "linked" | "copied" | Exclude<FileVerdict["kind"], "intact">

type Blob = Pick<FileRecord, "id" | "key" | "size" | "fileHash">

/** Copies finished blobs of a disk store into the folder of another one. */
export interface BlobCopier {
  /** Whether the copy exists, judged by its size. */
  readonly has: (blob: Blob) => Promise<boolean>
  /**
   * Copies a blob. A copy is compared with size and SHA-256 while it is made, and gets its name only once all of it is
   * flushed; an existing one, and a link, is compared by size alone.
   */
  readonly take: (blob: Blob) => Promise<BlobCopyOutcome>
  /** Makes the names of what was copied durable. */
  readonly flush: () => Promise<void>
  /** Removes every blob of the copy that is not among these. Returns how many. */
  readonly prune: (blobs: Iterable<Pick<FileRecord, "id" | "key">>) => Promise<number>
}

/** Errors that mean: linking is impossible here, copying is not. */
const cannotLink: ReadonlySet<string | undefined> = new Set([
  "EXDEV",
  "EPERM",
  "EACCES",
  "EMLINK",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EINVAL",
  "ENOENT",
])

const pieceSize = 1024 * 1024

/** Links are not followed and pipes are not waited for: only a regular file is copied as a blob. */
const isNoBlob = (cause: unknown): boolean => ["ENOENT", "ELOOP", "ENXIO"].includes(codeOf(cause) ?? "")

/**
 * Makes the copier for a disk store's blobs, which `sluice backup` and its restore use.
 *
 * @param from the store's folder; unfinished blobs are ignored
 * @param to the folder of the copy, made when missing
 * @param base the folder of an earlier copy: files that it has are linked from there
 * @param mayLink whether blobs of the store itself may be linked; it never writes to one that is finished
 * @param isChecked whether existing copies, and links, are read; damaged ones are replaced
 */
export const createBlobCopier = ({
  from,
  to,
  base,
  mayLink = false,
  isChecked = false,
  onRead = () => {},
}: {
  readonly from: string
  readonly to: string
  readonly base?: string | undefined
  readonly mayLink?: boolean | undefined
  readonly isChecked?: boolean | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
}): BlobCopier => {
  const fs = process.getBuiltinModule("node:fs/promises")
  const { createHash } = process.getBuiltinModule("node:crypto")
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = process.getBuiltinModule("node:fs").constants
  const { join, dirname, basename } = process.getBuiltinModule("node:path")
  const [source, target] = [createDiskFiles(from), createDiskFiles(to)]
  const earlier = base === undefined ? undefined : createDiskFiles(base)
  const touched = new Set<string>()

  /** Where the store has the bytes: a crash can leave a finished blob under the name it had while it was written. */
  const locate = async (
    name: string,
    size: number,
  ): Promise<{ readonly path: string; readonly size: number } | null> => {
    const path = source.pathOf(name)
    const found = await source.sizeOf(path)
    if (found !== undefined) return { path, size: found }
    for (const epoch of await source.listEpochs(path)) {
      if ((await source.sizeOf(`${path}.${epoch}`)) === size) return { path: `${path}.${epoch}`, size }
    }
    return null
  }

  const link = async (path: string, to: string): Promise<boolean> => {
    const part = `${to}.part`
    try {
      await fs.rm(part, { force: true })
      await fs.link(path, part)
    } catch (cause) {
      if (!cannotLink.has(codeOf(cause))) throw cause
      return false
    }
    await renameFile(part, to)
    return true
  }

  /** Fails: with the system's error; ENOENT where there is anything but a regular file. */
  const openBlob = async (path: string) => {
    const handle = await fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    throw Object.assign(new Error(`${path} is not a regular file.`), { code: "ENOENT" })
  }

  const hashOf = async (path: string): Promise<string> => {
    const handle = await openBlob(path)
    try {
      const hash = createHash("sha256")
      for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: pieceSize })) {
        hash.update(piece as Uint8Array)
        onRead((piece as Uint8Array).length)
      }
      return hash.digest("hex")
    } finally {
      await handle.close()
    }
  }

  const copy = async (path: string, to: string, { size, fileHash }: Blob): Promise<BlobCopyOutcome> => {
    const part = `${to}.part`
    const hash = createHash("sha256")
    const reader = await openBlob(path)
    let isWhole = false
    try {
      await fs.rm(part, { force: true })
      const writer = await fs.open(part, "wx", 0o600)
      try {
        const piece = Buffer.allocUnsafeSlow(Math.max(1, Math.min(size + 1, pieceSize)))
        let at = 0
        for (;;) {
          const { bytesRead } = await reader.read(piece, 0, piece.length, at)
          if (bytesRead === 0) break
          const bytes = piece.subarray(0, bytesRead)
          hash.update(bytes)
          for (let done = 0; done < bytesRead;) {
            done += (await writer.write(bytes, done, bytesRead - done, at + done)).bytesWritten
          }
          at += bytesRead
          onRead(bytesRead)
          if (at > size) return "longer"
        }
        if (at < size) return "shorter"
        if (fileHash && hash.digest("hex") !== fileHash) return "changed"
        await writer.datasync()
      } finally {
        await writer.close()
      }
      await renameFile(part, to)
      isWhole = true
      return "copied"
    } finally {
      await reader.close()
      if (!isWhole) await fs.rm(part, { force: true })
    }
  }

  const has = async (blob: Blob): Promise<boolean> =>
    (await target.sizeOf(target.pathOf(toBlobName(blob)))) === blob.size

  const isSound = async (path: string, { fileHash }: Blob): Promise<boolean> => {
    if (!isChecked || !fileHash) return true
    const hash = await hashOf(path).catch((cause: unknown) => {
      if (isNoBlob(cause)) return undefined
      throw cause
    })
    return hash === fileHash
  }

  /** A link to bytes that turn out to be damaged is removed again. */
  const linkSound = async (path: string, to: string, blob: Blob): Promise<"linked" | "changed" | undefined> => {
    if (!(await link(path, to))) return undefined
    if (await isSound(to, blob)) return "linked"
    await fs.rm(to, { force: true })
    return "changed"
  }

  const take = async (blob: Blob): Promise<BlobCopyOutcome> => {
    const name = toBlobName(blob)
    const to = target.pathOf(name)
    if (await has(blob)) {
      if (await isSound(to, blob)) return "kept"
      await fs.rm(to, { force: true })
    }
    await target.makeShard(to)
    touched.add(dirname(to))
    if (earlier !== undefined) {
      const path = earlier.pathOf(name)
      const isThere = (await earlier.sizeOf(path)) === blob.size
      if (isThere && (await linkSound(path, to, blob)) === "linked") return "linked"
    }
    const found = await locate(name, blob.size)
    if (found === null) return "missing"
    if (found.size !== blob.size) return found.size < blob.size ? "shorter" : "longer"
    const linked = mayLink ? await linkSound(found.path, to, blob) : undefined
    if (linked !== undefined) return linked
    return copy(found.path, to, blob).catch((cause: unknown) => {
      if (isNoBlob(cause)) return "missing"
      throw cause
    })
  }

  const flush = async (): Promise<void> => {
    for (const shard of touched) await flushFolder(shard)
    touched.clear()
  }

  const prune: BlobCopier["prune"] = async (blobs) => {
    const wanted = new Set<string>()
    for (const blob of blobs) {
      const path = target.pathOf(toBlobName(blob))
      wanted.add(basename(dirname(path)) + basename(path))
    }
    let removed = 0
    // What does not belong to a store (links, what file managers and network disks leave) is not ours to remove.
    for (const shard of await fs.readdir(to, { withFileTypes: true }).catch(() => [])) {
      if (!shard.isDirectory() || !/^[\da-f]{2}$/.test(shard.name)) continue
      for (const entry of await fs.readdir(join(to, shard.name), { withFileTypes: true })) {
        const { name } = entry
        if (!entry.isFile() || !/^[\da-f]{62}(\.|$)/.test(name) || wanted.has(shard.name + name)) continue
        await fs.rm(join(to, shard.name, name), { force: true })
        if (!name.endsWith(".part")) removed++
      }
    }
    return removed
  }

  return { has, take, flush, prune }
}
