export { readBlobName, toBlobName } from "./ingest/storage/blob-name.ts"
export { createDiskBlobStore } from "./ingest/storage/disk/blob-disk.ts"
export { createMemoryBlobStore } from "./ingest/storage/memory/blob-memory.ts"
export type {
  Append,
  Appended,
  BlobState,
  Finished,
  BlobStore,
  BlobStoreAbilities,
  BlobStoreDriver,
  BlobStoreOpening,
  BlobStoreReason,
  BlobUrl,
  BlobUrlRequest,
  DirectPart,
  DirectUpload,
} from "./ingest/storage/blob-store.ts"
export { blobStoreContract, BlobStoreError } from "./ingest/storage/blob-store.ts"
export type * from "./ingest/storage/catalog/catalog.ts"
export type * from "./ingest/storage/catalog/apps.ts"
export type * from "./ingest/storage/catalog/deliveries.ts"
export { type FileEventType, fileEventTypes } from "./protocol/files/file-events.ts"
export type * from "./ingest/storage/catalog/deletions.ts"
export type * from "./ingest/storage/catalog/files.ts"
export type * from "./ingest/storage/catalog/history.ts"
export type * from "./ingest/storage/catalog/endpoints.ts"
export type * from "./ingest/storage/catalog/holds.ts"
export type * from "./ingest/storage/catalog/housekeeping.ts"
export type * from "./ingest/storage/catalog/processes.ts"
export type * from "./ingest/storage/catalog/registrations.ts"
export type * from "./ingest/storage/catalog/tombstones.ts"
export type * from "./ingest/storage/catalog/uploads.ts"
export type { KeyVerdict } from "./ingest/storage/tombstone.ts"
export { CatalogError } from "./ingest/storage/catalog/catalog.ts"
export { isLocalUrl } from "./server-kit/public-address.ts"
export { createKeyId } from "./ingest/access/key-id.ts"
export { createWebhookSecret } from "./protocol/signing/webhook-secret.ts"
export { mostActiveSecrets, mostEndpoints } from "./ingest/storage/catalog/endpoints.ts"
export { mostActiveKeys } from "./ingest/storage/catalog/apps.ts"
export { createMemoryCatalog } from "./ingest/storage/memory/catalog-memory.ts"
export { createSqliteCatalog } from "./ingest/storage/sqlite/catalog-sqlite.ts"
export { checkSqliteCatalog } from "./ingest/storage/sqlite/check.ts"
export type { SqliteCatalogReader, StoredFileRow } from "./ingest/storage/sqlite/snapshot.ts"
export {
  dropFromSnapshot,
  readSqliteCatalog,
  readSqliteSchema,
  snapshotSqliteCatalog,
} from "./ingest/storage/sqlite/snapshot.ts"
export type { BlobCopier, BlobCopyOutcome } from "./ingest/storage/disk/copy-blobs.ts"
export { flushFolder } from "./ingest/storage/disk/flush-folder.ts"
export { isOutOfRoom, leastRoom, toFreeRoom } from "./ingest/storage/disk/free-room.ts"
export { makeFolder } from "./ingest/storage/disk/make-folder.ts"
export { renameFile } from "./ingest/storage/disk/rename-file.ts"
export { createBlobCopier } from "./ingest/storage/disk/copy-blobs.ts"
export type { FileReference, FileStatus } from "./protocol/rest-messages.ts"
export type { FileLabels } from "./protocol/files/file-labels.ts"
export type { CacheRule } from "./protocol/signing/signed-url.ts"
export { toFileStatus } from "./ingest/storage/file-status.ts"
export type { ProcessTimes } from "./ingest/processes/membership.ts"
export type { IngestOptions } from "./ingest/ingest.ts"
export type { Ingest, IngestFetch } from "./ingest/running-ingest.ts"
export type { RequestContext, TickOptions, TickReport } from "./ingest/upkeep/drive.ts"
export { createIngest } from "./ingest/ingest.ts"
export type { MetricsAccess } from "./ingest/observe/serve-metrics.ts"
export type { ClamdScanSettings, ScanSettings, UrlScanSettings } from "./ingest/scan/scan-settings.ts"
export type { TracingOptions } from "./ingest/observe/tracing-options.ts"
export { readTracingEnvironment } from "./ingest/observe/tracing-environment.ts"
export type { FileVerdict } from "./ingest/storage/verify-file.ts"
export { verifyFile } from "./ingest/storage/verify-file.ts"
