import { unlessAborted } from "./follow-signals.ts"
import { ownCodes, S3Error } from "./s3-error.ts"
import type { S3Credentials, S3CredentialsSource } from "./s3-settings.ts"

/** How long before they end credentials are asked for again, ms. */
const margin = 120_000

/** How long credentials that end soon are used before their function is asked once more, ms. */
const pause = 10_000

/** How long the function may take, ms: one that never answers is asked again by whoever needs credentials next. */
const longestAnswer = 30_000

/** The codes by which servers say that credentials were good once. */
const endedCodes: ReadonlySet<string> = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidAccessKeyId",
  "InvalidToken",
  "TokenRefreshRequired",
])

/** Remembers credentials for as long as they are good. */
export interface CredentialsMemory {
  /** Fails: rejects with an {@link S3Error} of code `NoCredentials`. */
  readonly get: () => Promise<S3Credentials>
  /** Forgets those that a server refused with this code; false where others cannot be had. */
  readonly forget: (code: string, refused: S3Credentials) => boolean
}

/** Asks for credentials when it has none that are good, one question at a time. */
export const createCredentialsMemory = (
  source: S3CredentialsSource,
  now: () => number,
  patience: number = longestAnswer,
): CredentialsMemory => {
  if (typeof source !== "function") return { get: () => Promise.resolve(source), forget: () => false }
  let known: S3Credentials | undefined
  let askedAt = -Infinity
  let asking: Promise<S3Credentials> | undefined

  const isGood = (time: number): boolean => {
    if (known === undefined) return false
    const { expiresAt = Infinity } = known
    return time < expiresAt - margin || (time < expiresAt && time < askedAt + pause)
  }

  const ask = async (): Promise<S3Credentials> => {
    askedAt = now()
    try {
      return (known = await unlessAborted(Promise.resolve(source()), [AbortSignal.timeout(patience)]))
    } catch (cause) {
      if (known !== undefined && now() < (known.expiresAt ?? Infinity)) return known
      const detail = "the function that gets the credentials failed, or did not answer in time"
      const operation = "credentials"
      throw new S3Error({ operation, code: ownCodes.noCredentials, detail, isRetryable: true, cause })
    }
  }

  return {
    get: () => {
      if (isGood(now())) return Promise.resolve(known!)
      return (asking ??= ask().finally(() => {
        asking = undefined
      }))
    },
    forget: (code, refused) => {
      if (!endedCodes.has(code)) return false
      // Somebody else may have asked for new ones meanwhile.
      if (known === refused) known = undefined
      return true
    },
  }
}
