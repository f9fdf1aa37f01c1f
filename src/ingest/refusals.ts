/**
 * Refusals that the ingest uses in more than one place, in the words that its clients read. This module is the ground
 * floor: it imports nothing of the ingest but the rule of tombstones. A refusal of a single request handler is in that
 * handler.
 */
import { Rejected } from "../server-kit/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { limits } from "../protocol/limits.ts"
import { names } from "../protocol/names.ts"
import type { UploadGrant } from "../protocol/signing/signed-url.ts"
import type { FileFailure, Usage } from "./storage/catalog/records.ts"
import { clockSkew } from "./storage/tombstone.ts"

/** The answer to an API key that belongs to no app. */
export const unknownApiKey = (): Rejected =>
  new Rejected({
    code: "UNAUTHORIZED",
    detail: `The header ${names.header.apiKey} is missing or holds no active API key of this ingest.`,
  })

/** The answer to every URL without a valid signature. It does not reveal whether the app exists. */
export const invalidSignature = (): Rejected =>
  new Rejected({
    code: "INVALID_SIGNATURE",
    detail:
      "The URL is not signed with an active key of an app of this ingest for its public URL. Use the URL exactly as it was issued; where its app's keys have changed, ask the app for a new one. If no URL works, the app has another URL for the ingest than the ingest's public URL (--url): make both the same.",
  })

/** The answer to an app that names a file of another app. */
export const foreignKey = (): Rejected =>
  new Rejected({ code: "FORBIDDEN", detail: "The file key belongs to another app." })

/** The answer to a request for a file that does not exist, or that its reader may not know about. */
export const fileNotFound = (): Rejected => new Rejected({ code: "NOT_FOUND", detail: "There is no such file." })

/** The answer to an app that claims files of which some are not there. */
export const filesMissing = (missing: ReadonlyArray<string>): Rejected =>
  new Rejected({
    code: "NOT_FOUND",
    detail: `${missing.length === 1 ? "One of the files is" : `${missing.length} of the files are`} not there: deleted, expired, never begun, or not of the owner or the route that was named. None has been claimed.`,
    data: { missing },
  })

/** The rejection of an upload whose file the app has deleted: it cannot be resumed. */
export const deleted = (): Rejected =>
  new Rejected({ code: "NOT_FOUND", detail: "The file was deleted. Do not send it again." })

/** The rejection of an upload that may not begin, or not yet, under a key whose file was deleted. */
export const refuseKey = (verdict: "deleted" | "unregistered", { name, slug, issuedAt }: UploadGrant): Rejected => {
  if (verdict === "unregistered") {
    return new Rejected({
      code: "INGEST_UNAVAILABLE",
      detail: `The file that had this key was deleted. Send ${JSON.stringify(name)} as soon as the app has registered it.`,
      headers: { "retry-after": "1" },
    })
  }
  if (slug !== undefined || issuedAt === undefined) return deleted()
  return new Rejected({
    code: "NOT_FOUND",
    detail: `The file was deleted. Do not send it again. A new file can have the key by a URL that is signed more than ${clockSkew / 60_000} minutes later.`,
  })
}

/** The rejection of a writer whose key a newer request has taken over, and of one that cannot take a key over. */
export const locked = (): Rejected =>
  new Rejected({
    code: "LOCKED",
    detail: "Another request is uploading this file. Ask for the offset again in a moment, then resume.",
    headers: { "retry-after": "1" },
  })

/** The rejection of an upload under a key that belongs to another file. */
export const keyTaken = (): Rejected =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 409,
    detail:
      "Another file is stored under this key, or its upload was asked for later. Delete it first, or upload under a key of its own.",
  })

/** Why an upload has failed that its client has ended. */
export const cancelled = (): Rejected =>
  new Rejected({
    code: "ABORTED",
    status: 410,
    detail: "The upload was cancelled. Do not send it again.",
    isUsual: true,
  })

/** The rejection of an upload that has failed for good, for the reason with which it did. */
export const uploadFailed = ({ code, message }: FileFailure): Rejected =>
  code === "ABORTED" ? cancelled() : new Rejected({ code, detail: message })

/** Bytes of a quota that are taken, by stored files and by uploads that are under way. */
type Taken = Pick<Usage, "storedBytes" | "announcedBytes">

/** For the log: whoever uploads may not know how much others have stored. */
const describeQuota = ({ storedBytes, announcedBytes }: Taken, quota: number | undefined): string | undefined =>
  quota === undefined
    ? undefined
    : `The quota is ${formatByteSize(quota)}: ${formatByteSize(storedBytes)} are stored, ${formatByteSize(announcedBytes)} are announced by uploads under way.`

/** The rejection of a file that no deletion would make room for; undefined where one would. `whose` names the quota. */
const findLargerThanQuota = (
  { name, size }: UploadGrant,
  quota: number | undefined,
  whose: string,
  data?: { readonly maxSize: number },
) =>
  quota === undefined || size <= quota
    ? undefined
    : new Rejected({
        code: "FILE_TOO_LARGE",
        detail: `${JSON.stringify(name)}, a file of ${formatByteSize(size)}, is larger than ${whose}.`,
        data,
      })

