import type { ProblemCode } from "../../../protocol/errors/problem.ts"
import type { AnnouncementTexts } from "../announcement-texts.ts"
import type { PictureTexts } from "../../avatar/picture-texts.ts"
import type { NameMistake } from "../../files/rename-file.ts"
import type { PluralForms } from "../text-formats.ts"
import type { UploadItem } from "../../controller/upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"

type Category = Intl.LDMLPluralRule

/** Every plural category of a language; for an unknown language, any of them. */
type Forms<C extends Category> = [C] extends [never] ? PluralForms : Readonly<Record<C, string>>

/** A phrase in every plural category, `#` for the number; `always` where the number makes no difference. */
export type Counted<C extends Category = never> = (Forms<C> & { readonly always?: never }) | { readonly always: string }

/** A phrase for one file, for several, and for all; `{name}` is the file's. */
interface Act<C extends Category> {
  readonly one: string
  readonly several: Counted<C>
  readonly all: string
}

/**
 * What a language provides for a text, by the arguments of the text: a sentence; one for a file and one for several; a
 * phrase by number; or a sentence with `#` in place of a name.
 */
type WordOf<Text, C extends Category> = Text extends (...given: infer Given) => string
  ? Given extends readonly []
    ? string
    : Given extends readonly [boolean]
      ? readonly [one: string, several: string]
      : Given extends readonly [number]
        ? Counted<C>
        : Given extends readonly [string]
          ? string
          : Given extends readonly [ReadonlyArray<UploadItem>]
            ? Act<C>
            : never
  : never

type WordsOf<Texts, C extends Category> = {
  readonly [Name in keyof Texts as WordOf<Texts[Name], C> extends never ? never : Name]: WordOf<Texts[Name], C>
}

/** Texts that consist of figures, or of other texts. */
type Figures =
  "progress" | "retryIn" | "speed" | "timeLeft" | "size" | "capture" | "nameMistake" | "uploading" | "rejected"
type Reports = "processing" | "checking" | "failed" | "locked" | "canUndo" | "restored"

/** How a kind of file is counted and named, `~` in place of the name of a specific type: `# ~Bild`, `~Bilder`. */
export type Noun<C extends Category> = Forms<C> & {
  /** Several, without a number. */
  readonly name: string
}

/** Names of nouns for kinds of files; the last two are for a type without a name of its own. */
export type NounName =
  | "image"
  | "video"
  | "audio"
  | "pdf"
  | "text"
  | "file"
  | "document"
  | "sheet"
  | "presentation"
  | "archive"
  | "font"
  | "model"
  | "binary"
  | "special"

/** Codes for which the components tell the user more than the server's own message. */
type Advised = Extract<
  ProblemCode,
  | "NETWORK_ERROR"
  | "INTERNAL_ERROR"
  | "ROUTE_FAILED"
  | "ROUTE_NOT_FOUND"
  | "INGEST_UNAVAILABLE"
  | "RATE_LIMITED"
  | "QUOTA_EXCEEDED"
  | "CONTENT_MISMATCH"
  | "EXPIRED_URL"
  | "CALLBACK_FAILED"
  | "CALLBACK_TIMEOUT"
  | "LOCKED"
  | "RANGE_MISMATCH"
  | "SIZE_MISMATCH"
  | "DIGEST_MISMATCH"
>

/** Why an attempt failed that is repeated; `other` where the server has answered with an error. */
type Awaited = Extract<Advised, "NETWORK_ERROR" | "RATE_LIMITED" | "INGEST_UNAVAILABLE" | "LOCKED" | "CALLBACK_TIMEOUT">

/** Words that several texts share. */
interface SharedWords<C extends Category> {
  /** BCP 47, for numbers, lists and plurals. */
  readonly locale: string
  readonly isRtl?: boolean
  /** How the remaining time is shown; `short` where that is sufficient. */
  readonly timeDisplay?: "short" | "long"
  /** Separators between the parts of a line: a comma, the end of a sentence, and the sign before an explanation. */
  readonly joins: { readonly comma: string; readonly stop: string; readonly colon: string }
  /** Bytes to terabytes. */
  readonly units: readonly [string, string, string, string, string]
  readonly kinds: Readonly<Record<NounName, Noun<C>>>
  /** How the short name of a type joins the noun of its kind, in place of `~`: `#-` gives `SVG-Bild`. */
  readonly typed: string
  /** `{files}` is a number of files of a kind. */
  readonly upTo: string
  /** `{min}` and `{max}`, in place of one number. */
  readonly range: string
  /** `{part}` of `{whole}`: files and bytes. */
  readonly of: string
}

