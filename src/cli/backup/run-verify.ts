import { createHash } from "node:crypto"
import { lstat, readdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { styleText } from "node:util"
import { checkSqliteCatalog, createDiskBlobStore, verifyFile } from "../../ingest.ts"
import { formatByteSize, parseToken } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { createProgress } from "../terminal/progress.ts"
import { readRegularFile } from "../regular-file.ts"
import { lockBackup } from "./backup-folder.ts"
import { listStored } from "./copy-files.ts"
import { hashFile, type LeftOut, type Manifest, requireManifest } from "./manifest.ts"
import { openReader } from "./open-reader.ts"
import { showDamaged } from "./show-damaged.ts"

const toDamaged = (path: string, what: string): CommandFailure =>
  new CommandFailure(`The backup in ${path} is damaged: ${what}. Use another backup.`)

/** Finds a link, a pipe or the like in the place of a file or folder of a backup. Other files in its folder are not checked. */
const findIrregularPart = async (path: string, names: ReadonlyArray<string>): Promise<string | undefined> => {
  for (const name of names) {
    const file = join(path, name)
    // A missing file is reported by another check.
    if ((await lstat(file).catch(() => undefined))?.isFile() === false) return file
  }
  const files = join(path, "files")
  const folder = await lstat(files).catch(() => undefined)
  if (folder === undefined) return undefined
  if (!folder.isDirectory()) return files
  for (const shard of await readdir(files, { withFileTypes: true })) {
    if (!/^[\da-f]{2}$/.test(shard.name)) continue
    if (!shard.isDirectory()) return join(files, shard.name)
    for (const blob of await readdir(join(files, shard.name), { withFileTypes: true })) {
      if (/^[\da-f]{62}$/.test(blob.name) && !blob.isFile()) return join(files, shard.name, blob.name)
    }
  }
  return undefined
}

/**
 * Checks the parts of a backup other than the bytes of files.
 *
 * Fails: with a {@link CommandFailure} where catalog or token are not what was written, and where there is anything
 *        but regular files: a link would lead out of the backup.
 */
export const requireSound = async (path: string, manifest: Manifest): Promise<{ readonly token: string | null }> => {
  const { catalog, catalogHash, token, tokenHash } = manifest
  const irregular = await findIrregularPart(path, [catalog, token ?? catalog])
  if (irregular !== undefined) throw toDamaged(path, `${irregular} is not a regular file or a folder`)
  const file = join(path, catalog)
  const isSound = await hashFile(file).then(
    (hash) => hash === catalogHash && checkSqliteCatalog({ file }).length === 0,
    () => false,
  )
  if (!isSound) throw toDamaged(path, `its catalog ${catalog} is not what was written`)
  if (token === null) return { token }
  const text = await readRegularFile(join(path, token)).catch(() => "")
  if (createHash("sha256").update(text).digest("hex") !== tokenHash || !parseToken(text.trim()).ok) {
    throw toDamaged(path, `its token ${token} is not what was written`)
  }
  return { token: text }
}

/** `sluice backup verify`. */
export const runBackupVerify = async (folder: string, { json }: { readonly json?: true }): Promise<void> => {
  const path = resolve(folder)
  await requireManifest(path)
  const release = lockBackup(path)
  const damaged: Array<LeftOut> = []
  try {
    const manifest = await requireManifest(path)
    await requireSound(path, manifest)
    const catalog = openReader(join(path, manifest.catalog))
    const store = createDiskBlobStore({ folder: join(path, "files") })
    // Counted from the catalog, because the manifest proves nothing.
    const { files, bytes } = catalog.sum()
    const progress = createProgress("Verifying", bytes)
    try {
      for (const row of listStored(catalog)) {
        const { kind } = await verifyFile({ store, catalog }, row, progress.advance)
        if (kind !== "intact") damaged.push({ key: row.key, name: row.name, reason: kind })
      }
    } finally {
      progress.end()
      catalog.close()
      await store.close()
    }
    if (damaged.length > 0) process.exitCode = exitCodes.failed
    const { createdAt } = manifest
    if (json) {
      console.log(JSON.stringify({ folder: path, createdAt, files, bytes, damaged }))
      return
    }
    if (damaged.length === 0) {
      const counted = `${files} ${files === 1 ? "file" : "files"}, ${formatByteSize(bytes)}`
      const of = new Date(createdAt).toISOString()
      console.log(`${styleText("green", "All is well.")} Verified the backup of ${of}: ${counted}.`)
      return
    }
    showDamaged(damaged, `Damaged: ${damaged.length} of ${files} files.`)
    console.log("\nRun `sluice backup --verify` with this folder: what the ingest still has is copied again.")
  } finally {
    release()
  }
}
