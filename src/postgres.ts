export type { PostgresCatalogSettings } from "./ingest/storage/postgres/catalog-postgres.ts"
export { createPostgresCatalog } from "./ingest/storage/postgres/catalog-postgres.ts"
export type { PostgresNotes } from "./ingest/storage/postgres/notes.ts"
export { createPostgresNotes } from "./ingest/storage/postgres/notes.ts"
export type { PostgresCatalogReader, PostgresProcess, PostgresSchema } from "./ingest/storage/postgres/reader.ts"
export { readPostgresCatalog } from "./ingest/storage/postgres/reader.ts"
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresTypes,
} from "./ingest/storage/postgres/pool.ts"
