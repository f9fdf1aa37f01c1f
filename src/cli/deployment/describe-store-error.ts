import type { BlobStoreError } from "../../ingest.ts"

/** What a store says of its failure, without the last dot; of a bucket what it answered. */
export const describeStoreError = ({ message, cause }: BlobStoreError): string => {
  const said =
    cause instanceof Error && cause.name === "S3Error" ? `${message.replace(/\.$/, "")}: ${cause.message}` : message
  return said.replace(/\.$/, "")
}
