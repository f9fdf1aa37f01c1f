import { inUnitOf } from "../in-unit-of.ts"
import { isCodeNotLoaded } from "../is-code-not-loaded.ts"
import { type ByteSize, toBytes } from "../../../protocol/byte-size.ts"
import type { RouteConfig } from "../../../protocol/files/route-config.ts"
import { listKinds } from "../../files/accepted-files.ts"
import { foreignAnswerOf, isOfBytes } from "../../diagnosis/foreign-answer.ts"
import { isDevelopment } from "../../diagnosis/is-development.ts"
import { isForOperators } from "../../diagnosis/tell-operator.ts"
import { keepDirection } from "../keep-direction.ts"
import { sayProcessing } from "../say-processing.ts"
import { toReason } from "../to-reason.ts"
import { isProcessing } from "../../controller/upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import { createLanguageAnnouncements } from "./create-language-announcements.ts"
import { createKindPhrases } from "./kind-phrases.ts"
import { createLanguageFormats } from "./language-formats.ts"
import { createLanguagePicture } from "./create-language-picture.ts"
import type { LanguageWords } from "./language-words.ts"
import { sayWords } from "./say-words.ts"

/** The largest size of all kinds, where all have the same. */
const findCommonSize = (config: RouteConfig): ByteSize | undefined => {
  const [size, ...others] = new Set(listKinds(config).map(({ maxFileSize }) => maxFileSize))
  return others.length === 0 ? size : undefined
}

/**
 * All texts in the words of a language.
 *
 * @param own replacements for some of them; the others use these too: `size` in limits, `error` in lists
 */
