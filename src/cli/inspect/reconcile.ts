import { type Catalog, type FileRecord, readBlobName, toBlobName } from "../../ingest.ts"
import type { BlobJournal, BucketObject, BucketUpload, BucketWalk } from "../../s3.ts"
import { listStored } from "./list-stored.ts"

/** How old something has to be that nobody knows of, ms, before it is taken for left over: what is younger may be under way. */
const oldAge = 24 * 60 * 60_000

/** A stored file whose object is not as it should be. */
export interface LackingFile {
  readonly key: string
  readonly name: string
  readonly reason: "missing" | "size"
}

/** What a bucket and its catalog do not agree on. */
export interface Reconciled {
  /** Objects of the bucket, below its prefix, and their bytes. */
  objects: number
  bytes: number
  /** Stored files that should have one. */
  files: number
  /** Stored files that are small, and kept in the catalog itself. */
  inCatalog: number
  readonly lacking: Array<LackingFile>
  /** Objects that no file has, for longer than a day. */
  readonly leftOver: Array<BucketObject>
  /** Unfinished uploads that neither a file nor the journal has, for longer than a day. */
  readonly leftOverUploads: Array<BucketUpload>
  /** Such objects and uploads that are younger: of files that come or go at this moment, as a rule. */
  recent: number
  /** Objects and uploads with names that this package does not give. */
  foreign: number
}

/** What is compared. */
export interface ReconcileParts {
  readonly bucket: BucketWalk
  readonly catalog: Catalog
  readonly journal: BlobJournal
  /** ms since the epoch. */
  readonly now: number
}

const isOld = (since: number, now: number): boolean => now - since > oldAge

/** The files of some blobs, by the names of these; at most a thousand. */
const findFiles = async (
  catalog: Catalog,
  blobs: ReadonlyArray<string | null>,
): Promise<ReadonlyMap<string, FileRecord>> => {
  const keys = new Set(blobs.flatMap((blob) => (blob === null ? [] : (readBlobName(blob)?.key ?? []))))
  const found = keys.size === 0 ? [] : await catalog.getMany([...keys])
  return new Map(found.map(({ file }) => [toBlobName(file), file]))
}

/** Whether a file has an object: all of them are its own as long as it has not arrived, and where it is being removed. */
const hasObject = (file: FileRecord, { ref }: BucketObject): boolean =>
  file.status !== "Uploaded" || (!file.isInline && (file.blobRef === null || ref === file.blobRef))

/** Compares all objects with the files that have them; returns the ids of the files whose objects are as they should be. */
const walkObjects = async ({ bucket, catalog, now }: ReconcileParts, done: Reconciled) => {
  const present = new Set<number>()
  for await (const page of bucket.objects()) {
    const files = await findFiles(
      catalog,
      page.map(({ blob }) => blob),
    )
    for (const object of page) {
      done.objects++
      done.bytes += object.size
      const { blob, ref, modifiedAt } = object
      if (blob === null || readBlobName(blob) === undefined) {
        done.foreign++
        continue
      }
      const file = files.get(blob)
      if (file === undefined || !hasObject(file, object)) {
        if (isOld(modifiedAt, now)) done.leftOver.push(object)
        else done.recent++
      } else if (ref !== null && file.status === "Uploaded" && file.size === object.size) present.add(file.id)
    }
  }
  return present
}

const walkUploads = async ({ bucket, catalog, journal, now }: ReconcileParts, done: Reconciled) => {
  for (const upload of await bucket.uploads()) {
    const { blob, initiatedAt } = upload
    if (blob === null || readBlobName(blob) === undefined) {
      done.foreign++
      continue
    }
    const file = (await findFiles(catalog, [blob])).get(blob)
    if (file !== undefined && file.status !== "Uploaded") continue
    if ((await journal.read(blob)) !== undefined) continue
    if (isOld(initiatedAt, now)) done.leftOverUploads.push(upload)
    else done.recent++
  }
}

/** What is wrong with the object of a stored file; undefined where nothing is, or where it has been deleted meanwhile. */
const findLack = async (
  { bucket, catalog }: ReconcileParts,
  { id, key }: FileRecord,
): Promise<LackingFile["reason"] | undefined> => {
  const read = async () => {
    const file = (await catalog.get(key))?.file
    return file?.id === id && file.status === "Uploaded" ? file : undefined
  }
  const file = await read()
  if (file === undefined) return undefined
  // One without a name of its own was found in the list, if it is anywhere.
  const size = file.blobRef === null ? undefined : await bucket.findSize(toBlobName(file), file.blobRef)
  if (size === file.size || (await read()) === undefined) return undefined
  return size === undefined ? "missing" : "size"
}

/**
 * Compares the objects of a bucket with the files of its catalog, by names and sizes: no bytes are read. Both may change
 * meanwhile. It keeps the ids of the files in memory.
 */
export const reconcile = async (parts: ReconcileParts): Promise<Reconciled> => {
  const done: Reconciled = {
    objects: 0,
    bytes: 0,
    files: 0,
    inCatalog: 0,
    lacking: [],
    leftOver: [],
    leftOverUploads: [],
    recent: 0,
    foreign: 0,
  }
  const present = await walkObjects(parts, done)
  await walkUploads(parts, done)
  for await (const file of listStored(parts.catalog)) {
    if (file.isInline) {
      done.inCatalog++
      continue
    }
    done.files++
    if (present.has(file.id)) continue
    // It may have arrived since the list was read.
    const reason = await findLack(parts, file)
    if (reason !== undefined) done.lacking.push({ key: file.key, name: file.name, reason })
  }
  return done
}

/** Removes what is left over, and that nobody has begun to use since. Returns how much was removed. */
export const removeLeftOver = async (
  { bucket, catalog, journal }: ReconcileParts,
  { leftOver, leftOverUploads }: Pick<Reconciled, "leftOver" | "leftOverUploads">,
): Promise<{ readonly objects: number; readonly bytes: number; readonly uploads: number }> => {
  let [objects, bytes, uploads] = [0, 0, 0]
  for (let at = 0; at < leftOver.length; at += 500) {
    const page = leftOver.slice(at, at + 500)
    const files = await findFiles(
      catalog,
      page.map(({ blob }) => blob),
    )
    const left = page.filter((object) => {
      const file = files.get(object.blob!)
      return file === undefined || !hasObject(file, object)
    })
    await bucket.removeObjects(left)
    objects += left.length
    bytes += left.reduce((sum, { size }) => sum + size, 0)
  }
  for (const upload of leftOverUploads) {
    if ((await journal.read(upload.blob!)) !== undefined) continue
    await bucket.abortUpload(upload)
    uploads++
  }
  return { objects, bytes, uploads }
}
