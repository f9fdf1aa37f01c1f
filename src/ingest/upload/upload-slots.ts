import * as Effect from "effect/Effect"
import type { Rejected } from "../../server-kit/rejected.ts"
import { shareUsedUp } from "../refusals.ts"

/** Limits how many files of an app are uploading, or waiting for the app's answer, at the same time. */
export interface UploadSlots {
  /**
   * Does the work in a slot of the file's app. Requests for one file share its slot, up to as many as a client with a
   * bad connection leaves behind: the newest writer is about to replace the others, and a client that waits for the
   * app's answer may be gone.
   *
   * Fails: RATE_LIMITED when the app's slots are all taken or too many share the file's, and as the work does.
   */
  readonly hold: <A, E>(
    file: { readonly appId: string; readonly key: string },
    work: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | Rejected>
  /** How many files each app has under way here. */
  readonly countByApp: () => Readonly<Record<string, number>>
}

/** Requests for one file at the same time. */
const mostOfFile = 16

/**
 * @param maximum   slots of each app
 * @param elsewhere how many of these an app has in other processes, as far as is known
 */
export const createUploadSlots = (maximum: number, elsewhere: (appId: string) => number = () => 0): UploadSlots => {
  /** Writers of each file, of each app. */
  const apps = new Map<string, Map<string, number>>()
  return {
    hold: ({ appId, key }, work) =>
      Effect.suspend((): Effect.Effect<Effect.Success<typeof work>, Effect.Error<typeof work> | Rejected> => {
        const files = apps.get(appId) ?? new Map<string, number>()
        const writers = files.get(key) ?? 0
        if (writers === 0 && files.size + elsewhere(appId) >= maximum) {
          const detail = `${maximum} files of this app are being uploaded already. Try again in a moment.`
          return Effect.fail(shareUsedUp(detail))
        }
        if (writers >= mostOfFile) {
          const detail = `${mostOfFile} requests are already uploading this file or waiting for the app's answer. Try again in a moment.`
          return Effect.fail(shareUsedUp(detail))
        }
        apps.set(appId, files.set(key, writers + 1))
        const release = Effect.sync(() => {
          const left = files.get(key)! - 1
          if (left > 0) files.set(key, left)
          else files.delete(key)
        })
        return Effect.ensuring(work, release)
      }),
    countByApp: () =>
      Object.fromEntries([...apps].flatMap(([id, { size }]) => (size > 0 ? [[id, size]] : [])).slice(0, 1000)),
  }
}
