/** A URL for somebody else. */
export interface S3Presign {
  readonly method: "GET" | "HEAD" | "PUT"
  readonly key: string
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Headers that have to be sent with it exactly so, names in small letters: `content-length`, `x-amz-content-sha256`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** For how long it is good, in whole seconds, at most a week. It ends earlier where its credentials do. */
  readonly expiresIn: number
  /** When it was signed, ms since the epoch; now by default. The same time gives the same URL. */
  readonly at?: number | undefined
}
