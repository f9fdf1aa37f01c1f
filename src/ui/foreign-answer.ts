import type { ForeignAnswer } from "../protocol/parse-problem.ts"
import type { UploadError } from "../protocol/upload-error.ts"

/** What somebody else than Sluice has answered, if that is what an error is about. */
export const foreignAnswerOf = ({ cause }: UploadError): ForeignAnswer | undefined =>
  (cause as Partial<ForeignAnswer> | null | undefined)?.at === undefined ? undefined : (cause as ForeignAnswer)

/**
 * Whether an error with status 413 is about the bytes of a file, which the ingest is sent, and not about their announcement:
 * by its words, since a problem document says nothing else of where it was made.
 */
export const isOfBytes = ({ detail }: UploadError): boolean => /\bthe ingest\b/i.test(detail)
