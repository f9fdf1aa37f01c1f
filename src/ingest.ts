export { createDiskBlobStore } from "./ingest/blob-disk.ts"
export { createMemoryBlobStore } from "./ingest/blob-memory.ts"
export type {
  Append,
  Appended,
  BlobState,
  BlobStore,
  BlobStoreAbilities,
  BlobStoreReason,
} from "./ingest/blob-store.ts"
export { BlobStoreError } from "./ingest/blob-store.ts"
export type * from "./ingest/catalog.ts"
export type * from "./ingest/catalog-history.ts"
export { CatalogError } from "./ingest/catalog.ts"
export { createMemoryCatalog } from "./ingest/catalog-memory.ts"
export { createSqliteCatalog } from "./ingest/catalog-sqlite.ts"
export { checkSqliteCatalog } from "./ingest/catalog-sqlite-check.ts"
export type { Ingest, IngestOptions } from "./ingest/ingest.ts"
export { createIngest } from "./ingest/ingest.ts"
export type { MetricsAccess } from "./ingest/serve-metrics.ts"
export type { TracingOptions } from "./ingest/tracing.ts"
export { readTracingEnvironment } from "./ingest/tracing-environment.ts"
export type { FileVerdict } from "./ingest/verify-file.ts"
export { verifyFile } from "./ingest/verify-file.ts"
