/** Keys of a bucket. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** When they end, ms since the epoch. They are asked for again a little before. */
  readonly expiresAt?: number | undefined
}

/**
 * Keys, or a function that gets them: so that the provider of any SDK fits. A function is asked when there are no keys yet,
 * shortly before those it gave end, and once more where the server says that they have.
 */
export type S3CredentialsSource = S3Credentials | (() => S3Credentials | Promise<S3Credentials>)

/** How a bucket is reached. */
export interface S3Settings {
  /** Without the bucket: `https://s3.eu-central-1.amazonaws.com`, `http://127.0.0.1:9000`. It may have a port and a path. */
  readonly endpoint: string
  /** What is signed: `eu-central-1`; `auto` for R2; any word for servers that have no regions. */
  readonly region: string
  readonly bucket: string
  readonly credentials: S3CredentialsSource
  /**
   * Where the bucket's name stands in a URL: first in the path, or in front of the host's name. Default `path`: every store
   * knows that one, and it needs neither a name in the DNS nor a certificate for each bucket. With `virtual-host` a bucket
   * with dots in its name needs a certificate of its own.
   */
  readonly addressing?: "path" | "virtual-host" | undefined
}
