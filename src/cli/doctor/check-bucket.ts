import { findKeys } from "../deployment/bucket-keys.ts"
import { type BucketChoice, nameStore } from "../deployment/deployment.ts"
import { explainBucket } from "../deployment/explain-bucket.ts"
import { formatSpan } from "../terminal/moment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

const check = "Bucket"

/** How long nothing may come from a bucket, ms, and how long is waited before the first repetition: a person looks on. */
const tuning = { patience: { small: 4000, large: 4000 }, firstWait: 100 }

/** ms of an answer above which uploads of many small files are slow. */
const slow = 1000

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/**
 * Whether a bucket does what an ingest needs, with the keys of this environment; it is tried with objects that are removed again.
 *
 * @param isReadFrom whether browsers are redirected to it
 */
export const checkBucketOf = async (choice: BucketChoice, isReadFrom: boolean): Promise<Finding> => {
  const keys = findKeys()
  if (!("credentials" in keys)) {
    return warning(
      check,
      `Files are ${nameStore(choice)}, which was not looked at. ${keys.reason}, and they are not noted anywhere.`,
      `${toSentence(keys.remedy)} They are those of the ingest.`,
    )
  }
  const { credentials, source } = keys
  const { checkBucket } = await import("../../s3.ts")
  try {
    const trial = { ...choice, credentials, triesUrls: isReadFrom }
    const { refusesWrongBytes, listsUploads, answerTime, allowsPages } = await checkBucket(trial, tuning)
    const works = `files are ${nameStore(choice)}, which puts, reads, lists and deletes, also in parts, and takes ${formatSpan(answerTime)} for a small answer`
    const lists = listsUploads
      ? ""
      : "; it lists unfinished uploads by their whole names alone, so let a rule of it abort those that are older than 14 days"
    if (!refusesWrongBytes) {
      return warning(
        check,
        `${toSentence(works).slice(0, -1)}${lists}. It does not refuse bytes that were changed on their way.`,
        "Reach it by https. `sluice files verify` compares each file with its SHA-256.",
      )
    }
    if (answerTime > slow) {
      return warning(check, toSentence(works + lists), "Run the ingest near its bucket: every upload waits for it.")
    }
    if (allowsPages === false) {
      return warning(
        check,
        `${toSentence(works + lists)} Browsers read files from it, and no rule of CORS lets pages do that: pictures, films and downloads work, \`fetch\` in a page does not.`,
        "Give it the rule that node_modules/sluice/docs/bucket.md has: any origin, because after a redirect browsers say none.",
      )
    }
    if (isReadFrom && new URL(choice.endpoint).protocol === "http:") {
      return warning(
        check,
        `${toSentence(works + lists)} Browsers are sent there for files, by http, and pages of https load nothing from there.`,
        "Give --s3-endpoint an address that those who read reach by https, or leave --reads at proxy.",
      )
    }
    return ok(check, works + lists + (isReadFrom ? ", and sends files by URLs" : ""))
  } catch (error) {
    const { reason, advice } = explainBucket(error, choice, source)
    return failed(check, `Files are ${nameStore(choice)}, which does not do what an ingest needs. ${reason}`, advice)
  }
}

const rules = "Bucket rules"

/** Days that an upload may last where its URL lives no longer than an hour, and `unfinishedTtl` is what it is by default. */
const shortest = 2

/** What the rules of a bucket do with unfinished uploads and files, and whether pages may send parts to it. */
export const checkBucketRules = async (
  choice: BucketChoice,
  pageOrigin: string | undefined,
): Promise<ReadonlyArray<Finding>> => {
  const keys = findKeys()
  if (!("credentials" in keys)) return []
  const { readBucketRules } = await import("../../s3.ts")
  const { lifecycle, allowsParts } = await readBucketRules(
    { ...choice, credentials: keys.credentials, pageOrigin },
    tuning,
  )
  const parts =
    allowsParts === undefined
      ? ""
      : `; pages of ${pageOrigin} ${allowsParts ? "may" : "may not, as far as its CORS says,"} send parts straight to it, which only \`transport: "direct"\` needs`
  if ("unread" in lifecycle) {
    return [ok(rules, `its lifecycle could not be read (${lifecycle.unread})${parts}`)]
  }
  const { abortsAfter, deletesBy } = lifecycle
  if (deletesBy !== null) {
    const named = deletesBy === "" ? "A rule of its lifecycle" : `The rule ${deletesBy} of its lifecycle`
    return [
      failed(
        rules,
        `${named} deletes files by their age, and the catalog does not hear of it.`,
        "Remove the rule, or limit it to another prefix. Files that are to end have `expiresIn` in their route.",
      ),
    ]
  }
  if (abortsAfter === null) {
    return [
      warning(
        rules,
        `No rule of its lifecycle aborts unfinished uploads: what a process leaves that is killed while it begins one stays for ever${parts}.`,
        "Give it the rule that node_modules/sluice/docs/bucket.md has, of 14 days.",
      ),
    ]
  }
  if (abortsAfter < shortest) {
    return [
      warning(
        rules,
        `A rule of its lifecycle aborts unfinished uploads after ${abortsAfter} day${abortsAfter === 1 ? "" : "s"}: a slow or interrupted one begins again at its first byte${parts}.`,
        "Let it wait for longer than a URL lives and `unfinishedTtl` together: 14 days.",
      ),
    ]
  }
  return [ok(rules, `unfinished uploads are aborted after ${abortsAfter} days, and no rule deletes files${parts}`)]
}
