import { expect } from "vitest"
import { createFileListing } from "../../../src/ingest/storage/sql/list-files.ts"
import { createHeldListing } from "../../../src/ingest/storage/sql/list-held.ts"
import type { StepReader } from "../../../src/ingest/storage/sql/step-reader.ts"
import type { FileStatus } from "../../../src/protocol.ts"

type Columns = Readonly<Record<string, string>>

/** Begins a statement that writes rows of files of the app `app`, as `columns` says of each number `i`. */
export const insertFiles = (columns: Columns, table = "files"): string => {
  const all: Columns = {
    key: "'k' || i",
    app_id: "'app'",
    name: "'n'",
    size: "1",
    type: "'text/plain'",
    origin: "'http://ingest.example'",
    expires: "1",
    epoch: "1",
    created_at: "1",
    wire_id: "''",
    status: "'Uploaded'",
    ...columns,
  }
  return `INSERT INTO ${table} (${Object.keys(all).join(", ")}) SELECT ${Object.values(all).join(", ")}`
}

/** Files of each state, owner and kind of path, some of which a deletion spares. */
export const mixed: Columns = {
  owner: "CASE i % 3 WHEN 0 THEN 'u' WHEN 1 THEN 'v' END",
  path: "CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'p/same' ELSE CASE WHEN i % 7 = 0 THEN 'q/' ELSE 'p/' END || i END",
  status: "CASE i % 5 WHEN 0 THEN 'Failed' WHEN 1 THEN 'Deleting' ELSE 'Uploaded' END",
  hold: "CASE WHEN i % 8 = 2 THEN 1 END",
  spared: "CASE WHEN i % 6 = 0 THEN 9 END",
}

/** Two deletions that have reached none of the first hundred of them. */
export const openDeletions = `
  INSERT INTO deletions (app_id, owner, prefix, up_to, asked_at, deleted_count)
  VALUES ('app', 'u', '', 100, 1, 0), ('app', '', 'p/', 70, 1, 0)`

/** Lists a hundred {@link mixed} files in steps of these lengths and in one. */
export const compareSteps = async (
  reader: StepReader,
  except: Parameters<typeof createHeldListing>[1],
  steps: ReadonlyArray<number>,
): Promise<void> => {
  const unstepped = Number.MAX_SAFE_INTEGER
  const withStep = (longestStep: number): StepReader => ({ ...reader, longestStep })
  const inOne = createFileListing(withStep(unstepped))
  const listHeld = (step: number) =>
    createHeldListing(withStep(step), except).listHeld({ limit: 5, except: new Set([2, 10]) })
  const statuses: ReadonlyArray<FileStatus | undefined> = [undefined, "Uploaded", "Held", "Deleting", "Failed"]
  let listed = 0
  for (const step of steps) {
    const inSteps = createFileListing(withStep(step))
    expect((await listHeld(step)).length).toBe(5)
    expect(await listHeld(step)).toEqual(await listHeld(unstepped))
    for (const status of statuses) {
      for (const owner of [undefined, "u"]) {
        for (const limit of [5, 200]) {
          for (const more of [{}, { offset: 1 }, { offset: 9 }, { offset: 60 }, { before: 80 }, { before: 101 }]) {
            const page = { appId: "app", status, owner, limit, ...more }
            const found = await inSteps.list(page)
            expect(found).toEqual(await inOne.list(page))
            listed += found.length
          }
          for (const prefix of ["", "p/", "q/"]) {
            const page = { appId: "app", status, owner, limit, prefix }
            const found = await inSteps.listByPath(page)
            expect(found).toEqual(await inOne.listByPath(page))
            for (const { path, id } of found.slice(0, 3)) {
              const next = { ...page, after: { path: path!, id } }
              expect(await inSteps.listByPath(next)).toEqual(await inOne.listByPath(next))
            }
          }
        }
      }
    }
  }
  expect(listed).toBeGreaterThan(500)
}
