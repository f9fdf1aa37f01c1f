import { isDisposable, markDisposable } from "../../protocol/disposable-stream.ts"
import type { Settings } from "../settings.ts"
import { createShares, toWideSharing } from "../shares.ts"
import { createRateWatch, type Intake } from "../upload/minimum-rate.ts"
import { shareUsedUp } from "../refusals.ts"

/** The clients that are downloading files. */
export interface Readers {
  /**
   * Opens a file for one more client.
   *
   * The time between giving the client a chunk and its next request for one is the client's. The client asks for the
   * end only when it has taken everything, so it is watched until then. One that takes less than the minimum rate is
   * cut off: the stream fails with `BodyTooSlow`, and what it holds is released.
   *
   * Fails: rejects with `Rejected` RATE_LIMITED when there are too many, in total or of the file's app, and as `open`
   *        does.
   */
  readonly add: (
    file: { readonly appId: string; readonly key: string },
    open: () => Promise<ReadableStream<Uint8Array>>,
  ) => Promise<ReadableStream<Uint8Array>>
  /** Aborts the downloads of the file with this key: it was deleted. */
  readonly stop: (key: string) => void
  /** The keys of the files that are being read. */
  readonly keys: () => ReadonlyArray<string>
  /** How many there are. */
  readonly count: () => number
}

/**
 * @param isAlone whether there is only one app: it may use all places
 * @param onCut   is called when a client was cut off
 */
export const createReaders = (
  {
    maxConcurrentReads,
    minimumReadRate,
    minimumReadRateWindow,
  }: Pick<Settings, "maxConcurrentReads" | "minimumReadRate" | "minimumReadRateWindow">,
  isAlone: () => boolean,
  onCut: () => void = () => {},
): Readers => {
  const rates = createRateWatch({ minimumRate: minimumReadRate, minimumRateWindow: minimumReadRateWindow })
  const shares = createShares(toWideSharing(maxConcurrentReads, isAlone))
  /** How to abort the downloads of each key. */
  const ofKey = new Map<string, Set<() => void>>()

  const follow = (key: string, content: ReadableStream<Uint8Array>, letGo: () => void): ReadableStream<Uint8Array> => {
    const reader = content.getReader()
    const intake: Intake = { isWaiting: true, received: 0 }
    let unwatch: (() => void) | undefined
    const leave = (): void => {
      if (unwatch === undefined) return
      unwatch()
      unwatch = undefined
      letGo()
      const others = ofKey.get(key)
      others?.delete(stop)
      if (others?.size === 0) ofKey.delete(key)
    }
    let stop = (): void => {}
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const end = (reason: unknown): void => {
            leave()
            controller.error(reason)
            void reader.cancel(reason).catch(() => {})
          }
          unwatch = rates.watch(intake, (reason) => {
            onCut()
            end(reason)
          })
          stop = () => end(new Error("The file was deleted."))
          ofKey.set(key, (ofKey.get(key) ?? new Set()).add(stop))
        },
        pull: async (controller) => {
          intake.isWaiting = false
          try {
            const { done, value } = await reader.read()
            if (unwatch === undefined) return
            if (done) {
              leave()
              return controller.close()
            }
            intake.received += value.length
            intake.isWaiting = true
            controller.enqueue(value)
          } catch (cause) {
            leave()
            controller.error(cause)
          }
        },
        cancel: (reason) => {
          leave()
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
    return isDisposable(content) ? markDisposable(stream) : stream
  }

  return {
    add: async ({ appId, key }, open) => {
      if (shares.roomOf(appId) === 0) {
        throw shareUsedUp("The maximum number of files of this app is being read already. Try again in a moment.")
      }
      shares.add(appId, 1)
      const letGo = () => shares.add(appId, -1)
      try {
        return follow(key, await open(), letGo)
      } catch (cause) {
        letGo()
        throw cause
      }
    },
    stop: (key) => {
      for (const stop of [...(ofKey.get(key) ?? [])]) stop()
    },
    keys: () => [...ofKey.keys()],
    count: shares.taken,
  }
}
