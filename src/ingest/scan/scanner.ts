import type * as Effect from "effect/Effect"
import type { Rejected } from "../../server-kit/rejected.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"

/** What a scanner has decided about a file. */
export type ScanVerdict =
  | { readonly kind: "clean" }
  /** `name` of what was found, for the log; `reason` is what its app and its sender are told. */
  | { readonly kind: "found"; readonly name?: string | undefined; readonly reason?: string | undefined }

/**
 * Gives a verdict, to this file and to no newer one of its key. Returns whether it counts: nobody has judged or deleted the
 * file before.
 *
 * Fails: as the catalog does.
 */
export type JudgeHeld = (
  file: Pick<FileRecord, "id" | "key" | "appId">,
  verdict: ScanVerdict,
) => Effect.Effect<boolean, Rejected>

/** What a scanner answers. */
export type ScanAnswer =
  | ScanVerdict
  /** The verdict comes by itself, before `until`, ms since the epoch. */
  | { readonly kind: "later"; readonly until: number }

/** A file that is held, as scanners see it. */
export interface HeldFile extends Pick<
  FileRecord,
  "id" | "key" | "appId" | "name" | "size" | "type" | "fileHash" | "uploadedAt"
> {
  /** All of its bytes and no others. Nothing is read before the first one is asked for. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/** Looks into files. `Held` is what it needs of them. */
export interface Scanner<Held = HeldFile> {
  /** Where it is, for the log. */
  readonly address: string
  /** What operators can do about a file that it does not decide about: sentences. */
  readonly help: string
  /**
   * Looks at one file, whose bytes are pulled only as fast as the scanner takes them.
   *
   * Fails: rejects with {@link ScannerError}, or with the error of the file's bytes. When the signal is aborted it rejects
   *        at once, with any error.
   */
  readonly scan: (file: Held, signal: AbortSignal) => Promise<ScanAnswer>
}

/** Why a scanner has decided nothing. */
export type ScannerReason =
  /** It cannot be reached, whichever file it is. */
  | "away"
  /** It was reached, and then did not answer: not in time, or not at all. The file may be the cause. */
  | "silent"
  /** It closed the connection before it had the whole file: that is too large for it, or it is being stopped. */
  | "hungUp"
  /** It answers that it does not decide about this file, as for one that is too large for it. */
  | "refused"

/** How a {@link Scanner} fails. */
export class ScannerError extends Error {
  override readonly name = "ScannerError"
  readonly reason: ScannerReason
  /** What operators can do about it, where it says more than the scanner's own help. */
  readonly help: string | undefined
  constructor(reason: ScannerReason, message: string, cause?: unknown, help?: string) {
    super(message, { cause })
    this.reason = reason
    this.help = help
  }
}
