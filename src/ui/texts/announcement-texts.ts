import type { UploadError } from "../../protocol/errors/upload-error.ts"
import { plural } from "./english-words.ts"
import type { UploadItem } from "../controller/upload-state.ts"

/** Announcements for screen readers. Each may be replaced on its own; empty for none. */
export interface AnnouncementTexts {
  /** Files were chosen; `refused` are those that the route does not take. */
  readonly chosen: (count: number, refused: ReadonlyArray<UploadItem>) => string
  /** Files have begun to upload. */
  readonly started: (count: number) => string
  /** These have failed. */
  readonly failed: (items: ReadonlyArray<UploadItem>) => string
  readonly offline: () => string
  /** An attempt has failed and is repeated: announced once, not at every attempt. `item` is the first file affected. */
  readonly retrying: (item: UploadItem) => string
  /** Another tab is uploading them. */
  readonly locked: (items: ReadonlyArray<UploadItem>) => string
  /** All bytes are sent, but the app has not answered. */
  readonly processing: () => string
  /** The same where all files are being checked. */
  readonly checking: () => string
  /** Empty where all were paused at once; the same for the next two. */
  readonly paused: (items: ReadonlyArray<UploadItem>) => string
  readonly resumed: (items: ReadonlyArray<UploadItem>) => string
  readonly cancelled: (items: ReadonlyArray<UploadItem>) => string
  readonly removed: (items: ReadonlyArray<UploadItem>) => string
  /** From time to time; `secondsLeft` where it is known. */
  readonly progress: (percent: number, secondsLeft: number | undefined) => string
  /** An upload has ended. */
  readonly done: (done: number, failed: number) => string
  /** The text of `removed`, where the removal can be undone. */
  readonly canUndo: (removed: string) => string
  /** A removal was undone. */
  readonly restored: (items: ReadonlyArray<UploadItem>) => string
  /** A file was lifted by its handle: arrow keys now move it. `place` from 1. */
  readonly lifted: (item: UploadItem, place: number, count: number) => string
  /** The same on a device without keys: the handle that is tapped next decides where it goes. */
  readonly liftedByFinger: (item: UploadItem, place: number, count: number) => string
  readonly moved: (item: UploadItem, place: number, count: number) => string
  /** It stays at its current place. */
  readonly dropped: (item: UploadItem, place: number, count: number) => string
  /** A file has a new name. */
  readonly renamed: (before: string, item: UploadItem) => string
  /** It is back at its previous place. */
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
  readonly checking: () => string
  readonly announce: Partial<AnnouncementTexts>
}

/** The English announcements, except those that the page replaces. */
export const createAnnouncementTexts = (texts: OtherTexts): AnnouncementTexts => {
  const files = (count: number) => plural({ one: "# file", other: "# files" }, count)
  const reason = ({ error }: UploadItem) => (error === undefined ? "" : texts.error(error))
  /** Several files share one sentence: with their common reason, or that of the first. */
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
      items.length > 1
        ? `${files(items.length)} failed. ${explain(items)}`
        : items[0]!.error?.code === "REJECTED"
          ? explain(items)
          : `${items[0]!.name} failed: ${reason(items[0]!)}`,
    offline: () => "Offline. The upload continues when you are back",
    retrying: (item) => texts.fileState(item),
    locked: (items) =>
      items.length === 1
        ? `${items[0]!.name} is being uploaded in another tab`
        : `${files(items.length)} are being uploaded in another tab`,
    processing: texts.processing,
    checking: texts.checking,
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
