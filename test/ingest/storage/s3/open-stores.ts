import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BlobStore } from "../../../../src/ingest/storage/blob-store.ts"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import type { BlobJournal } from "../../../../src/ingest/storage/s3/journal/blob-journal.ts"
import { createSqliteBlobJournal } from "../../../../src/ingest/storage/s3/journal/sqlite.ts"
import { type Double, startDouble } from "./start-double.ts"

/** Stores over one bucket and one journal, each as a process of its own has it. */
export interface OpenStores {
  readonly double: Double
  readonly openJournal: () => BlobJournal
  readonly open: (tuning: Parameters<typeof createS3BlobStore>[1], journal?: BlobJournal) => BlobStore
  readonly close: () => Promise<void>
}

export const openStores = async (): Promise<OpenStores> => {
  const double = await startDouble()
  const folder = await mkdtemp(join(tmpdir(), "sluice-s3-"))
  const stores: Array<BlobStore> = []
  const openJournal = () => createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })
  return {
    double,
    openJournal,
    open: (tuning, journal = openJournal()) => {
      const settings = { ...double.settings, journal, spill: folder }
      const store = createS3BlobStore(settings, { firstWait: 1, ...tuning })
      stores.push(store)
      return store
    },
    close: async () => {
      for (const store of stores) await store.close()
      await double.close()
      await rm(folder, { recursive: true })
    },
  }
}
