import { endsWithin } from "../../server-kit/ends-within.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { locked } from "../refusals.ts"

/** The right to write one key, until it is released or taken over. */
export interface Writer {
  /** Aborts when the writer has to stop; its reason says why. */
  readonly signal: AbortSignal
  readonly stop: (reason: Error) => void
  readonly letGo: () => void
}

/** Ensures that each key has only one writer in this process, the newest. */
export interface Writers {
  /**
   * Takes a key over: stops the previous writer, and waits until it has flushed and released the key. `grant` says for whom.
   *
   * Fails: rejects with `Rejected` LOCKED when that takes longer than 5 s, or when a newer request takes over
   *        meanwhile.
   */
  readonly take: (key: string, grant?: UploadGrant) => Promise<Writer>
  /** Whether a key is being written. */
  readonly isHeld: (key: string) => boolean
  /** How many keys are being written. */
  readonly count: () => number
  /** Stops the writer of a key for this reason, without waiting for it. */
  readonly stop: (key: string, reason: Error) => void
  /**
   * Stops the writer of a key if it writes for a grant that is meant, and waits until it has released the key, at most 5 s.
   *
   * @returns whether there was one
   */
  readonly end: (key: string, reason: Error, isMeant: (grant: UploadGrant) => boolean) => Promise<boolean>
  /** Stops all writers for this reason. */
  readonly stopAll: (reason: Error) => void
  /** Stops all writers for this reason and waits for them, at most so many ms. */
  readonly close: (reason: Error, atMost?: number) => Promise<void>
}

/** Source: docs/protocol.md §10. `patience` in ms. */
export const createWriters = (patience = 5000): Writers => {
  const newest = new Map<
    string,
    { readonly controller: AbortController; readonly gone: Promise<void>; readonly grant: UploadGrant | undefined }
  >()

  const stopAll = (reason: Error): void => {
    for (const { controller } of newest.values()) controller.abort(reason)
  }

  return {
    take: async (key, grant) => {
      const controller = new AbortController()
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
      const before = newest.get(key)
      // A writer that did not wait for the previous one must not hide it from the next one.
      const gone = before === undefined ? isReleased : Promise.all([before.gone, isReleased]).then(() => {})
      const entry = { controller, gone, grant }
      newest.set(key, entry)
      const letGo = () => {
        release()
        if (before === undefined) {
          if (newest.get(key) === entry) newest.delete(key)
        } else {
          void gone.then(() => {
            if (newest.get(key) === entry) newest.delete(key)
          })
        }
      }
      if (before !== undefined) {
        before.controller.abort(locked())
        if (!(await endsWithin(before.gone, patience)) || controller.signal.aborted) {
          letGo()
          throw locked()
        }
      }
      return { signal: controller.signal, stop: (reason) => controller.abort(reason), letGo }
    },
    isHeld: (key) => newest.has(key),
    stop: (key, reason) => newest.get(key)?.controller.abort(reason),
    end: async (key, reason, isMeant) => {
      const entry = newest.get(key)
      if (entry?.grant === undefined || !isMeant(entry.grant)) return false
      entry.controller.abort(reason)
      await endsWithin(entry.gone, patience)
      return true
    },
    count: () => newest.size,
    stopAll,
    close: async (reason, atMost = patience) => {
      const writers = [...newest.values()]
      stopAll(reason)
      await Promise.all(writers.map(({ gone }) => endsWithin(gone, atMost)))
    },
  }
}
