import type { TraceContext } from "../../../protocol/trace-context.ts"
import type { CatalogBounds, RegistrationRecord } from "./records.ts"

/** What {@link CatalogRegistrations.register} decided. */
export type RegisterOutcome =
  | "registered"
  /** Too many files are announced, or what is kept of them is too large; nothing changed. */
  | "tooManyExpected"
  /** The app was deleted since it was asked for; nothing changed. */
  | "unknownApp"
  /** The app's quota has no room for what would have to be kept; nothing changed. */
  | "overQuota"

/** Knows what apps have announced: the uploads that may come, and what should happen when they have arrived. */
export interface CatalogRegistrations {
  /**
   * Notes what the app wants for the uploads of these keys that carry its id; those that have already ended get their
   * delivery row now. Repeating it only extends how long the registration and its uploads in progress are kept, unless
   * a limit that was reached prevents it from being noted again.
   */
  readonly register: (register: {
    readonly appId: string
    /** As the URLs say it; absent for URLs that do not. */
    readonly id?: string | undefined
    /** Until when the newest URL is valid; by default {@link untoldUrlTtl} from now. */
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
  /** The registration of an upload that can still complete, or has; null when it is gone or never existed. */
  readonly findRegistration: (upload: {
    readonly appId: string
    readonly key: string
    /** As the URL says it; absent where it does not. */
    readonly id?: string | undefined
  }) => Promise<RegistrationRecord | null>
}
