export { createDiskBlobStore } from "./ingest/storage/blob-disk.ts"
export { createMemoryBlobStore } from "./ingest/storage/blob-memory.ts"
export type {
  Append,
  Appended,
  BlobState,
  BlobStore,
  BlobStoreAbilities,
  BlobStoreReason,
} from "./ingest/storage/blob-store.ts"
export { BlobStoreError } from "./ingest/storage/blob-store.ts"
export type * from "./ingest/storage/catalog.ts"
export type * from "./ingest/storage/catalog-apps.ts"
export type * from "./ingest/storage/catalog-files.ts"
export type * from "./ingest/storage/catalog-history.ts"
export { CatalogError } from "./ingest/storage/catalog.ts"
export { createKeyId } from "./ingest/key-id.ts"
export { mostActiveKeys } from "./ingest/storage/catalog-apps.ts"
export { createMemoryCatalog } from "./ingest/storage/catalog-memory.ts"
export { createSqliteCatalog } from "./ingest/storage/catalog-sqlite.ts"
export { checkSqliteCatalog } from "./ingest/storage/catalog-sqlite-check.ts"
export type { FileStatus } from "./protocol/rest-messages.ts"
export type { Ingest, IngestOptions } from "./ingest/ingest.ts"
export { createIngest } from "./ingest/ingest.ts"
export type { MetricsAccess } from "./ingest/observe/serve-metrics.ts"
export type { TracingOptions } from "./ingest/observe/tracing.ts"
export { readTracingEnvironment } from "./ingest/observe/tracing-environment.ts"
export type { FileVerdict } from "./ingest/storage/verify-file.ts"
export { verifyFile } from "./ingest/storage/verify-file.ts"