/** Words of texts that are composed; values replace the names in braces. */
interface ComposedWords<C extends Category> {
  /** By how many are accepted: `#` of `{count}`. */
  readonly dropSome: Counted<C>
  /** There is no room left. */
  readonly dropNone: string
  /** `{kinds}`, where no other is accepted. */
  readonly only: string
  /** `{list}`, and the largest `{size}` of each. */
  readonly each: string
  /** `{kinds}` and `{size}`: for one file, for several. */
  readonly allowed: readonly [one: string, several: string]
  /** `#` is the percentage. */
  readonly progress: string
  /** `#` is a time; a space before it belongs to it. */
  readonly retryIn: string
  /** By the number in it, `#` is the time. */
  readonly timeLeft: Counted<C>
  readonly fewSecondsLeft: string
  /** `#` is a size. */
  readonly speed: string
  readonly summary: {
    readonly done: Counted<C>
    readonly failed: Counted<C>
    readonly paused: string
  }
  readonly waiting: { readonly offline: string; readonly locked: string }
  readonly fileState: {
    readonly queued: string
    /** `#` is the percentage. */
    readonly paused: string
    readonly done: string
    readonly aborted: string
  }
  readonly error: Readonly<
    Record<Advised | "tooLargeForServer" | "tooManyAtOnce" | "signedOut" | "refused" | "codeNotLoaded", string>
  >
  readonly again: Readonly<Record<Awaited | "other", string>>
  /** Of a file that was checked, and is not wanted; `#` is the reason. */
  readonly rejected: { readonly plain: string; readonly because: string }
  /** `{reason}`. */
  readonly waitingAfter: string
  /** `{kinds}`, as a choice. */
  readonly typeNotAllowed: string
  /** `{size}` and `{max}`. */
  readonly tooLarge: string
  /** `{files}`. */
  readonly tooMany: string
  /** `{files}`. */
  readonly chooseMore: string
  /** `{limits}` begins with a capital. */
  readonly limits: string
  /** `{sent}`: one size of another. */
  readonly interruptedState: string
  /** `{name}`: where the file can only be removed, and where it can also be retried. */
  readonly blocksForm: readonly [remove: string, retryOrRemove: string]
  /** By how many were chosen; `{size}` was expected. */
  readonly otherFile: Counted<C>
  /** `#` is the time of day. */
  readonly pastedImage: string
  readonly capture: { readonly photo: string; readonly video: string }
  readonly nameMistake: Readonly<Record<NameMistake, string>>
}

/** Words of announcements that are composed. */
interface ComposedAnnouncements<C extends Category> {
  readonly chosen: Counted<C>
  readonly refused: Counted<C>
  /** `{name}`. */
  readonly failedOne: string
  readonly failed: Counted<C>
  /** `{name}`. */
  readonly lockedOne: string
  readonly locked: Counted<C>
  readonly done: Counted<C>
  /** Added to the announcement of a removal, as a sentence of its own. */
  readonly canUndo: string
  /** `{name}`. */
  readonly restoredOne: string
  readonly restored: Counted<C>
  /** `{name}`, `{place}` of `{count}`; the same for the next four. */
  readonly lifted: string
  readonly liftedByFinger: string
  readonly moved: string
  readonly dropped: string
  readonly putBack: string
  /** `{before}` and `{name}`. */
  readonly renamed: string
}

/** Words of an avatar and its crop; of `moved`, `{across}` and `{down}` are percentages. */
type PictureWords = Readonly<Record<Exclude<keyof PictureTexts, "zoomed">, string>>

/**
 * Everything that a language provides, in words and plural forms: `createLanguageTexts` decides when each is used.
 *
 * A text of {@link UploadTexts} or {@link AnnouncementTexts} that takes nothing, a number, a name, or one or several
 * files has the same name here, in `texts` and `announcements`.
 */
export interface LanguageWords<C extends Category = never> extends SharedWords<C> {
  readonly texts: Omit<WordsOf<UploadTexts, C>, Figures>
  readonly composed: ComposedWords<C>
  readonly announcements: Omit<WordsOf<AnnouncementTexts, C>, Reports>
  readonly composedAnnouncements: ComposedAnnouncements<C>
  readonly picture: PictureWords
}
