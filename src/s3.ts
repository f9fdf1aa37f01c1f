export type { S3BlobStoreSettings, S3BlobStoreTuning } from "./ingest/storage/s3/blob-s3.ts"
export { createS3BlobStore } from "./ingest/storage/s3/blob-s3.ts"
export type { BucketMarker } from "./ingest/storage/s3/bucket-marker.ts"
export { openBucketMarker } from "./ingest/storage/s3/bucket-marker.ts"
export type { BucketLifecycle, BucketRules, BucketRulesQuery } from "./ingest/storage/s3/bucket-rules.ts"
export { readBucketRules } from "./ingest/storage/s3/bucket-rules.ts"
export type { BucketReport, BucketTrial } from "./ingest/storage/s3/check-bucket.ts"
export { checkBucket } from "./ingest/storage/s3/check-bucket.ts"
export type { S3Tuning } from "./ingest/storage/s3/client/s3-request.ts"
export { S3Error } from "./ingest/storage/s3/client/s3-error.ts"
export type { S3Credentials, S3CredentialsSource, S3Settings } from "./ingest/storage/s3/client/s3-settings.ts"
export type {
  BlobJournal,
  JournalChange,
  JournaledBlob,
  LateRemoval,
  MultipartUpload,
} from "./ingest/storage/s3/journal/blob-journal.ts"
export { createMemoryBlobJournal } from "./ingest/storage/s3/journal/memory.ts"
export { createSqliteBlobJournal } from "./ingest/storage/s3/journal/sqlite.ts"
export type { BucketObject, BucketUpload, BucketWalk } from "./ingest/storage/s3/walk-bucket.ts"
export { walkBucket } from "./ingest/storage/s3/walk-bucket.ts"
