import { styleText } from "node:util"
import { CatalogError } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import type { BlobJournal } from "../../s3.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { requireKeys } from "../deployment/bucket-keys.ts"
import { claimBucket, requireOwnBucket } from "../deployment/bucket-owner.ts"
import { type BucketChoice, type Deployment, nameStore } from "../deployment/deployment.ts"
import { explainBucket } from "../deployment/explain-bucket.ts"
import { openJournal } from "../deployment/open-journal.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { ask } from "../terminal/ask.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"
import { type Reconciled, reconcile, type ReconcileParts, removeLeftOver } from "./reconcile.ts"

/** What `sluice files reconcile` is asked for. */
export interface ReconcileOptions {
  readonly remove?: true
  readonly yes?: true
  /** Says in the bucket that it is of this catalog, where nothing says whose it is. */
  readonly adopt?: true
  readonly json?: true
}

type Removed = Awaited<ReturnType<typeof removeLeftOver>>

/** Objects that are shown. */
const shown = 50

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

const reasons = { missing: "it has no object", size: "its object has another size" } as const

const showLacking = ({ lacking }: Reconciled): void => {
  if (lacking.length === 0) return
  printTable(
    [{ title: "KEY" }, { title: "NAME" }, { title: "DAMAGE" }],
    lacking.map(({ key, name, reason }) => [key, toShortPrintable(name, 32), styleText("red", reasons[reason])]),
  )
  console.log(
    `\n${count(lacking.length, "file lacks", "files lack")} the object. Restore it, or upload the file again.\n`,
  )
}

const sizeOf = ({ leftOver }: Reconciled): number => leftOver.reduce((sum, { size }) => sum + size, 0)

const describeLeftOver = (found: Reconciled): string => {
  const { leftOver, leftOverUploads } = found
  return [
    `${count(leftOver.length, "object")}, ${formatByteSize(sizeOf(found))}`,
    ...(leftOverUploads.length === 0 ? [] : [count(leftOverUploads.length, "unfinished upload")]),
  ].join(", and ")
}

const hasLeftOver = ({ leftOver, leftOverUploads }: Reconciled): boolean => leftOver.length + leftOverUploads.length > 0

const show = (found: Reconciled): void => {
  const { objects, bytes, files, inCatalog, leftOver, leftOverUploads, recent, foreign, lacking } = found
  showLacking(found)
  if (hasLeftOver(found)) {
    printTable(
      [{ title: "LEFT OVER" }, { title: "SIZE", align: "right" }],
      [
        ...leftOver.map(({ name, size }) => [toPrintable(name), formatByteSize(size)]),
        ...leftOverUploads.map(({ name }) => [toPrintable(name), "unfinished"]),
      ].slice(0, shown),
    )
    const more = leftOver.length + leftOverUploads.length - shown
    console.log(`${more > 0 ? `… and ${more} more\n` : ""}\nLeft over for more than a day: ${describeLeftOver(found)}.`)
  }
  const compared = `Compared ${count(objects, "object")}, ${formatByteSize(bytes)}, with ${count(files, "file")}.`
  const isWell = lacking.length === 0 && !hasLeftOver(found)
  console.log(isWell ? `${styleText("green", "All is well.")} ${compared}` : compared)
  if (inCatalog > 0) console.log(`${count(inCatalog, "small file")} more in the catalog itself, without an object.`)
  if (recent > 0) console.log(`${count(recent, "object")} without a file came within a day: of files that come or go.`)
  if (foreign > 0) {
    const [has, was] = foreign === 1 ? ["has", "was"] : ["have", "were"]
    console.log(`${count(foreign, "object")} there ${has} no name of ours, and ${was} left alone.`)
  }
}

const toJson = (found: Reconciled, removed: Removed | null) => {
  const { objects, bytes, files, inCatalog, lacking, leftOver, leftOverUploads, recent, foreign } = found
  return {
    objects,
    bytes,
    files,
    inCatalog,
    lacking,
    leftOver: leftOver.map(({ name, size, modifiedAt }) => ({ name, size, modifiedAt })),
    leftOverUploads: leftOverUploads.map(({ name, initiatedAt }) => ({ name, initiatedAt })),
    recent,
    foreign,
    removed,
  }
}

