import { listKinds, takesSeveral } from "../files/accepted-files.ts"
import { capitalize, countKind, list, toLimit, writeSize } from "./english-words.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** The texts of a component before its first use, and where the rest of its code cannot be loaded. */
const createEnglish = (texts: UploadTexts) =>
  ({
    choose: (isMultiple) => (isMultiple ? "Choose files" : "Choose a file"),
    drop: (isMultiple) => (isMultiple ? "or drop them here" : "or drop it here"),
    dropNow: (isMultiple) => (isMultiple ? "Drop the files to add them" : "Drop the file to add it"),
    loading: () => "Loading…",
    allowed: (config) => {
      const kinds = listKinds(config)
      const sizes = new Set(kinds.map(({ maxFileSize }) => maxFileSize))
      return sizes.size === 1
        ? capitalize(
            `${list(kinds.map(countKind))}, ${toLimit(texts, kinds[0]!.maxFileSize)}${takesSeveral(config) ? " each" : ""} at most`,
          )
        : capitalize(list(kinds.map((kind) => `${countKind(kind)} (${toLimit(texts, kind.maxFileSize)})`)))
    },
    cancel: () => "Cancel",
    retry: () => "Try again",
    remove: () => "Remove",
    clear: () => "Clear",
    labelled: (action, label) => `${action}, ${label}`,
    actOn: (action, fileName) => `${action} ${fileName}`,
    failedFile: (fileName, reason) => `${fileName}: ${reason}`,
    files: () => "Files",
    size: writeSize,
    error: ({ detail }) => detail,
    fileState: ({ status, error, size = 0 }) =>
      error
        ? texts.error(error)
        : status === "queued"
          ? texts.size(size)
          : size > 0
            ? `Uploaded, ${texts.size(size)}`
            : "Uploaded",
  }) satisfies Partial<UploadTexts>

/** Texts that stay the same later on. */
export type FirstText = Exclude<keyof ReturnType<typeof createEnglish>, "error" | "fileState">

/**
 * Makes the texts that components need before their first use: `completeTexts` adds the others in place, with the code
 * that needs them.
 *
 * @param own those that the page replaces
 */
export const createFirstTexts = (own: Partial<UploadTexts> = {}): UploadTexts => {
  const texts = {} as UploadTexts
  return Object.assign(texts, createEnglish(texts), own)
}
