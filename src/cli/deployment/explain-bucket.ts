import type { BucketChoice } from "./deployment.ts"

/** Why a bucket cannot be used, and what to do: a sentence each. */
export interface BucketFailure {
  readonly reason: string
  readonly advice: string
}

/** The page with what a bucket has to allow and to do. */
const page = "node_modules/sluice/docs/bucket.md"

/** Codes of keys that the server does not take, whatever they may do. */
const ofKeys =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|InvalidSecurity|TokenRefreshRequired)/

/** What has gone wrong, as far as it is known: nothing where an error is not of the client of S3. */
interface Known {
  readonly code?: string
  readonly status?: number | undefined
}

const findKnown = (error: unknown): Known => {
  if (!(error instanceof Error)) return {}
  return error.name === "S3Error" ? (error as Known) : findKnown(error.cause)
}

/** Whether an endpoint names the bucket, which it must not: the name is added to it. */
const namesBucket = ({ endpoint, bucket }: BucketChoice): boolean => {
  const { hostname, pathname } = new URL(endpoint)
  return hostname.startsWith(`${bucket}.`) || pathname.endsWith(`/${bucket}`)
}

const adviseOn = ({ code = "", status }: Known, choice: BucketChoice, source: string): string => {
  if (status === undefined && /^(NoAnswer|TimedOut)$/.test(code)) {
    return `Look at the endpoint (--s3-endpoint ${choice.endpoint}), and whether its server runs.`
  }
  if (ofKeys.test(code)) return `Look at ${source}, and whether these keys are for ${choice.endpoint}.`
  if (
    /^(AuthorizationHeaderMalformed|AuthorizationQueryParametersError|PermanentRedirect)$/.test(code) ||
    status === 301
  ) {
    return `Look at the region (--s3-region ${choice.region}) and at the endpoint (--s3-endpoint ${choice.endpoint}).`
  }
  if (status === 404 && namesBucket(choice)) {
    return "Give --s3-endpoint without the name of the bucket, which is added to it."
  }
  if (code === "NoSuchBucket" || status === 404) return "Make the bucket, or correct its name (--s3-bucket)."
  if (status === 403) return `Give the keys of ${source} the rights that ${page} lists.`
  return `See ${page} for what a bucket has to do.`
}

/**
 * Explains why a bucket cannot be used.
 *
 * @param source the variables that its keys are from
 */
export const explainBucket = (error: unknown, choice: BucketChoice, source: string): BucketFailure => {
  const { message } = error as Error
  return { reason: `${message.replace(/\.$/, "")}.`, advice: adviseOn(findKnown(error), choice, source) }
}
