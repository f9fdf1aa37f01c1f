import type { UploadRecord } from "./records.ts"

/** What was decided about files that are held. */
export type HoldVerdict =
  { readonly kind: "release" } | { readonly kind: "reject"; readonly reason?: string | undefined }

/** A file that is held; `id` leaves out a newer file of the same key. */
export interface HeldReference {
  readonly key: string
  readonly id?: number | undefined
}

/** Knows which files wait for a verdict, and takes it. Source: docs/protocol.md §10. */
export interface CatalogHolds {
  /**
   * `Held → Uploaded` (or `Pending`), whose times count from now, or `Held → Failed`; with the delivery row when the app
   * has registered. Files that are not held are ignored, and so a verdict is never taken back.
   *
   * @returns the files that were held, as they are now
   */
  readonly judgeHeld: (judgement: {
    readonly appId: string
    readonly files: ReadonlyArray<HeldReference>
    readonly verdict: HoldVerdict
    readonly now: number
    readonly createEventId: () => string
    /** See {@link Catalog}. */
    readonly appSince?: number | undefined
  }) => Promise<ReadonlyArray<UploadRecord>>
  /**
   * Files that are held, of each app the oldest, at most `limit` of one app. The cost grows with the number of apps that
   * have some, and of `except`, not with how many they have.
   *
   * @param except ids of files to leave out
   */
  readonly listHeld: (list: {
    readonly limit: number
    readonly except: ReadonlySet<number>
  }) => Promise<ReadonlyArray<UploadRecord>>
}
