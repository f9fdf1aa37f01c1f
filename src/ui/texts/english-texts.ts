import { inUnitOf } from "./in-unit-of.ts"
import { isCodeNotLoaded } from "./is-code-not-loaded.ts"
import type { ProblemCode } from "../../protocol/errors/problem.ts"
import { type AcceptedKind, listKinds } from "../files/accepted-files.ts"
import { list, plural, toLimit, toNoun, writeNumber, writeSize } from "./english-words.ts"
import { createFirstTexts, type FirstText } from "./first-texts.ts"
import { foreignAnswerOf, isOfBytes } from "../diagnosis/foreign-answer.ts"
import { isDevelopment } from "../diagnosis/is-development.ts"
import { isForOperators } from "../diagnosis/tell-operator.ts"
import { keepDirection } from "./keep-direction.ts"
import { sayProcessing } from "./say-processing.ts"
import { toReason } from "./to-reason.ts"
import { isProcessing } from "../controller/upload-state.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** `image` → `images`. */
const nameKind = (kind: AcceptedKind): string => toNoun(kind).other.replace("# ", "")

const files = (count: number): string => plural(toNoun({ kind: "blob" }), count)

/** 41 of 180 MB: in one unit, unless the page writes sizes in its own way. */
const sizeOf = (texts: UploadTexts, part: number, whole: number): string =>
  `${texts.size === writeSize ? writeNumber(inUnitOf(part, whole)) : texts.size(part)} of ${texts.size(whole)}`

/** Texts for codes where the code tells the user more than the server's own message. */
const advice: { readonly [code in ProblemCode]?: string } = {
  NETWORK_ERROR: "The connection broke. Check it and try again.",
  INTERNAL_ERROR: "Something went wrong on the server. Try again in a moment.",
  ROUTE_FAILED: "Something went wrong on the server.",
  ROUTE_NOT_FOUND: "This page is out of date. Reload it.",
  INGEST_UNAVAILABLE: "The storage cannot be reached. Try again in a moment.",
  RATE_LIMITED: "Too many uploads at once. Try again in a moment.",
  QUOTA_EXCEEDED: "The storage is full. Delete something first.",
  CONTENT_MISMATCH: "The content is not what the file name says. Choose another file.",
  EXPIRED_URL: "This took too long. Choose the file again.",
  CALLBACK_FAILED: "The file arrived, but could not be processed. Try again.",
  CALLBACK_TIMEOUT: "The file arrived, but is still being processed.",
  LOCKED: "The file is still being uploaded from elsewhere. Try again in a moment.",
  RANGE_MISMATCH: "The upload was interrupted. Try again.",
  SIZE_MISMATCH: "The file changed while it was uploaded. Choose it again.",
  DIGEST_MISMATCH: "The file was damaged on the way. Choose it again.",
}

/** Why an attempt failed that is repeated; without a text, the server has answered with an error. */
const again: { readonly [code in ProblemCode]?: string } = {
  NETWORK_ERROR: "The server cannot be reached",
  RATE_LIMITED: "Too many uploads at once",
  INGEST_UNAVAILABLE: "The storage cannot take it now",
  LOCKED: "Being uploaded from elsewhere",
  CALLBACK_TIMEOUT: "The app is still working on it",
}

const waiting = {
  offline: "Offline, continues when you are back",
  locked: "Being uploaded in another tab",
}

