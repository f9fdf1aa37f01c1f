import { type AnnouncementTexts, createAnnouncementTexts } from "../texts/announcement-texts.ts"
import { createEventFinder, noEvents, type UploadEvents } from "./announced-events.ts"
import { sayProcessing } from "../texts/say-processing.ts"
import { isProcessing, type UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/**
 * ms. Events within `gather` are announced together; `gap` is the pause between two sentences; a sentence is removed
 * after `shown`.
 */
const times = { gather: 150, gap: 1000, shown: 5000 }

type Sentence = (events: UploadEvents, state: UploadState, say: AnnouncementTexts) => string | false

/** The possible sentences, errors first: the events that each is about, and the sentence, unless it is outdated. */
const sentences: ReadonlyArray<readonly [about: ReadonlyArray<keyof UploadEvents>, Sentence]> = [
  [["failed"], ({ failed }, _, say) => failed.length > 0 && say.failed(failed)],
  [["chosen", "refused"], ({ chosen, refused }, _, say) => refused.length > 0 && say.chosen(chosen, refused)],
  [["offline"], ({ offline }, { summary }, say) => offline && summary.offline > 0 && say.offline()],
  [
    ["retrying"],
    ({ retrying }, { isUploading }, say) => retrying !== undefined && isUploading && say.retrying(retrying),
  ],
  [["locked"], ({ locked }, _, say) => locked.length > 0 && say.locked(locked)],
  [["chosen"], ({ chosen }, _, say) => chosen > 0 && say.chosen(chosen, [])],
  [
    ["cancelled"],
    ({ cancelled }, { summary: { active, paused } }, say) =>
      cancelled.length > 0 && say.cancelled(active + paused === 0 ? [] : cancelled),
  ],
  [
    ["paused"],
    ({ paused: items }, { summary: { active, paused } }, say) =>
      items.length > 0 && paused > 0 && say.paused(active === 0 ? [] : items),
  ],
  [
    ["resumed"],
    ({ resumed }, { summary: { active, paused } }, say) =>
      resumed.length > 0 && active > 0 && say.resumed(paused === 0 ? [] : resumed),
  ],
  [
    ["removed"],
    ({ removed }, { files, removed: last }, say) => {
      if (removed.length === 0) return false
      const text = say.removed(files.length === 0 && removed.length > 1 ? [] : removed)
      return text !== "" && last !== undefined ? say.canUndo(text) : text
    },
  ],
  [["restored"], ({ restored }, _, say) => restored.length > 0 && say.restored(restored)],
  [["started"], ({ started }, { isUploading }, say) => started > 0 && isUploading && say.started(started)],
  [
    ["processing"],
    ({ processing }, { summary }, say) => processing && isProcessing(summary) && sayProcessing(say, summary),
  ],
  [
    ["progress"],
    ({ progress: isDue }, { summary, isUploading, progress, timeLeft }, say) =>
      isDue && isUploading && !isProcessing(summary) && say.progress(progress, timeLeft),
  ],
  [
    ["done"],
    ({ done }, { isUploading, summary }, say) =>
      done && !isUploading && summary.done > 0 && say.done(summary.done, summary.failed),
  ],
]

/** Announces what happens to the files of a component. */
export interface Announcer {
  /** Call it after every change. */
  readonly look: () => void
  readonly end: () => void
}

/**
 * @param before the last state, which is not announced
 * @param show   shows a text, or none, to screen readers
 * @param now    ms of a monotonic clock
 */
export const createAnnouncer = (
  before: UploadState,
  getState: () => UploadState,
  texts: UploadTexts,
  show: (text: string) => void,
  now: () => number = () => performance.now(),
): Announcer => {
  const say = createAnnouncementTexts(texts)
  const find = createEventFinder(before)
  let events = noEvents()
  let next: ReturnType<typeof setTimeout> | undefined
  let clear: ReturnType<typeof setTimeout> | undefined

  /** Drops events that are outdated by others. */
  const drop = () => {
    const isMoot: { [name in keyof UploadEvents]?: boolean } = {
      // With new files the old list ends by itself; and where they are uploaded at once, being chosen implies that.
      removed: events.chosen > 0 || events.restored.length > 0,
      started: events.chosen > 0 || events.done,
      chosen: events.done && events.refused.length === 0,
    }
    const kept = Object.entries(noEvents()).filter(([name]) => isMoot[name as keyof UploadEvents])
    events = { ...events, ...Object.fromEntries(kept) }
  }
  const speak = () => {
    next = undefined
    for (const [about, write] of sentences) {
      const text = write(events, getState(), say)
      if (text === false) continue
      const none = noEvents()
      events = { ...events, ...Object.fromEntries(about.map((name) => [name, none[name]])) }
      if (text === "") continue
      show(text)
      clearTimeout(clear)
      clear = setTimeout(() => show(""), times.shown)
      next = setTimeout(speak, times.gap)
      return
    }
    // The remaining events are outdated.
    events = noEvents()
  }
  return {
    look: () => {
      find(getState(), events, now())
      drop()
      // Events are found by their own fields alone, so that none is missed while a sentence is shown.
      next ??= setTimeout(speak, times.gather)
    },
    end: () => {
      clearTimeout(next)
      clearTimeout(clear)
    },
  }
}
