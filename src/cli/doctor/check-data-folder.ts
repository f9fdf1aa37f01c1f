import { access, open, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { checkSqliteCatalog, isOutOfRoom, leastRoom, toFreeRoom } from "../../ingest.ts"
import { ingestDefaults } from "../../schema/ingest-defaults.ts"
import { formatByteSize } from "../../protocol.ts"
import { describeSystemError, isSystemError } from "../command-failure.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { findForeignSchema } from "../deployment/open-catalog.ts"
import { formatSpan } from "../terminal/moment.ts"

/** Bytes above the reserve below which the user should be warned. */
const little = 1024 ** 3

/** Writes a small file through to the disk and removes it again; returns how long that took, ms. */
const writeThrough = async (folder: string): Promise<number> => {
  const path = join(folder, `.doctor-${process.pid}`)
  const start = performance.now()
  const handle = await open(path, "wx", 0o600)
  try {
    await handle.writeFile("doctor")
    await handle.sync()
    return performance.now() - start
  } finally {
    await handle.close()
    await rm(path, { force: true })
  }
}

const checkDisk = async ({ path }: DataFolder, reserve: number): Promise<Finding> => {
  const check = "Data folder"
  try {
    await access(path)
  } catch (error) {
    if (!isSystemError(error, "ENOENT")) return failed(check, `${path}: ${describeSystemError(error)}.`, "Make way.")
    return warning(check, `${path} does not exist yet.`, "An ingest makes it; or say with --data which one is meant.")
  }
  try {
    const took = await writeThrough(path)
    const free = toFreeRoom(await statfs(path))
    const held = reserve === 0 ? "" : ` (${formatByteSize(reserve)} are held in reserve)`
    const message = `${path} can be written, a flush takes ${formatSpan(took)}, ${formatByteSize(free)} are free${held}`
    if (free <= reserve) {
      const advice = `Make room (also for files, where \`df -i\` shows that none are left): uploads are refused as long as no more is free than the reserve for the catalog, ${formatByteSize(reserve)} (--minimum-free).`
      return failed(check, message, advice)
    }
    if (free < reserve + little) return warning(check, message, "Make room before the disk is full.")
    return ok(check, message)
  } catch (error) {
    const advice = isOutOfRoom(error)
      ? "Remove something else from that disk (`df -h` and `df -i` show what is used up), or make it larger."
      : isSystemError(error, "EROFS") || isSystemError(error, "EIO")
        ? "Its file system cannot be written: look at the mount, and at what the kernel says of the disk (`dmesg`)."
        : "Give the user that runs the ingest the right to write there."
    return failed(check, `${path} cannot be written: ${describeSystemError(error)}.`, advice)
  }
}

const checkCatalog = async (folder: DataFolder): Promise<Finding> => {
  const { catalog } = folder
  const check = "Catalog"
  try {
    await access(catalog)
  } catch {
    return warning(check, `${catalog} does not exist yet.`, "An ingest makes it on its first start.")
  }
  const advice = `Stop the ingest, keep a copy of ${catalog} and the files beside it, and restore them from a backup.`
  try {
    const [damage, ...more] = checkSqliteCatalog({ file: catalog })
    if (damage === undefined) {
      const foreign = await findForeignSchema(folder, "reads")
      return foreign === undefined ? ok(check, `${catalog} is sound`) : failed(check, foreign.message, foreign.advice)
    }
    return failed(
      check,
      `${catalog} is damaged: ${damage}${more.length > 0 ? ` (and ${more.length} more)` : ""}`,
      advice,
    )
  } catch (error) {
    const isFull = (await statfs(folder.path).then(toFreeRoom, () => Infinity)) < leastRoom
    return failed(
      check,
      `${catalog} cannot be read: ${describeSystemError(error)}.`,
      isFull ? "Its disk is full, which may be all that is wrong: make room there, and leave it as it is." : advice,
    )
  }
}

/**
 * Whether the data folder can be written and its catalog read; it creates neither.
 *
 * @param reserve bytes that its ingest keeps free
 */
export const checkDataFolder = async (
  folder: DataFolder,
  reserve: number = ingestDefaults.minimumFree,
): Promise<ReadonlyArray<Finding>> => [await checkDisk(folder, reserve), await checkCatalog(folder)]
