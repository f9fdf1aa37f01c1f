import type { ProblemCode } from "../protocol/problem.ts"
import { parseByteSize } from "../protocol/byte-size.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { UploadError } from "../protocol/upload-error.ts"
import { type AcceptedKind, listKinds } from "./accepted-files.ts"
import type { UploadItem, UploadState } from "./upload-state.ts"

/** Everything the components say. Each may be replaced on its own, for another language or another tone. */
export interface UploadTexts {
  readonly choose: (isMultiple: boolean) => string
  /** Beside the button of a dropzone. */
  readonly drop: (isMultiple: boolean) => string
  /** While files are held over the dropzone. */
  readonly dropNow: (isMultiple: boolean) => string
  readonly loading: () => string
  /** Which files, how many, how large. */
  readonly allowed: (config: RouteConfig) => string
  /** On the button that starts the upload. */
  readonly upload: (count: number) => string
  readonly progress: (percent: number) => string
  readonly pause: () => string
  readonly resume: () => string
  readonly cancel: () => string
  readonly retry: () => string
  readonly remove: () => string
  readonly clear: () => string
  /** An action on one file, for screen readers: `Pause`, `a.png` → `Pause a.png`. */
  readonly actOn: (action: string, fileName: string) => string
  /** Name of the list of files. */
  readonly files: () => string
  readonly size: (bytes: number) => string
  /** State of one file, below its name. */
  readonly fileState: (item: UploadItem) => string
  /** What went wrong and what to do, in words for the user. */
  readonly error: (error: UploadError) => string
  /** What a screen reader is told when it changes; empty for nothing. */
  readonly announce: (state: UploadState) => string
  readonly typeNotAllowed: (config: RouteConfig) => string
  /** Both in bytes. */
  readonly tooLarge: (size: number, maxSize: number) => string
  readonly tooMany: (kind: AcceptedKind) => string
  /** Name of the list of uploads that were interrupted. */
  readonly interrupted: () => string
  readonly continue: () => string
  /** Like `continue`, where the user has to pick the file again. */
  readonly chooseAgain: () => string
  readonly discard: () => string
}

