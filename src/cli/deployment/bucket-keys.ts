import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"

/** Our own variables, and those that AWS's tools take. */
const variables = {
  accessKeyId: [envName("s3AccessKeyId"), "AWS_ACCESS_KEY_ID"],
  secretAccessKey: [envName("s3SecretAccessKey"), "AWS_SECRET_ACCESS_KEY"],
  sessionToken: [envName("s3SessionToken"), "AWS_SESSION_TOKEN"],
} as const

/** The keys of a bucket, and the variables that they are from. */
export interface BucketKeys {
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
  /** For sentences: `A and B`. */
  readonly source: string
}

/** Why there are no keys, and what to do: two parts of a sentence that say nothing of what the variables hold. */
export interface MissingKeys {
  readonly reason: string
  readonly remedy: string
}

/**
 * The keys of a bucket: from the environment and nowhere else, since arguments and files are read by others. Ours go before
 * AWS's, all three of them: parts of two pairs make none.
 */
export const findKeys = (): BucketKeys | MissingKeys => {
  const { accessKeyId: ids, secretAccessKey: secrets, sessionToken: tokens } = variables
  for (const which of [0, 1] as const) {
    const [accessKeyId, secretAccessKey, sessionToken] = [ids, secrets, tokens].map(
      (names) => process.env[names[which]]?.trim() ?? "",
    ) as [string, string, string]
    if (accessKeyId === "" && secretAccessKey === "") continue
    const missing = accessKeyId === "" ? ids[which] : secretAccessKey === "" ? secrets[which] : undefined
    if (missing !== undefined)
      return { reason: "The keys of the bucket are not complete", remedy: `set ${missing} too` }
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) }
    return { credentials, source: `${ids[which]} and ${secrets[which]}` }
  }
  return {
    reason: "A bucket needs keys",
    remedy: `set the variables ${ids[0]} and ${secrets[0]}, or ${ids[1]} and ${secrets[1]}`,
  }
}

/** Fails: with a {@link CommandFailure} that says which variables are missing. */
export const requireKeys = (): BucketKeys => {
  const keys = findKeys()
  if ("credentials" in keys) return keys
  throw new CommandFailure(`${keys.reason}: ${keys.remedy}.`)
}
