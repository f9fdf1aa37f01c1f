import { encodeJsonLine, heartbeatLine } from "../../protocol/json-lines.ts"
import { limits } from "../../protocol/limits.ts"
import type { DevStreamEvent } from "../../protocol/messages.ts"
import { signWithEach } from "../../protocol/signature-list.ts"
import type { App, Apps } from "../apps.ts"
import type { Catalog, DueDelivery } from "../storage/catalog.ts"
import { renderEvent } from "./event.ts"
import type { Settings } from "../settings.ts"

/** The development streams that are open; events go out on them instead of over HTTP. */
export interface DevStreams {
  /** A stream for the files of one registration. */
  readonly open: (
    app: App,
    callbackSlug: string,
    fileKeys: ReadonlyArray<string>,
  ) => Promise<ReadableStream<Uint8Array>>
  /** Something may be due: look now. */
  readonly wake: () => void
  /** The app has handled the event of this file. */
  readonly acknowledge: (key: string) => void
  /** How many are open. */
  readonly count: () => number
  readonly close: () => void
}

interface Open {
  readonly app: App
  readonly callbackSlug: string
  /** Files whose event was not acknowledged yet. */
  readonly waitingFor: Set<string>
  /** Events written here, by file key. */
  readonly inFlight: Map<string, string>
  readonly write: (text: string) => void
  readonly end: () => void
}

const encoder = new TextEncoder()

/**
 * Keeps the development streams of this process.
 *
 * An event is in flight on one stream at a time. It counts as delivered when its result is posted; if its stream ends
 * before, it goes to another open stream of that app and slug, or to the next one to open.
 *
 * Source: docs/protocol.md §7.
 */
export const createDevStreams = ({
  apps,
  catalog,
  settings,
  now,
}: {
  readonly apps: Apps
  readonly catalog: Catalog
  readonly settings: Pick<Settings, "url" | "heartbeat">
  readonly now: () => number
}): DevStreams => {
  const streams = new Set<Open>()
  let isPumping = false
  let isPumpedAgain = false

  const forget = (stream: Open, key: string): void => {
    stream.inFlight.delete(key)
    stream.waitingFor.delete(key)
    if (stream.waitingFor.size === 0) stream.end()
  }

  const emit = async (stream: Open, due: DueDelivery): Promise<void> => {
    const payload = renderEvent(due, now(), settings.url)
    const { signers } = (await apps.byId(stream.app.id)) ?? stream.app
    const signature = await signWithEach(payload, signers)
    stream.inFlight.set(due.file.key, due.id)
    const traceparent = due.registration.trace?.traceparent
    stream.write(encodeJsonLine({ payload, signature, hook: due.hook, traceparent } satisfies DevStreamEvent))
  }

  const pumpChannel = async (appId: string, callbackSlug: string): Promise<void> => {
    const isOfChannel = (stream: Open) => stream.app.id === appId && stream.callbackSlug === callbackSlug
    const except = new Set([...streams].flatMap((stream) => [...stream.inFlight.values()]))
    const at = now()
    const channel = { appId, callbackSlug }
    for (const due of await catalog.claimDue({ channel, now: at, claimedUntil: at, limit: 1000, except })) {
      const candidates = [...streams].filter(isOfChannel)
      const stream = candidates.find(({ waitingFor }) => waitingFor.has(due.file.key)) ?? candidates[0]
      if (stream !== undefined) await emit(stream, due)
    }
  }

  const pump = async (): Promise<void> => {
    isPumping = true
    try {
      while (isPumpedAgain) {
        isPumpedAgain = false
        const channels = new Map(
          [...streams].map(({ app, callbackSlug }) => [`${app.id}\n${callbackSlug}`, { app, callbackSlug }]),
        )
        for (const { app, callbackSlug } of channels.values()) await pumpChannel(app.id, callbackSlug)
      }
    } catch {
      // The event stays in the catalog; the next change tries again.
    } finally {
      // At once after the last look: who calls from now on starts a new round.
      isPumping = false
    }
  }

  const wake = (): void => {
    if (streams.size === 0) return
    isPumpedAgain = true
    if (!isPumping) void pump()
  }

  /** When the last URL of these files expires, as far as is known. */
  const deadlineOf = async (keys: Iterable<string>, fallback: number): Promise<number> => {
    let deadline = fallback
    for (const key of keys) deadline = Math.max(deadline, (await catalog.get(key))?.file.expires ?? 0)
    return deadline
  }

  return {
    open: async (app, callbackSlug, fileKeys) => {
      const waitingFor = new Set<string>()
      for (const key of fileKeys) {
        const upload = await catalog.get(key)
        if (upload?.delivery?.status !== "delivered") waitingFor.add(key)
      }
      const timers: { heartbeat?: ReturnType<typeof setInterval>; deadline?: ReturnType<typeof setTimeout> } = {}
      let open: Open
      const leave = () => {
        clearInterval(timers.heartbeat)
        clearTimeout(timers.deadline)
        if (streams.delete(open) && open.inFlight.size > 0) wake()
      }
      return new ReadableStream<Uint8Array>({
        start: (controller) => {
          open = {
            app,
            callbackSlug,
            waitingFor,
            inFlight: new Map(),
            write: (text) => controller.enqueue(encoder.encode(text)),
            end: () => {
              if (!streams.has(open)) return
              leave()
              controller.close()
            },
          }
          streams.add(open)
          // The first line lets every hop in between send the headers on.
          open.write(heartbeatLine)
          timers.heartbeat = setInterval(() => open.write(heartbeatLine), settings.heartbeat)
          const endWhenExpired = async (fallback: number): Promise<void> => {
            const left = (await deadlineOf(waitingFor, fallback)) - now()
            if (!streams.has(open)) return
            if (left <= 0) open.end()
            else timers.deadline = setTimeout(() => void endWhenExpired(0), Math.min(left, 2 ** 31 - 1))
          }
          timers.deadline = setTimeout(() => void endWhenExpired(0), limits.presignedUrlTtl)
          if (waitingFor.size === 0) open.end()
          else wake()
        },
        cancel: leave,
      })
    },
    wake,
    acknowledge: (key) => {
      for (const stream of [...streams]) forget(stream, key)
    },
    count: () => streams.size,
    close: () => {
      for (const stream of [...streams]) stream.end()
    },
  }
}
