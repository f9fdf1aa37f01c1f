import { hostname } from "node:os"
import { join } from "node:path"
import { keepBackupId } from "../backup/backup-folder.ts"
import { CommandFailure } from "../command-failure.ts"
import { readRegularFile } from "../regular-file.ts"
import { backupIdName } from "./data-folder.ts"
import { type BucketChoice, type DatabaseDeployment, nameStore, nameStoreOptions, requireFolder } from "./deployment.ts"
import { findNote, withDatabaseNotes } from "./notes.ts"

/** The name of the note. */
const noteName = "files"

/** Where the files of a catalog in a database are: in a bucket, or in the data folder of one machine, by whichever store. */
type PlaceOfFiles =
  BucketChoice | { readonly kind: "folder"; readonly id: string | null; readonly path: string; readonly host: string }

/** The id of a data folder: two machines may have the same path. */
const readId = async (path: string): Promise<string | null> =>
  readRegularFile(join(path, backupIdName)).then(
    (id) => id.trim(),
    () => null,
  )

const findPlace = async (deployment: DatabaseDeployment, makesId: boolean): Promise<PlaceOfFiles> => {
  const { store } = deployment
  if (store.kind === "s3") return store
  const folder = requireFolder(deployment)
  const id = makesId ? await keepBackupId(folder) : await readId(folder.path)
  return { kind: "folder", id, path: folder.path, host: hostname() }
}

const isSame = (one: PlaceOfFiles, other: PlaceOfFiles): boolean => {
  if (one.kind === "s3" || other.kind === "s3") {
    return one.kind === "s3" && other.kind === "s3" && nameStore(one) === nameStore(other)
  }
  return one.id === other.id
}

const namePlace = (place: PlaceOfFiles): string =>
  place.kind === "s3" ? nameStore(place) : `in the data folder ${place.path} of the machine ${place.host}`

const nameOptions = (place: PlaceOfFiles): string =>
  place.kind === "s3" ? nameStoreOptions(place) : `on that machine, with --data ${place.path}`

const requireSame = (deployment: DatabaseDeployment, own: PlaceOfFiles, noted: string): void => {
  const before: PlaceOfFiles = JSON.parse(noted)
  if (isSame(own, before)) return
  const { howToRemove } = findNote(deployment, noteName)
  throw new CommandFailure(
    `The ingests of ${deployment.describe()} keep their files ${namePlace(before)}, and not ${namePlace(own)}: ` +
      `they would not find each other's. Run it ${before.kind === "s3" ? "with " : ""}${nameOptions(before)}. ` +
      `Where all files have moved, or none is needed any more, stop all ingests and ${howToRemove}.`,
  )
}

/**
 * Fails: with a {@link CommandFailure} where the ingests of a database keep their files elsewhere. Nothing is noted.
 */
export const requirePlaceOfFiles = async (deployment: DatabaseDeployment): Promise<void> => {
  const noted = await findNote(deployment, noteName).read()
  if (noted !== undefined) requireSame(deployment, await findPlace(deployment, false), noted)
}

/**
 * Notes where the files of a catalog in a database are. The first ingest says it for all others.
 *
 * Fails: with a {@link CommandFailure} where another one was faster, and keeps them elsewhere.
 */
export const claimPlaceOfFiles = async (deployment: DatabaseDeployment): Promise<void> => {
  const place = await findPlace(deployment, true)
  const noted = await withDatabaseNotes(deployment, (notes) => notes.keepFirst(noteName, JSON.stringify(place)))
  requireSame(deployment, place, noted)
}
