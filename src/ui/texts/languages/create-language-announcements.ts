import type { AnnouncementTexts } from "../announcement-texts.ts"
import type { UploadItem } from "../../controller/upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import type { LanguageFormats, TimeUnit } from "./language-formats.ts"
import type { LanguageWords } from "./language-words.ts"
import { sayWords } from "./say-words.ts"

/** Only as precise as it is certain. */
const toDuration = (seconds: number): readonly [value: number, unit: TimeUnit] =>
  seconds < 90
    ? [Math.max(10, Math.ceil(seconds / 10) * 10), "second"]
    : seconds < 5400
      ? [Math.ceil(seconds / 60), "minute"]
      : [Math.round(seconds / 3600), "hour"]

/** The announcements for screen readers, in the words of a language. */
export const createLanguageAnnouncements = (
  words: LanguageWords,
  formats: LanguageFormats,
  texts: UploadTexts,
): AnnouncementTexts => {
  const { joins, announcements, composed } = words
  const { chosen, refused, failedOne, failed, lockedOne, locked, done, ...rows } = words.composedAnnouncements
  const { count, fill, isolate } = formats
  const reason = ({ error }: UploadItem) => (error === undefined ? "" : texts.error(error))
  /** Several files share one sentence: with their common reason, or that of the first. */
  const explain = (items: ReadonlyArray<UploadItem>): string => {
    const first = items[0]!
    return items.length > 1 && items.every((item) => reason(item) === reason(first))
      ? reason(first)
      : texts.failedFile(first.name, reason(first))
  }
  const nameFirst = (sentence: string, items: ReadonlyArray<UploadItem>) =>
    fill(sentence, { name: isolate(items[0]!.name) })
  const place =
    (sentence: string): AnnouncementTexts["moved"] =>
    ({ name }, at, all) =>
      fill(sentence, { name: isolate(name), place: formats.number(at), count: formats.number(all) })
  return {
    ...sayWords(announcements, formats),
    chosen: (taken, items) => {
      if (items.length === 0) return count(chosen, taken)
      const told = count(refused, items.length)
      return `${taken > 0 ? `${count(chosen, taken)}${joins.stop}` : ""}${told}${joins.stop}${explain(items)}`
    },
    failed: (items) =>
      items.length > 1
        ? `${count(failed, items.length)}${joins.stop}${explain(items)}`
        : items[0]!.error?.code === "REJECTED"
          ? explain(items)
          : `${nameFirst(failedOne, items)}${joins.colon}${reason(items[0]!)}`,
    retrying: (item) => texts.fileState(item),
    locked: (items) => (items.length === 1 ? nameFirst(lockedOne, items) : count(locked, items.length)),
    processing: () => texts.processing(),
    checking: () => texts.checking(),
    progress: (percent, secondsLeft) => {
      const told = formats.spokenPercent(percent)
      if (secondsLeft === undefined) return told
      const [value, unit] = toDuration(secondsLeft)
      return `${told}${joins.comma}${count(composed.timeLeft, value, formats.time(value, unit, "long"))}`
    },
    done: (uploaded, lost) => `${count(done, uploaded)}${lost > 0 ? `${joins.stop}${count(failed, lost)}` : ""}`,
    canUndo: (removed) => `${removed}${joins.stop}${rows.canUndo}`,
    restored: (items) => (items.length === 1 ? nameFirst(rows.restoredOne, items) : count(rows.restored, items.length)),
    lifted: place(rows.lifted),
    liftedByFinger: place(rows.liftedByFinger),
    moved: place(rows.moved),
    dropped: place(rows.dropped),
    putBack: place(rows.putBack),
    renamed: (before, { name }) => fill(rows.renamed, { before: isolate(before), name: isolate(name) }),
  }
}
