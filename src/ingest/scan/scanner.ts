/** What a scanner says of a file. */
export type ScanVerdict =
  | { readonly kind: "clean" }
  /** `name` is of the scanner's choosing, without control characters and at most 100 characters long. */
  | { readonly kind: "found"; readonly name: string }

/** Looks into files. */
export interface Scanner {
  /** Where it is, for the log. */
  readonly address: string
  /**
   * Looks at one file, whose bytes are pulled only as fast as the scanner takes them.
   *
   * Fails: rejects with {@link ScannerError}, or with the error of `bytes`. When the signal is aborted it rejects at once,
   *        with any error.
   */
  readonly scan: (bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<ScanVerdict>
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
  constructor(reason: ScannerReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
