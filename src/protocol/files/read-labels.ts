import { type ByteSize, parseByteSize } from "../byte-size.ts"
import { type DurationInput, parseDuration } from "../duration.ts"
import { type FileLabels, findOwnerMistake, findStoredPathMistake } from "./file-labels.ts"
import { accept, type Outcome, refuse } from "../errors/outcome.ts"
import type { Sealer } from "../signing/seal.ts"
import type { MaybePromise } from "../signing/signature.ts"
import type { UploadGrant } from "../signing/signed-url.ts"

/** What an app says of a file for itself, as people write it. */
export interface FileLabelsInput {
  /** Whose the file is: the id of a user or of a team, 1 to 256 bytes. No browser can read it. */
  readonly owner?: string | undefined
  /** Where the app files it: `photos/2026/beach.jpg`. A label, not an address: it may change, and need not be unique. */
  readonly path?: string | undefined
  /** What all files of this owner may take together, `"1GB"` or bytes: beyond it the upload is refused. */
  readonly ownerQuota?: ByteSize | number | undefined
  /** How long the file is kept once it has arrived, `"30 days"` or seconds. Default for ever. */
  readonly expiresIn?: DurationInput | undefined
  /**
   * How long the file may wait for `claimFiles` once it has arrived, `"24 hours"` or seconds. Until then only a signed
   * URL reads it; one that nobody claims is deleted. Default: it needs no claim.
   */
  readonly claim?: DurationInput | undefined
  /**
   * Whether only those who decide about the file can read it, and no callback is sent for it, until `releaseFiles` or the ingest's scanner says
   * that it is clean. Default false.
   */
  readonly hold?: boolean | undefined
}

/** The names of {@link FileLabelsInput}. */
export const labelFields = [
  "owner",
  "path",
  "ownerQuota",
  "expiresIn",
  "claim",
  "hold",
] as const satisfies ReadonlyArray<keyof FileLabelsInput>

/**
 * Checks labels, and reads sizes and durations.
 *
 * Fails: as a value, code INVALID_CONFIG, worded as what was expected.
 *
 * @returns undefined where nothing is said of the file
 */
export const readLabels = (input: FileLabelsInput): Outcome<FileLabels | undefined> => {
  const { owner, path, ownerQuota, expiresIn, claim, hold } = input
  const mistake =
    (owner === undefined ? undefined : findOwnerMistake(owner)) ??
    (path === undefined ? undefined : findStoredPathMistake(path)) ??
    (ownerQuota !== undefined && owner === undefined ? "an owner beside ownerQuota" : undefined) ??
    // A word that is meant as yes or no must not decide by being there.
    (hold !== undefined && typeof hold !== "boolean" ? "hold to be true or false" : undefined)
  if (mistake !== undefined) return refuse("INVALID_CONFIG", `Expected ${mistake}.`)
  const quota = ownerQuota === undefined ? undefined : parseByteSize(ownerQuota)
  if (quota?.ok === false) return refuse("INVALID_CONFIG", `ownerQuota: ${quota.detail}`)
  const keepFor = expiresIn === undefined ? undefined : parseDuration(expiresIn)
  if (keepFor?.ok === false) return refuse("INVALID_CONFIG", `expiresIn: ${keepFor.detail}`)
  const claimWithin = claim === undefined ? undefined : parseDuration(claim)
  if (claimWithin?.ok === false) return refuse("INVALID_CONFIG", `claim: ${claimWithin.detail}`)
  const labels: FileLabels = {
    ...(owner !== undefined && { owner }),
    ...(path !== undefined && { path }),
    ...(quota !== undefined && { ownerQuota: quota.value }),
    ...(keepFor !== undefined && { keepFor: keepFor.value }),
    ...(claimWithin !== undefined && { claimWithin: claimWithin.value }),
    ...(hold === true && { hold }),
  }
  return accept(Object.keys(labels).length === 0 ? undefined : labels)
}

/** Labels as they travel in the URL of a file. */
export const sealLabels = (
  sealer: Sealer,
  { appId, key }: Pick<UploadGrant, "appId" | "key">,
  labels: FileLabels,
): MaybePromise<string> => sealer.seal(JSON.stringify(labels), { appId, fileKey: key })