/** Removes what is left over, where that was asked for and is wanted; null where nothing was removed. */
const removeIfWanted = async (
  parts: ReconcileParts,
  found: Reconciled,
  { remove, yes, json }: ReconcileOptions,
): Promise<Removed | null> => {
  if (!remove || !hasLeftOver(found)) return null
  if (!yes && !(await ask(`Remove ${describeLeftOver(found)}, for good? [y/N] `))) return null
  const removed = await removeLeftOver(parts, found)
  if (!json) {
    const uploads = removed.uploads === 0 ? "" : `, and ${count(removed.uploads, "unfinished upload")}`
    console.log(`Removed ${count(removed.objects, "object")}, ${formatByteSize(removed.bytes)}${uploads}.`)
  }
  return removed
}

const adoption =
  "Start an ingest of this catalog on it once, which says so there; for one in a server of yours (createIngest) compare without --remove first, and if its files are found, say --adopt."

/** Fails: with a {@link CommandFailure} where the bucket has objects, and none of them is of a file of this catalog. */
const requireOwnFiles = (choice: BucketChoice, { objects, foreign, files, lacking }: Reconciled): void => {
  if (objects === foreign || files > lacking.length) return
  throw new CommandFailure(
    `No file of this catalog has its object ${nameStore(choice)}, and ${count(objects - foreign, "object")} there ${objects - foreign === 1 ? "is" : "are"} of other files: the bucket is not taken for its own, and nothing was removed. Look whether the catalog is the right one (--database-url, --data).`,
  )
}

/** Does the work on a bucket that was opened. */
const reconcileBucket = async (
  deployment: Deployment,
  choice: BucketChoice,
  parts: Omit<ReconcileParts, "bucket">,
  options: ReconcileOptions,
): Promise<void> => {
  const { credentials, source } = requireKeys()
  // Of another catalog all would be taken for left over.
  const isOwn = (await requireOwnBucket(choice, deployment)) === "own"
  if (!isOwn && !options.adopt) {
    const unknown = `Nothing says whose the files are ${nameStore(choice)}.`
    if (options.remove) throw new CommandFailure(`${unknown} Nothing was removed. ${adoption}`)
    printNotice("warning", `${unknown} Those of another catalog would be shown as left over. ${adoption}`, undefined)
  }
  const { walkBucket } = await import("../../s3.ts")
  const bucket = walkBucket({ ...choice, credentials })
  try {
    const found = await reconcile({ ...parts, bucket })
    if (found.lacking.length > 0) process.exitCode = exitCodes.failed
    if (!options.json) show(found)
    if (!isOwn && options.adopt) {
      requireOwnFiles(choice, found)
      await claimBucket(choice, deployment)
    }
    const removed = await removeIfWanted({ ...parts, bucket }, found, options)
    if (options.json) console.log(JSON.stringify(toJson(found, removed)))
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "S3Error" || CatalogError.is(error)) throw error
    const { reason, advice } = explainBucket(error, choice, source)
    throw new CommandFailure(`The comparison stopped ${nameStore(choice)}. ${reason} ${advice}`)
  } finally {
    bucket.close()
  }
}

/** `sluice files reconcile`. */
export const runFilesReconcile = async (deployment: Deployment, options: ReconcileOptions): Promise<void> => {
  await withDeployment(deployment, "reads", async ({ catalog, openStore, now }) => {
    // It looks first whether the files are in the bucket that was named: all others would be taken for left over.
    await openStore()
    const { store } = deployment
    if (store.kind !== "s3") {
      throw new CommandFailure(
        `The files are ${nameStore(store)}, and only a bucket is compared: say which with --s3-bucket. \`sluice files verify\` reads every file there is, wherever it is.`,
      )
    }
    let journal: BlobJournal | undefined
    try {
      journal = await openJournal(deployment)
      await reconcileBucket(deployment, store, { catalog, journal, now: await now() }, options)
    } finally {
      await journal?.close()
    }
  })
}
