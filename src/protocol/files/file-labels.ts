import { findPathMistake } from "./file-path.ts"
import { isLonger } from "../is-longer.ts"
import { limits } from "../limits.ts"

/**
 * What an app says of a file for itself. It travels sealed in the upload URL, so that no browser can read it.
 *
 * Source: docs/protocol.md §4.
 */
export interface FileLabels {
  /** Whose the file is: 1 to 256 bytes of UTF-8. */
  readonly owner?: string | undefined
  /** Where the app files it: `photos/2026/beach.jpg`. Two files may have the same one. */
  readonly path?: string | undefined
  /** What the files of the owner may take, stored and announced together. Bytes. */
  readonly ownerQuota?: number | undefined
  /** How long the file is kept once it has arrived, ms. */
  readonly keepFor?: number | undefined
  /** How long the file waits to be claimed once it has arrived, ms. */
  readonly claimWithin?: number | undefined
  /** Whether it is read by nobody until a verdict. */
  readonly hold?: boolean | undefined
}

/** What is wrong with the owner of a file, worded as what was expected; undefined where nothing is. */
export const findOwnerMistake = (owner: string): string | undefined =>
  typeof owner !== "string" ||
  owner === "" ||
  !owner.isWellFormed() ||
  owner.includes("\0") ||
  isLonger(owner, limits.owner)
    ? `an owner of 1 to ${limits.owner} bytes of whole Unicode characters, without NUL`
    : undefined

/** What is wrong with the path of a stored file, worded as what was expected; undefined where nothing is. */
export const findStoredPathMistake = (path: string): string | undefined =>
  typeof path !== "string" || isLonger(path, limits.storedPath)
    ? `a path of at most ${limits.storedPath} bytes`
    : findPathMistake(path)
