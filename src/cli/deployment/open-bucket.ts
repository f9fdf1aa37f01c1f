import type { BlobStore } from "../../ingest.ts"
import type { LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import type { SettingValues } from "../settings/settings.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { requireKeys } from "./bucket-keys.ts"
import { requireOwnBucket } from "./bucket-owner.ts"
import { type BucketChoice, type Deployment, nameStore } from "./deployment.ts"
import { explainBucket } from "./explain-bucket.ts"
import { openJournal } from "./open-journal.ts"

/** ms after which a start says that it waits for a bucket. */
const patience = 10_000

/**
 * Opens a bucket to read finished files. Fails: with a {@link CommandFailure} where there are no keys, or where it cannot be
 * reached.
 */
export const readBucket = async (choice: BucketChoice): Promise<BlobStore> => {
  const { credentials, source } = requireKeys()
  const { createMemoryBlobJournal, createS3BlobStore } = await import("../../s3.ts")
  let store: BlobStore | undefined
  try {
    store = createS3BlobStore({ ...choice, credentials, journal: createMemoryBlobJournal() })
    await store.probe()
    return store
  } catch (error) {
    await store?.close()
    // What the store says is for clients; what the bucket said is its cause.
    const said = (error as Error).cause ?? error
    const { reason, advice } = explainBucket(said, choice, source)
    throw new CommandFailure(`Files cannot be read ${nameStore(choice)}. ${reason} ${advice}`)
  }
}

/** Who sends files that are read: the ingest, or the bucket. */
export type Reads = SettingValues["reads"]

/**
 * Opens a bucket for an ingest, once it has shown that it does what an ingest needs.
 *
 * Fails: with a {@link CommandFailure} that says what it does not do, or with the reason of the signal.
 */
export const openBucket = async (
  choice: BucketChoice,
  deployment: Deployment,
  {
    logFormat,
    signal,
    reads = "proxy",
  }: { readonly logFormat: LogFormat; readonly signal?: AbortSignal | undefined; readonly reads?: Reads | undefined },
): Promise<BlobStore> => {
  const { credentials, source } = requireKeys()
  const settings = { ...choice, credentials }
  const { checkBucket, createS3BlobStore } = await import("../../s3.ts")
  const warn = (text: string) => printNotice("warning", text, logFormat)
  const named = nameStore(choice).replace(/^in /, "")
  const reminder = setTimeout(() => warn(`There is no answer yet from ${named}. It is asked again.`), patience)
  try {
    const trial = { ...settings, triesUrls: reads === "redirect" }
    const { refusesWrongBytes, allowsPages } = await checkBucket(trial, { signal })
    if (!refusesWrongBytes) {
      warn(
        `What keeps the files, ${named}, does not refuse bytes that were changed on their way. The SHA-256 of each file says so later: sluice files verify.`,
      )
    }
    if (allowsPages === false) {
      warn(
        `Files are read from ${named} by a redirect, and it has no rule of CORS that lets pages read them: pictures, films and downloads work, \`fetch\` in a page does not. node_modules/sluice/docs/bucket.md has the rule.`,
      )
    }
  } catch (error) {
    if (signal?.aborted === true) {
      if (error !== signal.reason) warn((error as Error).message)
      throw signal.reason
    }
    const { reason, advice } = explainBucket(error, choice, source)
    throw new CommandFailure(`Files cannot be kept ${nameStore(choice)}. ${reason} ${advice}`)
  } finally {
    clearTimeout(reminder)
  }
  await requireOwnBucket(choice, deployment, signal)
  return createS3BlobStore({ ...settings, journal: await openJournal(deployment) })
}