/** The rejection of a file for which the quota of its app has no room. How large that is, is not for its users. */
export const fileOverQuota = (grant: UploadGrant, taken: Taken, quota: number | undefined): Rejected =>
  findLargerThanQuota(grant, quota, "all the storage of the app") ??
  new Rejected({
    code: "QUOTA_EXCEEDED",
    detail: `${JSON.stringify(grant.name)}, a file of ${formatByteSize(grant.size)}, does not fit into what is left of the app's storage quota. Delete files, or ask for a larger quota.`,
    cause: describeQuota(taken, quota),
  })

/** The rejection of a file above the operator's maximum, or above that of the protocol; undefined where it is neither. */
export const findTooLarge = (
  { name, size }: UploadGrant,
  maxFileSize: number = limits.fileSize,
): Rejected | undefined => {
  const maxSize = Math.min(maxFileSize, limits.fileSize)
  return size <= maxSize
    ? undefined
    : new Rejected({
        code: "FILE_TOO_LARGE",
        detail: `${JSON.stringify(name)} has ${formatByteSize(size)}; this ingest takes files up to ${formatByteSize(maxSize)}.`,
        data: { maxSize },
      })
}

/** The rejection of a file for which the quota of its owner has no room. Who that is, is the app's own business. */
export const fileOverOwnerQuota = (grant: UploadGrant, taken: Taken, quota: number | undefined): Rejected =>
  findLargerThanQuota(grant, quota, `all the storage of its owner, ${formatByteSize(quota ?? 0)}`, {
    maxSize: quota ?? 0,
  }) ??
  new Rejected({
    code: "QUOTA_EXCEEDED",
    detail: `${JSON.stringify(grant.name)}, a file of ${formatByteSize(grant.size)}, does not fit into what is left of the storage quota of the owner. Delete files of this owner first.`,
    cause: describeQuota(taken, quota),
  })

/** The answer to an app whose quota has no room for what the catalog would have to keep. */
export const catalogOverQuota = (what: string): Rejected =>
  new Rejected({
    code: "QUOTA_EXCEEDED",
    detail: `The app's storage quota has no room for ${what}: metadata, results and records of files count as well. Delete files, keep metadata small, or ask for a larger quota.`,
  })

/** The answer to an app that has too many deletions by owner or prefix. */
export const tooManyDeletions = (): Rejected =>
  new Rejected({
    code: "RATE_LIMITED",
    detail: `This app has as many deletions by owner or prefix as it may: ${limits.openDeletions} that are not done, or very many in the last 7 days. Ask again later: listDeletions tells how far they are.`,
    headers: { "retry-after": "10" },
  })

/** The answer to an app that has announced more files than the operator allows. Sizes are bytes. */
export const tooManyExpected = ({
  maxExpectedFiles,
  maxExpectedBytes,
}: {
  readonly maxExpectedFiles: number
  readonly maxExpectedBytes: number
}): Rejected =>
  new Rejected({
    code: "RATE_LIMITED",
    detail:
      `The files of this app that are registered but not uploaded reach a limit of the ingest: ${maxExpectedFiles} files, ` +
      `${formatByteSize(maxExpectedBytes)} with their metadata. Each frees its room when it is uploaded, or eight ` +
      "days after its registration. Keep metadata small; the operator can raise the limit.",
    headers: { "retry-after": "60" },
  })

/** The rejection of a body with more bytes than its URL was signed for. */
export const tooManyBytes = (size: number): Rejected =>
  new Rejected({
    code: "SIZE_MISMATCH",
    detail: `The URL was signed for ${formatByteSize(size)}, but more bytes came. Ask the app for a URL of the right size.`,
  })

/** The rejection of a body that begins or ends at the wrong byte; names the offset to resume from. */
export const resumeAt = (offset: number, detail: string, cause?: unknown): Rejected =>
  new Rejected({ code: "RANGE_MISMATCH", detail, headers: { [names.header.rangeStart]: String(offset) }, cause })

/** The answer to requests that the ingest cannot finish because it is stopping. */
export const stopping = (): Rejected =>
  new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail: "The ingest is stopping. What has arrived is kept; send the same request again in a moment.",
    headers: { "retry-after": "1" },
  })

/** The answer to uploads whose ingest must assume that another one goes on with them. */
export const cutOff = (): Rejected =>
  new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail:
      "The ingest has lost its catalog for a while. What has arrived is kept; send the same request again in a moment.",
    headers: { "retry-after": "1" },
  })

const unavailable = (detail: string, retryAfter: number, cause: unknown): Rejected =>
  new Rejected({ code: "INGEST_UNAVAILABLE", detail, headers: { "retry-after": String(retryAfter) }, cause })

/** The answer while the storage has no room; `cause` tells the operator what to do. */
export const storageFull = (cause: unknown): Rejected =>
  unavailable("The ingest's storage is full. What has arrived is kept; try again later.", 60, cause)

/** The answer while the storage fails. */
export const storageFails = (cause: unknown): Rejected =>
  unavailable("The ingest's storage does not work at the moment. Try again later.", 5, cause)

/** The answer to an app that has used up its share of what all apps share; `retryAfter` in seconds. */
export const shareUsedUp = (detail: string, retryAfter = 5): Rejected =>
  new Rejected({ code: "RATE_LIMITED", detail, headers: { "retry-after": String(retryAfter) } })
