import type { BlobStore } from "../../ingest.ts"
import { envName, type LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type BucketChoice, type DataFolder, nameStore } from "./deployment.ts"

/** Our own variables, and those that AWS's tools take. */
const variables = {
  accessKeyId: [envName("s3AccessKeyId"), "AWS_ACCESS_KEY_ID"],
  secretAccessKey: [envName("s3SecretAccessKey"), "AWS_SECRET_ACCESS_KEY"],
  sessionToken: [envName("s3SessionToken"), "AWS_SESSION_TOKEN"],
} as const

/**
 * The keys of a bucket: from the environment and nowhere else, since arguments and files are read by others. Ours go before
 * AWS's, all three of them: parts of two pairs make none.
 *
 * Fails: with a {@link CommandFailure} that says nothing of them.
 */
const readKeys = () => {
  const { accessKeyId: ids, secretAccessKey: secrets, sessionToken: tokens } = variables
  for (const which of [0, 1] as const) {
    const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = [ids, secrets, tokens].map(
      (names) => process.env[names[which]],
    )
    if (accessKeyId === "" && secretAccessKey === "") continue
    const missing = accessKeyId === "" ? ids[which] : secretAccessKey === "" ? secrets[which] : undefined
    if (missing !== undefined) throw new CommandFailure(`The keys of the bucket are not complete: set ${missing} too.`)
    return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) }
  }
  throw new CommandFailure(
    `A bucket needs keys: set the variables ${ids[0]} and ${secrets[0]}, or ${ids[1]} and ${secrets[1]}.`,
  )
}

/** Opens a bucket to read finished files. Fails: with a {@link CommandFailure} where there are no keys. */
export const readBucket = async (choice: BucketChoice): Promise<BlobStore> => {
  const credentials = readKeys()
  const { createMemoryBlobJournal, createS3BlobStore } = await import("../../s3.ts")
  return createS3BlobStore({ ...choice, credentials, journal: createMemoryBlobJournal() })
}

/**
 * Opens a bucket for an ingest, once it has shown that it does what an ingest needs.
 *
 * Fails: with a {@link CommandFailure} that says what it does not do.
 */
export const openBucket = async (
  choice: BucketChoice,
  { journal }: Pick<DataFolder, "journal">,
  logFormat: LogFormat,
): Promise<BlobStore> => {
  const settings = { ...choice, credentials: readKeys() }
  const { checkBucket, createS3BlobStore, createSqliteBlobJournal } = await import("../../s3.ts")
  try {
    const { refusesWrongBytes } = await checkBucket(settings)
    if (!refusesWrongBytes) {
      printNotice(
        "warning",
        `What keeps the files, ${nameStore(choice).replace(/^in /, "")}, does not refuse bytes that were changed on their way. The SHA-256 of each file says so later: sluice files verify.`,
        logFormat,
      )
    }
  } catch (error) {
    throw new CommandFailure(
      `Files cannot be kept ${nameStore(choice)}. ${(error as Error).message.replace(/\.$/, "")}. See node_modules/sluice/docs/bucket.md for the rights that it needs.`,
    )
  }
  return createS3BlobStore({ ...settings, journal: createSqliteBlobJournal({ file: journal }) })
}
