import type { Catalog, FileRecord, FileStatus } from "../../ingest.ts"

/** The states of files whose bytes are all there, in the order in which files go through them: none is missed meanwhile. */
const storedStates: ReadonlyArray<FileStatus> = ["Held", "Pending", "Uploaded"]

/** All files that have arrived, a page at a time. */
export async function* listStored(catalog: Catalog): AsyncGenerator<FileRecord> {
  for (const status of storedStates) {
    let before: number | undefined
    for (;;) {
      const page = await catalog.list({ status, before, limit: 500 })
      yield* page
      if (page.length === 0) break
      before = page.at(-1)!.id
    }
  }
}
