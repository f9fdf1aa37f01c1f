import { readdir, rename, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import packageJson from "../../../package.json" with { type: "json" }
import { createBlobCopier, dropFromSnapshot, snapshotSqliteCatalog, flushFolder } from "../../ingest.ts"
import { readKeptToken } from "../deployment/data-folder.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { createProgress } from "../terminal/progress.ts"
import type { OpenedBackup } from "./backup-folder.ts"
import { copyFiles, type Copied, type Damaged, listStored } from "./copy-files.ts"
import { requireRoom } from "./disk-room.ts"
import { hashFile, type LeftOut, type Manifest, replaceFile, writeManifest } from "./manifest.ts"
import { openReader } from "./open-reader.ts"

/** Removes files that no manifest names: those of a backup that was killed, or of the previous one. */
const clear = async (path: string, kept: Manifest): Promise<void> => {
  for (const name of await readdir(path)) {
    const isOld = /^(catalog|token)-\d+(\.sqlite)?(-\w+)?$/.test(name) || /\.part(-\w+)?$/.test(name)
    if (isOld && name !== kept.catalog && name !== kept.token) await rm(join(path, name), { force: true })
  }
}

/** Copies the catalog until all its files are there; returns which have lost their bytes meanwhile, and which are damaged. */
const settleCatalog = async (
  folder: DataFolder,
  file: string,
  damaged: ReadonlyArray<Damaged>,
  now: number,
): Promise<ReadonlyArray<LeftOut>> => {
  if (damaged.length === 0) return []
  await dropFromSnapshot(
    { file },
    damaged.map(({ row }) => row),
    now,
  )
  const live = openReader(folder.catalog)
  try {
    // A file that was deleted while it was copied is not damaged.
    return damaged.filter(({ row }) => live.isStored(row.id)).map(({ key, name, reason }) => ({ key, name, reason }))
  } finally {
    live.close()
  }
}

/** Copies the token, if the data folder has one. Fails: with a `CommandFailure` where it is invalid. */
const copyToken = async (
  folder: DataFolder,
  path: string,
  name: string,
): Promise<Pick<Manifest, "token" | "tokenHash">> => {
  const kept = await readKeptToken(folder)
  if (kept === undefined) return { token: null, tokenHash: null }
  await replaceFile(path, name, `${kept.text}\n`)
  return { token: name, tokenHash: await hashFile(join(path, name)) }
}

/** The result of a backup. */
export interface MadeBackup extends Omit<Copied, "damaged" | "lastId"> {
  readonly manifest: Manifest
  /** Files of an earlier backup that no longer exist. */
  readonly removed: number
}

/**
 * Makes a backup of a data folder while an ingest may be running on it.
 *
 * Its order makes it consistent: (1) copy the bytes of the existing files, (2) copy the catalog as it is at one
 * moment, (3) copy the bytes of files that were added in between, (4) remove from that copy of the catalog every file
 * that has lost its bytes since, (5) write the manifest, in one step, which makes all of it the backup, (6) remove
 * what only the previous backup needed. If it is killed before (5), the previous backup is still complete: until then
 * bytes are only added.
 *
 * @param isShared whether both folders are on one file system
 *
 * Fails: with a `CommandFailure`, or with the system's or SQLite's error.
 */
export const makeBackup = async (
  folder: DataFolder,
  { path, id }: OpenedBackup,
  {
    base,
    mayLink,
    isChecked,
    isShared,
  }: {
    readonly base: string | undefined
    readonly mayLink: boolean
    readonly isChecked: boolean
    readonly isShared: boolean
  },
): Promise<MadeBackup> => {
  const live = openReader(folder.catalog)
  const progress = createProgress("Backing up", live.sum().blobBytes)
  const copier = createBlobCopier({
    from: folder.blobs,
    to: join(path, "files"),
    base: base === undefined ? undefined : join(resolve(base), "files"),
    mayLink,
    isChecked,
    onRead: progress.advance,
  })
  try {
    await requireRoom(path, folder.catalog, live, copier, { isShared, copies: !mayLink && base === undefined })
    const first = await copyFiles(live, copier, {
      onTaken: (outcome, bytes) => {
        if (outcome === "linked" || (outcome === "kept" && !isChecked)) progress.advance(bytes)
      },
    })
    const createdAt = Date.now()
    const catalog = `catalog-${createdAt}.sqlite`
    const draft = join(path, `${catalog}.part`)
    await snapshotSqliteCatalog({ file: folder.catalog, to: draft })
    const copied = openReader(draft)
    const doubtful = new Set(first.damaged.map(({ row }) => row.id))
    const last = await copyFiles(copied, copier, {
      checksContent: isChecked,
      isSettled: ({ id }) => id <= first.lastId && !doubtful.has(id),
    }).finally(copied.close)
    const leftOut = await settleCatalog(folder, draft, last.damaged, createdAt)
    await rename(draft, join(path, catalog))
    const token = await copyToken(folder, path, `token-${createdAt}`)
    const settled = openReader(join(path, catalog))
    try {
      const { files, bytes } = settled.sum()
      const manifest: Manifest = {
        format: 1,
        state: "complete",
        id,
        createdAt,
        version: packageJson.version,
        catalog,
        ...token,
        catalogHash: await hashFile(join(path, catalog)),
        files,
        bytes,
        leftOut,
      }
      await flushFolder(path)
      await writeManifest(path, manifest)
      await clear(path, manifest)
      return {
        manifest,
        copied: first.copied + last.copied,
        copiedBytes: first.copiedBytes + last.copiedBytes,
        linked: first.linked + last.linked,
        kept: first.kept,
        removed: await copier.prune(listStored(settled)),
      }
    } finally {
      settled.close()
    }
  } finally {
    progress.end()
    live.close()
  }
}