export const createLanguageTexts = (words: LanguageWords, own: Partial<UploadTexts> = {}): UploadTexts => {
  const formats = createLanguageFormats(words)
  const kinds = createKindPhrases(words, formats)
  const { count, fill, isolate, percent, time } = formats
  const { joins, composed, timeDisplay = "short" } = words
  const put = (sentence: string, shown: string) => sentence.replace("#", () => shown)
  const toLimit = (maxFileSize: ByteSize): string => texts.size(toBytes(maxFileSize))
  const nameKinds = (config: RouteConfig) => listKinds(config).map(kinds.name)
  /** 41 of 180 MB: in one unit, unless the page writes sizes in its own way. */
  const sizeOf = (part: number, whole: number): string => {
    const shown = texts.size === formats.size ? formats.number(inUnitOf(part, whole)) : texts.size(part)
    return fill(words.of, { part: shown, whole: texts.size(whole) })
  }
  const made: UploadTexts = {
    ...sayWords(words.texts, formats),
    dropSome: (taken, all) => fill(count(composed.dropSome, taken), { count: formats.number(all) }),
    dropNone: (config, reason) => {
      if (reason === "count") return composed.dropNone
      const only = fill(composed.only, { kinds: formats.list(nameKinds(config)) })
      const size = findCommonSize(config)
      return size === undefined ? only : fill(composed.each, { list: only, size: toLimit(size) })
    },
    allowed: (config) => {
      const all = listKinds(config)
      const size = findCommonSize(config)
      if (size === undefined)
        return formats.capitalize(
          formats.list(all.map((kind) => `${kinds.limit(kind)} (${toLimit(kind.maxFileSize)})`)),
        )
      const sentence = composed.allowed[all.length > 1 || all[0]!.maxFileCount > 1 ? 1 : 0]
      return formats.capitalize(fill(sentence, { kinds: formats.list(all.map(kinds.limit)), size: toLimit(size) }))
    },
    progress: (value) => put(composed.progress, percent(value)),
    retryIn: (seconds) => put(composed.retryIn, time(seconds, "second", "short")),
    summary: ({ summary }) => {
      const { total, done, failed, active, paused, offline, loaded, bytes } = summary
      if (active + paused === 0)
        return [done > 0 && count(composed.summary.done, done), failed > 0 && count(composed.summary.failed, failed)]
          .filter(Boolean)
          .join(joins.comma)
      if (isProcessing(summary)) return sayProcessing(texts, summary)
      if (offline > 0) return composed.waiting.offline
      const files = fill(words.of, { part: formats.number(done), whole: formats.number(total) })
      return [active === 0 && composed.summary.paused, total > 1 && files, sizeOf(loaded, bytes)]
        .filter(Boolean)
        .join(" · ")
    },
    speed: (bytesPerSecond) => put(composed.speed, texts.size(bytesPerSecond)),
    timeLeft: (seconds) => {
      if (seconds < 10) return composed.fewSecondsLeft
      const minutes = Math.ceil(seconds / 60)
      const [value, unit] =
        seconds < 60
          ? [Math.ceil(seconds / 10) * 10, "second" as const]
          : minutes < 100
            ? [minutes, "minute" as const]
            : [Math.round(minutes / 60), "hour" as const]
      return count(composed.timeLeft, value, time(value, unit, timeDisplay))
    },
    labelled: (action, label) => `${action}${joins.comma}${label}`,
    actOn: (action, fileName) => `${action}${joins.colon}${isolate(fileName)}`,
    size: formats.size,
    fileState: (item) => {
      const { status, size = 0, loaded, progress, waitingFor, error } = item
      const { queued, paused, done, aborted } = composed.fileState
      switch (status) {
        case "picked":
          return texts.size(size)
        case "queued":
          return `${texts.size(size)}${joins.comma}${queued}`
        case "uploading":
          return `${sizeOf(loaded, size)}${joins.comma}${percent(progress)}`
        case "waiting":
          return waitingFor === "offline" || waitingFor === "locked"
            ? composed.waiting[waitingFor]
            : texts.waitingAfter(error)
        case "processing":
          return sayProcessing(texts, item)
        case "paused":
          return put(paused, percent(progress))
        case "done": {
          const stored = size > 0 ? `${done}${joins.comma}${texts.size(size)}` : done
          return item.isHeld ? `${stored} · ${texts.checking()}` : stored
        }
        case "aborted":
          return aborted
        case "failed":
          return texts.error(error!)
      }
    },
    error: (error) => {
      if (isCodeNotLoaded(error)) return composed.error.codeNotLoaded
      const { code, detail, status } = error
      if (code === "REJECTED") return texts.rejected(toReason(detail))
      const advice: { readonly [code: string]: string } = composed.error
      if (isForOperators(error) && !isDevelopment()) {
        if (status !== 413) return advice[code] ?? texts.notSetUp(code)
        // A limit of somebody in front: smaller files arrive, or fewer.
        return isOfBytes(error) ? composed.error.tooLargeForServer : composed.error.tooManyAtOnce
      }
      if (isForOperators(error)) return isolate(keepDirection(detail))
      if (advice[code]) return advice[code]
      if (foreignAnswerOf(error) === undefined) return isolate(keepDirection(detail))
      return status === 401 ? composed.error.signedOut : composed.error.refused
    },
    waitingAfter: (error) => {
      const again: { readonly [code: string]: string } = composed.again
      return fill(composed.waitingAfter, { reason: again[error?.code ?? "NETWORK_ERROR"] ?? composed.again.other })
    },
    announce: {},
    picture: {},
    rejected: (reason) => (reason === "" ? composed.rejected.plain : put(composed.rejected.because, isolate(reason))),
    removed: (name, removed) => {
      const { one, several } = words.announcements.removed
      return removed === 1 ? fill(one, { name: isolate(name) }) : count(several, removed)
    },
    capture: (kind) => composed.capture[kind],
    nameMistake: (mistake) => composed.nameMistake[mistake],
    uploading: (files) => count(words.announcements.started, files),
    failedFile: (name, reason) => `${isolate(name)}${joins.colon}${reason}`,
    failedFiles: (summary, reason, isShared) => `${summary}${isShared ? joins.colon : joins.stop}${reason}`,
    typeNotAllowed: (config) =>
      fill(composed.typeNotAllowed, { kinds: formats.list(nameKinds(config), "disjunction") }),
    tooLarge: (size, maxSize) => fill(composed.tooLarge, { size: texts.size(size), max: texts.size(maxSize) }),
    tooMany: (kind) => fill(composed.tooMany, { files: kinds.count(kind, kind.maxFileCount) }),
    chooseMore: (kind, missing) => fill(composed.chooseMore, { files: kinds.count(kind, missing) }),
    limits: (config) => fill(composed.limits, { limits: texts.allowed(config) }),
    interruptedState: ({ loaded, size }) =>
      loaded
        ? `${fill(composed.interruptedState, { sent: sizeOf(loaded, size) })}${joins.comma}${percent(Math.floor((loaded / size) * 100))}`
        : texts.size(size),
    blocksForm: ({ name, canRetry }) => fill(composed.blocksForm[canRetry ? 1 : 0], { name: isolate(name) }),
    otherFile: (size, chosen) => fill(count(composed.otherFile, chosen), { size: texts.size(size) }),
    // In the style of system screenshots, but without colons, which some file systems do not allow.
    pastedImage: (at) => put(composed.pastedImage, at.toTimeString().slice(0, 8).replaceAll(":", ".")),
  }
  const texts = Object.assign(made, own)
  return Object.assign(texts, {
    announce: { ...createLanguageAnnouncements(words, formats, texts), ...own.announce },
    picture: { ...createLanguagePicture(words, formats), ...own.picture },
  })
}
