import type { DatabaseSync } from "node:sqlite"
import { firstSchema } from "./migrations/01-first-schema.ts"
import { contents } from "./migrations/02-contents.ts"
import { traces } from "./migrations/03-traces.ts"
import { stages } from "./migrations/04-stages.ts"
import { usage } from "./migrations/05-usage.ts"
import { apps } from "./migrations/06-apps.ts"
import { listings } from "./migrations/07-listings.ts"
import { dueByApp } from "./migrations/08-due-by-app.ts"
import { uploadIdentity } from "./migrations/09-upload-identity.ts"
import { tombstones } from "./migrations/10-tombstones.ts"
import { labels } from "./migrations/11-labels.ts"
import { cache } from "./migrations/12-cache.ts"
import { deletions } from "./migrations/13-deletions.ts"
import { holds } from "./migrations/14-holds.ts"
import { endpoints } from "./migrations/15-endpoints.ts"
import { blobRefs } from "./migrations/16-blob-refs.ts"

/** Steps from an empty database to the newest schema, in order; a released one is never changed. */
export const migrations: ReadonlyArray<string> = [
  firstSchema,
  contents,
  traces,
  stages,
  usage,
  apps,
  listings,
  dueByApp,
  uploadIdentity,
  tombstones,
  labels,
  cache,
  deletions,
  holds,
  endpoints,
  blobRefs,
]

const versionOf = (database: DatabaseSync): number =>
  (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version

/**
 * Upgrades a database to the newest schema, even when other processes open it at the same moment.
 *
 * Fails: throws when a newer version of this package wrote it.
 */
export const migrate = (database: DatabaseSync): void => {
  const version = versionOf(database)
  if (version > migrations.length) {
    throw new Error(`The catalog is of version ${version}, newer than this package knows (${migrations.length}).`)
  }
  for (const [index, migration] of migrations.entries()) {
    if (versionOf(database) > index) continue
    database.exec("BEGIN IMMEDIATE")
    try {
      // Checked again, because another process may have been faster.
      if (versionOf(database) === index) database.exec(`${migration}; PRAGMA user_version = ${index + 1}`)
      database.exec("COMMIT")
    } catch (cause) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw cause
    }
  }
}
