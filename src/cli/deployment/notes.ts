import { join } from "node:path"
import type { PostgresNotes } from "../../postgres.ts"
import { isSystemError } from "../command-failure.ts"
import { readRegularFile } from "../regular-file.ts"
import { writeNote } from "../serve/note.ts"
import type { DatabaseDeployment, Deployment } from "./deployment.ts"
import { withPool } from "./lend-pool.ts"

/** Works on the notes of a catalog in a database. */
export const withDatabaseNotes = <A>(
  { database }: DatabaseDeployment,
  use: (notes: PostgresNotes) => Promise<A>,
): Promise<A> =>
  withPool(database, async (pool) => {
    const { createPostgresNotes } = await import("../../postgres.ts")
    return use(createPostgresNotes({ pool, schema: database.schema }))
  })

/** A text that an ingest leaves for other commands, in its data folder, or beside its catalog where that is in a database. */
export interface Note {
  /** Fails: rejects where it cannot be read. */
  readonly read: () => Promise<string | undefined>
  /** Fails: rejects where it cannot be written. */
  readonly write: (text: string) => Promise<void>
  /** Writes it where nobody has; resolves with the one that counts. Of a data folder only its own process calls it. */
  readonly keepFirst: (text: string) => Promise<string>
  /** What takes it away, for a sentence. */
  readonly howToRemove: string
}

/** The note of this name, without an ending. */
export const findNote = (deployment: Deployment, name: string): Note => {
  if (deployment.database !== null) {
    const { schema } = deployment.database
    return {
      read: () => withDatabaseNotes(deployment, (notes) => notes.read(name)),
      write: (text) => withDatabaseNotes(deployment, (notes) => notes.write(name, text)),
      keepFirst: (text) => withDatabaseNotes(deployment, (notes) => notes.keepFirst(name, text)),
      howToRemove: `run DELETE FROM "${schema}".notes WHERE name = '${name}' in the database`,
    }
  }
  const file = join(deployment.folder.path, `${name}.json`)
  const read = (): Promise<string | undefined> =>
    readRegularFile(file).catch((error: unknown) => {
      if (isSystemError(error, "ENOENT")) return undefined
      throw error
    })
  return {
    read,
    keepFirst: async (text) => {
      const before = await read()
      if (before !== undefined) return before
      await writeNote(file, text)
      return text
    },
    write: (text) => writeNote(file, text),
    howToRemove: `remove ${file}`,
  }
}
