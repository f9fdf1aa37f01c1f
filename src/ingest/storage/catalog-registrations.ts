import type { TraceContext } from "../../protocol/trace-context.ts"
import type { CatalogBounds, RegistrationRecord } from "./catalog-records.ts"

/** What {@link CatalogRegistrations.register} decided. */
export type RegisterOutcome =
  | "registered"
  /** Too many files are announced, or what is kept of them is too large; nothing changed. */
  | "tooManyExpected"
  /** The app was deleted since it was asked for; nothing changed. */
  | "unknownApp"
  /** The app's quota has no room for what would have to be kept; nothing changed. */
  | "overQuota"

/** Knows what apps have announced: the uploads that may come, and what is to happen when they are there. */
export interface CatalogRegistrations {
  /**
   * Notes what the app wants of the uploads of these keys that carry its id; those that ended before get their delivery
   * row now. Repeating it changes nothing but until when it is kept, and until when uploads under way are; unless a
   * bound that was reached keeps it from being noted again.
   */
  readonly register: (register: {
    readonly appId: string
    /** As the URLs say it; absent for those that say none. */
    readonly id?: string | undefined
    /** Until when the newest URL is valid; {@link untoldUrlTtl} from now unless given. */
    readonly expires?: number | undefined
    readonly fileKeys: ReadonlyArray<string>
    readonly metadata: string
    readonly callbackUrl: string
    readonly callbackSlug: string
    readonly awaitServerData: boolean
    readonly isDev: boolean
    readonly trace: TraceContext | null
    readonly now: number
    readonly createEventId: () => string
    readonly bounds?: CatalogBounds | undefined
    readonly appSince?: number | undefined
  }) => Promise<RegisterOutcome>
  /** What an upload is registered with that can still complete, or has; null when that is gone, or never came. */
  readonly findRegistration: (upload: {
    readonly appId: string
    readonly key: string
    /** As the URL says it; absent where it says none. */
    readonly id?: string | undefined
  }) => Promise<RegistrationRecord | null>
}