/** Forms of a phrase by plural category, `#` for the number: `{ one: "# file", other: "# files" }`. */
export type PluralForms = { readonly [category in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** Picks the right form for a number in a language: `createPlural("pl")({ one: "# plik", few: "# pliki", other: "# plików" }, 3)`. */
export const createPlural = (locale: string): ((forms: PluralForms, count: number) => string) => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (forms, count) => (forms[rules.select(count)] ?? forms.other).replace("#", numbers.format(count))
}

/** Writes bytes for people of a language, in the binary units of the routes' configuration: 4,194,304 → `4 MB`. */
export const createSizeFormat = (locale: string): ((bytes: number) => string) => {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const units = ["B", "KB", "MB", "GB", "TB"]
  return (bytes) => {
    let value = bytes
    let unit = 0
    for (; value >= 1023.95 && unit < units.length - 1; unit++) value /= 1024
    return `${numbers.format(value)}\u00a0${units[unit]}`
  }
}

const plural = createPlural("en")
const list = new Intl.ListFormat("en")

const nouns: Readonly<Record<string, PluralForms>> = {
  image: { one: "# image", other: "# images" },
  video: { one: "# video", other: "# videos" },
  audio: { one: "# audio file", other: "# audio files" },
  pdf: { one: "# PDF", other: "# PDFs" },
  text: { one: "# text file", other: "# text files" },
  blob: { one: "# file", other: "# files" },
}

/** `image/svg+xml` → `SVG`, `application/vnd.ms-excel` → `MS-EXCEL`. */
const toNoun = (kind: string): PluralForms => {
  const name = kind
    .slice(kind.indexOf("/") + 1)
    .replace(/^(?:x-|vnd\.)/, "")
    .replace(/\+\w+$/, "")
    .toUpperCase()
  return nouns[kind] ?? { one: `# ${name} file`, other: `# ${name} files` }
}

const toLimit = (texts: UploadTexts, maxFileSize: string): string => {
  const bytes = parseByteSize(maxFileSize)
  return bytes.ok ? texts.size(bytes.value) : maxFileSize
}

const countKind = ({ kind, minFileCount, maxFileCount }: AcceptedKind): string => {
  const most = plural(toNoun(kind), maxFileCount)
  if (maxFileCount === 1) return most
  return minFileCount === maxFileCount ? most : minFileCount > 1 ? `${minFileCount} to ${most}` : `up to ${most}`
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const files = (count: number): string => plural(nouns["blob"]!, count)

/** Where the code says more to a user than the server's own words. */
const advice: { readonly [code in ProblemCode]?: string } = {
  NETWORK_ERROR: "The connection broke. Check it and try again.",
  INTERNAL_ERROR: "Something went wrong on the server. Try again in a moment.",
  INGEST_UNAVAILABLE: "The storage cannot be reached. Try again in a moment.",
  RATE_LIMITED: "Too many uploads at once. Try again in a moment.",
  QUOTA_EXCEEDED: "The storage is full.",
  CONTENT_MISMATCH: "The content is not what the file name says.",
  EXPIRED_URL: "This took too long. Choose the file again.",
  CALLBACK_FAILED: "The file arrived, but could not be processed. Try again.",
  CALLBACK_TIMEOUT: "The file arrived, but is still being processed.",
}

const waiting = {
  retry: "Connection lost, trying again",
  offline: "Offline, goes on when you are back",
  locked: "Being uploaded in another tab",
}

/** The English texts, some of them replaced. What is replaced is also what the others use: `size` in limits, `error` in lists. */
export const createUploadTexts = (own: Partial<UploadTexts> = {}): UploadTexts => {
  const texts: UploadTexts = {
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
            `${list.format(kinds.map(countKind))}, ${toLimit(texts, kinds[0]!.maxFileSize)}${isMultiple ? " each" : ""} at most`,
          )
        : capitalize(list.format(kinds.map((kind) => `${countKind(kind)} (${toLimit(texts, kind.maxFileSize)})`)))
    },
    upload: (count) => `Upload ${files(count)}`,
    progress: (percent) => `Uploading ${percent} %`,
    pause: () => "Pause",
    resume: () => "Resume",
    cancel: () => "Cancel",
    retry: () => "Try again",
    remove: () => "Remove",
    clear: () => "Clear",
    actOn: (action, fileName) => `${action} ${fileName}`,
    files: () => "Files",
    size: createSizeFormat("en"),
    fileState: ({ status, file, loaded, progress, waitingFor, error }) => {
      switch (status) {
        case "picked":
          return texts.size(file.size)
        case "queued":
          return `${texts.size(file.size)}, waiting`
        case "uploading":
          return `${texts.size(loaded)} of ${texts.size(file.size)}, ${progress} %`
        case "waiting":
          return waiting[waitingFor ?? "retry"]
        case "paused":
          return `Paused at ${progress} %`
        case "done":
          return texts.size(file.size)
        case "aborted":
          return "Cancelled"
        case "failed":
          return texts.error(error!)
      }
    },
    error: ({ code, detail }) => advice[code] ?? detail,
    announce: ({ status, files: items }) => {
      const count = (of: UploadItem["status"]) => items.filter((item) => item.status === of).length
      switch (status) {
        case "idle":
          return ""
        case "picked":
          return `${files(count("picked"))} chosen`
        case "uploading":
          // The same until it ends: a change is read out.
          return `Uploading ${files(count("uploading") + count("queued") + count("waiting") + count("done"))}`
        case "paused":
          return "Paused"
        case "done":
          return `${files(count("done"))} uploaded`
        case "failed": {
          const first = items.find((item) => item.status === "failed")
          const done = count("done")
          const failed = `${files(count("failed"))} failed. ${first!.file.name}: ${texts.error(first!.error!)}`
          return done > 0 ? `${files(done)} uploaded, ${failed}` : failed
        }
      }
    },
    typeNotAllowed: (config) => {
      const kinds = listKinds(config).map(({ kind }) => toNoun(kind).other.replace("# ", ""))
      return `Not allowed here. Choose ${new Intl.ListFormat("en", { type: "disjunction" }).format(kinds)}.`
    },
    tooLarge: (bytes, maxSize) => `${texts.size(bytes)} is too large, at most ${texts.size(maxSize)} is allowed.`,
    tooMany: ({ kind, maxFileCount }) => `Too many: at most ${plural(toNoun(kind), maxFileCount)} at a time.`,
    interrupted: () => "Interrupted uploads",
    continue: () => "Continue",
    chooseAgain: () => "Choose it again to continue",
    discard: () => "Discard",
  }
  return Object.assign(texts, own)
}

/** The English texts. */
export const english: UploadTexts = /* @__PURE__ */ createUploadTexts()
