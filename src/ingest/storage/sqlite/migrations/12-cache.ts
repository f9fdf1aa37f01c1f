/** How long caches may keep a file; null: as the ingest's settings say. */
export const cache = `
  ALTER TABLE files ADD COLUMN cache TEXT;
  `
