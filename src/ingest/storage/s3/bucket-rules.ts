import { createTransport } from "../../../http/own-transport.ts"
import type { Answered } from "./client/answer-xml.ts"
import { rootOf } from "./client/entries.ts"
import { createS3Requests, type S3Requests, type S3Tuning } from "./client/s3-request.ts"
import { S3Error } from "./client/s3-error.ts"
import type { S3Settings } from "./client/s3-settings.ts"

/** What the rules of a bucket do with what is below a prefix. */
export interface BucketRules {
  /** Its lifecycle; where it could not be read, why: `AccessDenied` and the like. */
  readonly lifecycle: BucketLifecycle | { readonly unread: string }
  /** Whether its rules of CORS let pages of the origin send parts; absent where no origin was named, or nothing answered. */
  readonly allowsParts?: boolean
}

/** What the lifecycle of a bucket does with what is below a prefix. */
export interface BucketLifecycle {
  /** Days after which it aborts unfinished uploads; null: never. */
  readonly abortsAfter: number | null
  /** The rule that deletes files by their age or at a date, as it is named there; null: none does. */
  readonly deletesBy: string | null
}

/** Whose rules are read, and for what. */
export interface BucketRulesQuery extends S3Settings {
  readonly prefix?: string | undefined
  /** Of pages that send parts straight to the bucket, `https://app.example.com`. */
  readonly pageOrigin?: string | undefined
}

/** How long nothing may move, ms: somebody looks on. */
const patience = { small: 4000, large: 4000 }

/** The header of a request with a part that browsers ask for before. */
const headerOfParts = "x-amz-content-sha256"

/** Whether a rule is about some of what is below a prefix: what we put has no tags. */
const isAbout = (rule: Answered, prefix: string): boolean => {
  const filters = rule.all("Filter").flatMap((filter) => [filter, ...filter.all("And")])
  if (filters.some((filter) => filter.all("Tag").length > 0)) return false
  const named = [rule, ...filters].map((each) => each.text("Prefix")).find((text) => text !== "") ?? ""
  return named.startsWith(prefix) || prefix.startsWith(named)
}

const isDeletion = (rule: Answered): boolean =>
  rule.all("Expiration").some((expiration) => expiration.text("Days") !== "" || expiration.text("Date") !== "")

const readLifecycle = async ({ send }: S3Requests, prefix: string): Promise<BucketRules["lifecycle"]> => {
  const operation = "GetBucketLifecycleConfiguration"
  try {
    const answer = await send({ operation, method: "GET", query: { lifecycle: "" } })
    const rules = rootOf(operation, answer, "LifecycleConfiguration")
      .all("Rule")
      .filter((rule) => rule.text("Status") === "Enabled" && isAbout(rule, prefix))
    const days = rules
      .flatMap((rule) => rule.all("AbortIncompleteMultipartUpload"))
      .map((abort) => Number(abort.text("DaysAfterInitiation")))
      .filter((count) => count > 0)
    return {
      abortsAfter: days.length === 0 ? null : Math.min(...days),
      deletesBy: rules.find(isDeletion)?.text("ID") ?? null,
    }
  } catch (cause) {
    if (!(cause instanceof S3Error)) throw cause
    if (cause.code === "NoSuchLifecycleConfiguration") return { abortsAfter: null, deletesBy: null }
    return { unread: cause.code }
  }
}

/** Asks as a browser does before it sends a part, without keys. */
const askForParts = async (
  { presign }: S3Requests,
  key: string,
  origin: string,
  tuning: S3Tuning | undefined,
): Promise<boolean | undefined> => {
  const url = await presign({ method: "PUT", key, query: {}, headers: {} }, 60, undefined)
  const { send, close } = createTransport(tuning?.fetch, 1)
  try {
    const { status, headers, read } = await send({
      url: url.split("?")[0]!,
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": headerOfParts,
      },
      signal: AbortSignal.timeout(patience.small),
    })
    await read(() => true)
    const allows = (name: string, wanted: string): boolean =>
      (headers.get(`access-control-allow-${name}`) ?? "")
        .split(/\s*,\s*/)
        .some((each) => each === "*" || each.toLowerCase() === wanted.toLowerCase())
    return status < 300 && allows("origin", origin) && allows("methods", "PUT") && allows("headers", headerOfParts)
  } catch {
    return undefined
  } finally {
    close()
  }
}

/**
 * Reads what the rules of a bucket do with what is below a prefix. Nothing is put there.
 *
 * Fails: rejects with a TypeError for settings that cannot be right. What the bucket does not say is left out.
 */
export const readBucketRules = async (
  { prefix = "", pageOrigin, ...settings }: BucketRulesQuery,
  tuning?: S3Tuning,
): Promise<BucketRules> => {
  const requests = createS3Requests(settings, { patience, ...tuning })
  try {
    const lifecycle = await readLifecycle(requests, prefix)
    const allowsParts =
      pageOrigin === undefined ? undefined : await askForParts(requests, `${prefix}part`, pageOrigin, tuning)
    return { lifecycle, ...(allowsParts !== undefined && { allowsParts }) }
  } finally {
    requests.close()
  }
}
