import type { ForeignAnswer } from "../../protocol/errors/parse-problem.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"

/** What somebody else than Sluice has answered, if that is what an error is about. */
export const foreignAnswerOf = ({ cause }: UploadError): ForeignAnswer | undefined =>
  // Texts and arrays have a method of that name.
  typeof (cause as Partial<ForeignAnswer> | null | undefined)?.at === "string" ? (cause as ForeignAnswer) : undefined

/**
 * Whether an error with status 413 is about the bytes of a file, which the ingest is sent, and not about their announcement:
 * by its words, since a problem document says nothing else of where it was made.
 */
export const isOfBytes = ({ detail }: UploadError): boolean => /\bthe ingest\b/i.test(detail)
