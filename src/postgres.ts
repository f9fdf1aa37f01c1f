export type { PostgresCatalogSettings } from "./ingest/storage/postgres/catalog-postgres.ts"
export { createPostgresCatalog } from "./ingest/storage/postgres/catalog-postgres.ts"
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresTypes,
} from "./ingest/storage/postgres/pool.ts"
