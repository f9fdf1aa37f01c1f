import type { UploadError } from "../protocol/upload-error.ts"
import { plural } from "./english-words.ts"
import type { UploadItem } from "./upload-state.ts"

/** What screen readers are told as it happens. Each may be replaced on its own; empty for nothing. */
export interface AnnouncementTexts {
  /** Files were chosen; `refused` are those that the route would not take. */
  readonly chosen: (count: number, refused: ReadonlyArray<UploadItem>) => string
  /** Files are on their way from now on. */
  readonly started: (count: number) => string
  /** These have failed. */
  readonly failed: (items: ReadonlyArray<UploadItem>) => string
  readonly offline: () => string
  /** A try has failed and is made again: said once, not at every try. `item` is the first that is concerned. */
  readonly retrying: (item: UploadItem) => string
  /** Another tab is at it. */
  readonly locked: (items: ReadonlyArray<UploadItem>) => string
  /** All is sent, and only the app has not answered. */
  readonly processing: () => string
  /** Empty where all were paused at once; so in the next two. */
  readonly paused: (items: ReadonlyArray<UploadItem>) => string
  readonly resumed: (items: ReadonlyArray<UploadItem>) => string
  readonly cancelled: (items: ReadonlyArray<UploadItem>) => string
  readonly removed: (items: ReadonlyArray<UploadItem>) => string
  /** Now and then; `secondsLeft` where that is known. */
  readonly progress: (percent: number, secondsLeft: number | undefined) => string
  /** An upload is over. */
  readonly done: (done: number, failed: number) => string
  /** What `removed` says, where that can be undone. */
  readonly canUndo: (removed: string) => string
  /** A removal was undone. */
  readonly restored: (items: ReadonlyArray<UploadItem>) => string
  /** A file was taken by its handle: from now on arrows move it. `place` from 1. */
  readonly lifted: (item: UploadItem, place: number, count: number) => string
  /** The same on a device without keys: the handle that is tapped next says where it goes. */
  readonly liftedByFinger: (item: UploadItem, place: number, count: number) => string
  readonly moved: (item: UploadItem, place: number, count: number) => string
  /** It stays where it is now. */
  readonly dropped: (item: UploadItem, place: number, count: number) => string
  /** A file has another name than before. */
  readonly renamed: (before: string, item: UploadItem) => string
  /** It is back where it was. */
  readonly putBack: (item: UploadItem, place: number, count: number) => string
}

/** `2 minutes` */
const toDuration = (seconds: number): string => {
  const [value, unit] =
    seconds < 90
      ? [Math.max(10, Math.ceil(seconds / 10) * 10), "second"]
      : seconds < 5400
        ? [Math.ceil(seconds / 60), "minute"]
        : [Math.round(seconds / 3600), "hour"]
  return plural({ one: `# ${unit}`, other: `# ${unit}s` }, value)
}

/** What announcements repeat of the other texts, and those of a page. */
interface OtherTexts {
  readonly error: (error: UploadError) => string
  readonly failedFile: (name: string, reason: string) => string
  readonly fileState: (item: UploadItem) => string
  readonly processing: () => string
  readonly announce: Partial<AnnouncementTexts>
}

/** The English announcements, those of a page in their place. */
export const createAnnouncementTexts = (texts: OtherTexts): AnnouncementTexts => {
  const files = (count: number) => plural({ one: "# file", other: "# files" }, count)
  const reason = ({ error }: UploadItem) => (error === undefined ? "" : texts.error(error))
  /** What concerns many is one sentence: their common reason, or that of the first. */
  const explain = (items: ReadonlyArray<UploadItem>): string => {
    const first = items[0]!
    return items.length > 1 && items.every((item) => reason(item) === reason(first))
      ? reason(first)
      : texts.failedFile(first.name, reason(first))
  }
  const act =
    (one: string, all: string) =>
    (items: ReadonlyArray<UploadItem>): string =>
      items.length === 0 ? all : items.length === 1 ? `${items[0]!.name} ${one}` : `${files(items.length)} ${one}`
  return {
    chosen: (count, refused) => {
      if (refused.length === 0) return `${files(count)} chosen`
      const told = count > 0 ? `${files(count)} chosen, ${refused.length} refused` : `${files(refused.length)} refused`
      return `${told}. ${explain(refused)}`
    },
    started: (count) => `Uploading ${files(count)}`,
    failed: (items) =>
      items.length === 1
        ? `${items[0]!.name} failed: ${reason(items[0]!)}`
        : `${files(items.length)} failed. ${explain(items)}`,
    offline: () => "Offline. The upload goes on when you are back",
    retrying: (item) => texts.fileState(item),
    locked: (items) =>
      items.length === 1
        ? `${items[0]!.name} is being uploaded in another tab`
        : `${files(items.length)} are being uploaded in another tab`,
    processing: texts.processing,
    paused: act("paused", "Upload paused"),
    resumed: act("resumed", "Upload resumed"),
    cancelled: act("cancelled", "Upload cancelled"),
    removed: act("removed", "All files removed"),
    progress: (percent, secondsLeft) =>
      `${percent} percent${secondsLeft === undefined ? "" : `, ${toDuration(secondsLeft)} left`}`,
    done: (done, failed) => `${files(done)} uploaded${failed > 0 ? `, ${failed} failed` : ""}`,
    canUndo: (removed) => `${removed}. You can undo it`,
    lifted: ({ name }, place, count) =>
      `${name} lifted, place ${place} of ${count}. Arrow keys move it, Space drops it, Escape puts it back`,
    liftedByFinger: ({ name }, place, count) =>
      `${name} lifted, place ${place} of ${count}. The handle of another file puts it there, its own leaves it here`,
    moved: ({ name }, place, count) => `${name} moved to place ${place} of ${count}`,
    dropped: ({ name }, place, count) => `${name} dropped at place ${place} of ${count}`,
    renamed: (before, { name }) => `${before} is now ${name}`,
    putBack: ({ name }, place, count) => `${name} is back at place ${place} of ${count}`,
    restored: (items) => (items.length === 1 ? `${items[0]!.name} is back` : `${files(items.length)} are back`),
    ...texts.announce,
  }
}
