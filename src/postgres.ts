export type { PostgresCatalogSettings } from "./ingest/storage/postgres/catalog-postgres.ts"
export { createPostgresCatalog } from "./ingest/storage/postgres/catalog-postgres.ts"
export type { PostgresNotes } from "./ingest/storage/postgres/notes.ts"
export { createPostgresNotes } from "./ingest/storage/postgres/notes.ts"
export type {
  PostgresCatalogReader,
  PostgresProcess,
  PostgresSchema,
  PostgresServer,
} from "./ingest/storage/postgres/reader.ts"
export { readPostgresCatalog } from "./ingest/storage/postgres/reader.ts"
export type { PostgresBlobJournalSettings } from "./ingest/storage/postgres/journal-postgres.ts"
export { createPostgresBlobJournal } from "./ingest/storage/postgres/journal-postgres.ts"
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresTypes,
} from "./ingest/storage/postgres/pool.ts"
