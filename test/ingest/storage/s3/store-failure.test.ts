import { expect, it } from "vitest"
import { CatalogError } from "../../../../src/ingest.ts"
import { S3Error } from "../../../../src/ingest/storage/s3/client/s3-error.ts"
import { isOfNothing, toStoreError } from "../../../../src/ingest/storage/s3/store-failure.ts"

it("a journal that fails is not called the bucket, and its cause is kept", () => {
  const cause = new CatalogError("io", "The database is away.")
  const failure = toStoreError(cause)
  expect(failure).toMatchObject({ reason: "io", message: "The journal of the bucket failed." })
  expect(failure.cause).toBe(cause)
  const ofBucket = new S3Error({ operation: "PutObject", status: 500, code: "InternalError", isRetryable: true })
  expect(toStoreError(ofBucket).message).toBe("The bucket failed.")
})

it.each([
  [404, "NoSuchKey", true],
  // Of a HEAD.
  [404, "NotFound", true],
  [416, "InvalidRange", true],
  [404, "NoSuchBucket", false],
  // The page of a proxy.
  [404, "StrangeAnswer", false],
  [403, "AccessDenied", false],
])("%i %s: whether there is no such object is %s", (status, code, isNothing) => {
  expect(isOfNothing(new S3Error({ operation: "GetObject", status, code, isRetryable: false }))).toBe(isNothing)
})
