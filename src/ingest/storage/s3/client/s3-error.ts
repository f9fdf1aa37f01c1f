/** What is known of a failure. */
export interface S3Failure {
  /** What was asked for, by the name that S3 gives it: `UploadPart`. */
  readonly operation: string
  /** Of the answer; undefined where none came. */
  readonly status?: number | undefined
  /** As S3 gave it, or one of {@link ownCodes}. */
  readonly code: string
  readonly detail?: string | undefined
  readonly requestId?: string | undefined
  readonly isRetryable: boolean
  /** Whether it, or an earlier try of the same call, may have had its effect all the same. */
  readonly isOutcomeUnknown?: boolean | undefined
  readonly cause?: unknown
}

/** Codes for what S3 has none for. */
export const ownCodes = {
  /** The connection could not be made, or broke off. */
  noAnswer: "NoAnswer",
  /** Nothing moved for as long as we wait. */
  timedOut: "TimedOut",
  /** An answer that is not one of S3. */
  strangeAnswer: "StrangeAnswer",
  /** The function that gets credentials failed. */
  noCredentials: "NoCredentials",
} as const

/** What is kept of a request id, characters: it goes into logs. */
const longestId = 128

/** What signatures, keys and tokens look like where servers and proxies repeat them. */
const secrets = /(Signature|Credential|Security-Token|AWSAccessKeyId)(=|%3D|\W{1,2}\s*)[^\s&"'<>,;]+/gi

/**
 * How a {@link S3Client} fails. Its message has no credentials, signatures or presigned URLs.
 *
 * Where `isOutcomeUnknown`, the request may have been fulfilled: no answer came, or one that says nothing of it.
 */
export class S3Error extends Error {
  override readonly name = "S3Error"
  readonly operation: string
  readonly status: number | undefined
  readonly code: string
  readonly requestId: string | undefined
  /** Whether the same call may succeed later. It was repeated already, where that could help. */
  readonly isRetryable: boolean
  readonly isOutcomeUnknown: boolean

  constructor(failure: S3Failure) {
    const { operation, status, code, detail } = failure
    const answer = status === undefined ? "failed" : `was answered with ${status}`
    const more = detail === undefined || detail === "" ? "." : `: ${detail.slice(0, 300).replaceAll(secrets, "$1=…")}`
    super(`S3 ${operation} ${answer}, ${code}${more}`, { cause: failure.cause })
    this.operation = operation
    this.status = status
    this.code = code
    this.requestId = failure.requestId?.slice(0, longestId)
    this.isRetryable = failure.isRetryable
    this.isOutcomeUnknown = failure.isOutcomeUnknown ?? false
  }
}

/** Whether it says that there is no such multipart upload: AWS and Ceph have a code each. Any other 404 does not. */
export const isMissingUpload = (cause: unknown): boolean =>
  cause instanceof S3Error && cause.status === 404 && (cause.code === "NoSuchUpload" || cause.code === "NoSuchKey")
