import { Rejected } from "../http/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import type { Settings } from "./settings.ts"

/** What an app is told that has announced more files than the operator allows. */
export const tooManyExpected = ({
  maxExpectedFiles,
  maxExpectedBytes,
}: Pick<Settings, "maxExpectedFiles" | "maxExpectedBytes">): Rejected =>
  new Rejected({
    code: "RATE_LIMITED",
    detail:
      `The files of this app that are registered and not uploaded reach a limit of the ingest: ${maxExpectedFiles} files, ` +
      `${formatByteSize(maxExpectedBytes)} with their metadata. Room comes with each that is uploaded, and eight days ` +
      "after its registration with each that is not. Keep metadata small; the operator can raise the limit.",
    headers: { "retry-after": "60" },
  })

/** What an app is told whose quota has no room for what the catalog would have to keep. */
export const catalogOverQuota = (what: string): Rejected =>
  new Rejected({
    code: "QUOTA_EXCEEDED",
    detail: `The app's storage quota has no room for ${what}: metadata, results and records of files count as well. Delete files, keep metadata small, or ask for a larger quota.`,
  })