const createEnglish = (texts: UploadTexts): Omit<UploadTexts, FirstText> => ({
  dropSome: (taken, count) => `${taken} of these ${count} can be added`,
  dropNone: (config, reason) => {
    if (reason === "count") return "No more files can be added"
    const kinds = listKinds(config)
    const sizes = new Set(kinds.map(({ maxFileSize }) => maxFileSize))
    const size = sizes.size === 1 ? `, ${toLimit(texts, kinds[0]!.maxFileSize)} each` : ""
    return `Only ${list(kinds.map(nameKind))}${size}`
  },
  dropOnto: (name) => `Drop to add to ${name}`,
  upload: (count) => `Upload ${files(count)}`,
  processing: () => "Sent, waiting for the app…",
  checking: () => "Being checked…",
  progress: (percent) => `Uploading ${percent} %`,
  pause: () => "Pause",
  resume: () => "Resume",
  tryNow: () => "Try now",
  retryIn: (seconds) => ` in ${seconds} s`,
  retrying: (count) => (count === 1 ? "1 file tries again" : `${files(count)} try again`),
  replaced: (name) => `${name} replaced`,
  removed: (name, count) => `${count === 1 ? name : files(count)} removed`,
  undo: () => "Undo",
  capture: (kind) => (kind === "photo" ? "Take a photo" : "Record a video"),
  move: () => "Move",
  rename: () => "Rename",
  newName: (fileName) => `New name of ${fileName}`,
  nameMistake: (mistake) =>
    ({
      empty: "Type a name, or press Escape to keep the old one.",
      character: "A name cannot contain / or \\ or line breaks. Take them out.",
      length: "This name is too long. Shorten it.",
    })[mistake],
  pauseAll: () => "Pause all",
  resumeAll: () => "Resume all",
  cancelAll: () => "Cancel all",
  retryAll: (count) => `Try again ${count}`,
  removeFinished: () => "Remove finished",
  removeFailed: () => "Remove failed",
  summary: ({ summary }) => {
    const { total, done, failed, active, paused, offline, loaded, bytes } = summary
    const isOpen = active + paused > 0
    if (isOpen && isProcessing(summary)) return sayProcessing(texts, summary)
    if (offline > 0) return waiting.offline
    const count = isOpen ? total > 1 && `${done} of ${total}` : done > 0 && `${done} uploaded`
    if (!isOpen) return [count, failed > 0 && `${failed} failed`].filter(Boolean).join(", ")
    return [active === 0 && "Paused", count, sizeOf(texts, loaded, bytes)].filter(Boolean).join(" · ")
  },
  speed: (bytes) => `${texts.size(bytes)}/s`,
  timeLeft: (seconds) => {
    if (seconds < 60) return seconds < 10 ? "a few seconds left" : `${Math.ceil(seconds / 10) * 10}\u00a0s left`
    const minutes = Math.ceil(seconds / 60)
    return minutes < 100 ? `${minutes}\u00a0min left` : `${Math.round(minutes / 60)}\u00a0h left`
  },
  fileState: (item) => {
    const { status, size = 0, loaded, progress, waitingFor, error } = item
    switch (status) {
      case "picked":
        return texts.size(size)
      case "queued":
        return `${texts.size(size)}, waiting`
      case "uploading":
        return `${sizeOf(texts, loaded, size)}, ${progress} %`
      case "waiting":
        return waitingFor === "offline" || waitingFor === "locked" ? waiting[waitingFor] : texts.waitingAfter(error)
      case "processing":
        return sayProcessing(texts, item)
      case "paused":
        return `Paused at ${progress} %`
      case "done": {
        const stored = size > 0 ? `Uploaded, ${texts.size(size)}` : "Uploaded"
        return item.isHeld ? `${stored} · ${texts.checking()}` : stored
      }
      case "aborted":
        return "Cancelled"
      case "failed":
        return texts.error(error!)
    }
  },
  error: (error) => {
    if (isCodeNotLoaded(error)) return error.detail
    const { code, detail, status } = error
    if (code === "REJECTED") return texts.rejected(toReason(detail))
    if (isForOperators(error) && !isDevelopment()) {
      if (status !== 413) return advice[code] ?? texts.notSetUp(code)
      // A limit of somebody in front: smaller files arrive, or fewer.
      return isOfBytes(error) ? "The file is too large for this server." : "Too many files at once. Choose fewer."
    }
    if (isForOperators(error)) return keepDirection(detail)
    if (advice[code]) return advice[code]
    if (foreignAnswerOf(error) === undefined) return keepDirection(detail)
    return status === 401 ? "You are signed out. Sign in and try again." : "The server refused this upload."
  },
  rejected: (reason) => (reason === "" ? "The file was rejected." : `Rejected: ${reason}`),
  failedFiles: (summary, reason, isShared) => `${summary}${isShared ? ":" : "."} ${reason}`,
  notUploaded: () => "Not uploaded",
  affected: (count) => (count === 1 ? "1 file is affected" : `${files(count)} are affected`),
  waitingAfter: (error) =>
    `${again[error?.code ?? "NETWORK_ERROR"] ?? "The server answered with an error"}, trying again`,
  notSetUp: (code) => `Uploads are not set up here. (${code})`,
  announce: {},
  picture: {},
  typeNotAllowed: (config) => {
    const kinds = listKinds(config).map(nameKind)
    return `Not allowed here. Choose ${list(kinds, "or")}.`
  },
  empty: () => "The file is empty. Choose another one.",
  unnamed: () => "The file has no name. Give it one and choose it again.",
  tooLarge: (bytes, maxSize) => `${texts.size(bytes)} is too large, at most ${texts.size(maxSize)} is allowed.`,
  tooMany: (kind) => `Too many: at most ${plural(toNoun(kind), kind.maxFileCount)}.`,
  chooseMore: (kind, count) => {
    const [number, ...noun] = plural(toNoun(kind), count).split(" ")
    return `Choose at least ${number} more ${noun.join(" ")}`
  },
  limits: (config) => `Not allowed here. ${texts.allowed(config)}.`,
  interrupted: () => "Interrupted uploads",
  interruptedState: ({ loaded, size }) =>
    loaded ? `${sizeOf(texts, loaded, size)} uploaded, ${Math.floor((loaded / size) * 100)} %` : texts.size(size),
  continue: () => "Continue",
  chooseAgain: () => "Choose it again to continue",
  discard: () => "Discard",
  blocksForm: ({ name, canRetry }) =>
    `${name} was not uploaded. ${canRetry ? "Try again or remove it." : "Remove it."}`,
  uploadFirst: (count) =>
    count === 1
      ? "Upload the chosen file first, or clear it."
      : `Upload the ${count} chosen files first, or clear them.`,
  stillChecking: () => "Wait until all files are checked, or cancel them.",
  stillUploading: () => "Wait until all files are uploaded, or cancel them.",
  continueAll: () => "Continue all",
  discardAll: () => "Discard all",
  otherFile: (size, count) =>
    count === 1
      ? `This is another file (${texts.size(size)} expected). Upload it as well?`
      : `These are other files (${texts.size(size)} expected). Upload them as well?`,
  uploadToo: () => "Upload as well",
  leaveOut: () => "Leave out",
  emptyFolder: () => "No files in this folder.",
  unreadableFolder: () => "This folder cannot be read. Check that you may open it, and drop it again.",
  unreadableFile: () => "This file cannot be read. Check that you may open it, and choose it again.",
  // In the style of system screenshots, but without colons, which some file systems do not allow.
  pastedImage: (at) => `Pasted image ${at.toTimeString().slice(0, 8).replaceAll(":", ".")}`,
  uploads: () => "Uploads",
  uploading: (count) => `Uploading ${files(count)}`,
  showFiles: () => "Files",
  close: () => "Close",
})

/**
 * Adds the texts of components in use to the first texts.
 *
 * @param texts of `createFirstTexts`
 * @param own   those that the page replaces
 */
export const completeTexts = (texts: UploadTexts, own: Partial<UploadTexts> = {}): UploadTexts =>
  Object.assign(texts, createEnglish(texts), own)

/** The English texts, some of them replaced. The others use the replaced ones: `size` in limits, `error` in lists. */
export const createUploadTexts = (own: Partial<UploadTexts> = {}): UploadTexts =>
  completeTexts(createFirstTexts(own), own)

/** The English texts. */
export const english: UploadTexts = /* @__PURE__ */ createUploadTexts()
