import { listKinds } from "./accepted-files.ts"
import { capitalize, countKind, list, toLimit, writeSize } from "./english-words.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** What a component says before anybody uses it, and where the rest of its code cannot be had. */
const createEnglish = (texts: UploadTexts) =>
  ({
    choose: (isMultiple) => (isMultiple ? "Choose files" : "Choose a file"),
    drop: (isMultiple) => (isMultiple ? "or drop them here" : "or drop it here"),
    dropNow: (isMultiple) => (isMultiple ? "Drop the files to add them" : "Drop the file to add it"),
    loading: () => "Loading…",
    allowed: (config) => {
      const kinds = listKinds(config)
      const sizes = new Set(kinds.map(({ maxFileSize }) => maxFileSize))
      const isMultiple = kinds.length > 1 || kinds[0]!.maxFileCount > 1
      return sizes.size === 1
        ? capitalize(
            `${list(kinds.map(countKind))}, ${toLimit(texts, kinds[0]!.maxFileSize)}${isMultiple ? " each" : ""} at most`,
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

/** What is said the same way ever after. */
export type FirstText = Exclude<keyof ReturnType<typeof createEnglish>, "error" | "fileState">

/**
 * Makes the texts of components as far as nobody uses them yet: the others are added in place by `completeTexts`, with the
 * code that needs them.
 *
 * @param own those of the page, in the place of the English
 */
export const createFirstTexts = (own: Partial<UploadTexts> = {}): UploadTexts => {
  const texts = {} as UploadTexts
  return Object.assign(texts, createEnglish(texts), own)
}
