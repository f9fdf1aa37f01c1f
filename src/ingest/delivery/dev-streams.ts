import type { Write } from "../../server-kit/logging.ts"
import { encodeJsonLine, heartbeatLine } from "../../protocol/json-lines.ts"
import { limits } from "../../protocol/limits.ts"
import type { DevStreamEvent } from "../../protocol/messages.ts"
import { signWithEach } from "../../protocol/signing/signature-list.ts"
import type { App, Apps } from "../access/apps.ts"
import type { Catalog, DueDelivery } from "../storage/catalog/catalog.ts"
import { createDevClaims } from "./dev-claims.ts"
import { createDevRounds } from "./dev-rounds.ts"
import { renderEvent } from "./event.ts"
import type { Settings } from "../settings.ts"
import { createShares, toWideSharing } from "../shares.ts"
import { shareUsedUp } from "../refusals.ts"

/** The open development streams, on which events are sent instead of over HTTP. */
export interface DevStreams {
  /** Fails: throws `Rejected` RATE_LIMITED where the app has the maximum number of streams open. */
  readonly checkRoom: (appId: string) => void
  /** A stream for the files of one registration. Fails: rejects as `checkRoom` throws, and as the catalog does. */
  readonly open: (
    app: App,
    callbackSlug: string,
    fileKeys: ReadonlyArray<string>,
  ) => Promise<ReadableStream<Uint8Array>>
  /** Something may be due, for all apps or one, for all its slugs or one: look now. */
  readonly wake: (appId?: string, callbackSlug?: string) => void
  /** The app has handled the event of this file. */
  readonly acknowledge: (key: string) => void
  /** The app has failed to handle it: the event is still owed, and is sent again when it is due and something wakes the streams. */
  readonly takeBack: (key: string, attempt?: number) => void
  /** Where other processes share the catalog: takes over what has become of events there, and looks what is due. */
  readonly lookAround: () => void
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
  readonly inFlight: Map<string, { readonly id: string; readonly attempt: number }>
  readonly write: (text: string) => void
  /** Whether it takes another event; where its reader does not read, events wait in the catalog. */
  readonly hasRoom: () => boolean
  /** Something may wait in the catalog until there is room. */
  isAwaited: boolean
  readonly end: () => void
}

/** Bytes that may wait on one stream for its reader; the event that exceeds them is still written whole. */
const mostWaiting = 64 * 1024

/** Heartbeats for which data may wait on a stream that is not read; then the stream is cut off. */
const patience = 3

/** Events that are claimed at once. Those for which there turns out to be no room have used up an attempt. */
const batch = 16

const encoder = new TextEncoder()

/**
 * Keeps the development streams of this process.
 *
 * An event is in flight on one stream at a time. It counts as delivered when its result is posted; if its stream ends
 * before that, it goes to another open stream of that app and slug, or to the next one that opens, in any process.
 *
 * Source: docs/protocol.md §7.
 */
export const createDevStreams = ({
  apps,
  catalog,
  settings,
  now,
  write,
}: {
  readonly apps: Pick<Apps, "byId" | "isOne">
  readonly catalog: Catalog
  readonly settings: Pick<Settings, "url" | "heartbeat" | "maxDevStreams">
  readonly now: () => number
  readonly write: Write
}): DevStreams => {
  const streams = new Set<Open>()
  const shares = createShares(toWideSharing(settings.maxDevStreams, apps.isOne))
  let isPumping = false
  /** Apps and slugs to look for, in the order of their turns. */
  const due = new Map<string, { readonly appId: string; readonly callbackSlug: string }>()
  /** Events that could not be sent in this round. */
  const failed = new Set<string>()
  const claims = createDevClaims(catalog, settings)
  const idsInFlight = ({ inFlight }: Open): ReadonlyArray<string> => [...inFlight.values()].map(({ id }) => id)

  const forget = (stream: Open, key: string): void => {
    stream.inFlight.delete(key)
    stream.waitingFor.delete(key)
    if (stream.waitingFor.size === 0) stream.end()
  }

  const acknowledge = (key: string): void => {
    for (const stream of [...streams]) forget(stream, key)
  }

  const takeBack = (key: string, attempt?: number): void => {
    for (const { inFlight } of streams) {
      if ((attempt ?? inFlight.get(key)?.attempt) === inFlight.get(key)?.attempt) inFlight.delete(key)
    }
  }

  /** Fails: rejects where the event cannot be rendered or signed, or the stream has ended; then the event is not in flight. */
  const emit = async (stream: Open, due: DueDelivery): Promise<void> => {
    const payload = renderEvent(due, now(), settings.url)
    const { signers } = (await apps.byId(stream.app.id)) ?? stream.app
    const signature = await signWithEach(payload, signers)
    const traceparent = due.registration.trace?.traceparent
    stream.write(encodeJsonLine({ payload, signature, hook: due.hook, traceparent } satisfies DevStreamEvent))
    stream.inFlight.set(due.file.key, due)
  }

  /** One turn of an app and slug; true when there may be more. */
  const pumpChannel = async (channel: { readonly appId: string; readonly callbackSlug: string }): Promise<boolean> => {
    const all = [...streams].filter(
      ({ app, callbackSlug }) => app.id === channel.appId && callbackSlug === channel.callbackSlug,
    )
    const findOpen = (key?: string): Open | undefined => {
      const open = all.filter((stream) => streams.has(stream) && stream.hasRoom())
      const found = open.find(({ waitingFor }) => key !== undefined && waitingFor.has(key)) ?? open[0]
      if (found === undefined) for (const stream of all) stream.isAwaited = true
      return found
    }
    if (findOpen() === undefined) return false
    const except = new Set([...[...streams].flatMap(idsInFlight), ...failed])
    const at = now()
    const claimed = await catalog.claimDue({ channel, now: at, claimedUntil: at + claims.time, limit: batch, except })
    // Whatever does not get onto a stream is due for the next round.
    const left = new Set(claimed.map(({ id }) => id))
    for (const event of claimed) {
      const stream = findOpen(event.file.key)
      if (stream === undefined) break
      try {
        await emit(stream, event)
        left.delete(event.id)
      } catch (cause) {
        failed.add(event.id)
        rounds.failed(cause, { event: event.id, key: event.file.key })
      }
    }
    await claims.move([...left], now())
    return claimed.length === batch && findOpen() !== undefined
  }

  const pump = async (): Promise<void> => {
    isPumping = true
    rounds.begin()
    failed.clear()
    for (let next = due.entries().next(); !next.done; next = due.entries().next()) {
      const [id, channel] = next.value
      due.delete(id)
      const isMore = await pumpChannel(channel).catch((cause: unknown) => rounds.failed(cause, { app: channel.appId }))
      // After all others that wait for a turn.
      if (isMore === true) due.set(id, channel)
    }
    rounds.end()
    // Right after the last look: a wake-up from now on starts a new round.
    isPumping = false
  }

  const wake: DevStreams["wake"] = (appId, slug) => {
    for (const { app, callbackSlug } of streams) {
      if ((appId ?? app.id) !== app.id || (slug ?? callbackSlug) !== callbackSlug) continue
      due.set(`${app.id}\n${callbackSlug}`, { appId: app.id, callbackSlug })
    }
    if (due.size > 0 && !isPumping) void pump()
  }

  const rounds = createDevRounds(
    () => wake(),
    () => streams.size > 0,
    write,
  )

  /** When the last URL of these files expires, as far as is known. */
  const deadlineOf = async (keys: Iterable<string>): Promise<number> => {
    let deadline = 0
    for (const key of keys) deadline = Math.max(deadline, (await catalog.get(key))?.file.expires ?? 0)
    return deadline
  }

  let isLookingAround = false
  const lookAround = async (): Promise<void> => {
    const keys = new Set([...streams].flatMap(({ waitingFor, inFlight }) => [...waitingFor, ...inFlight.keys()]))
    for (const { key, failed } of await claims.findEnded(keys)) {
      if (failed === undefined) acknowledge(key)
      else takeBack(key, failed)
    }
    wake()
  }

  const checkRoom = (appId: string): void => {
    if (shares.roomOf(appId) > 0) return
    throw shareUsedUp(
      "The app has the maximum number of development streams open. They end with their uploads, or an hour after their registration; the ingest's operator sets maxDevStreams.",
    )
  }

  return {
    checkRoom,
    open: async (app, callbackSlug, fileKeys) => {
      const waitingFor = new Set<string>()
      for (const key of fileKeys) {
        const upload = await catalog.get(key)
        if (upload?.delivery?.status !== "delivered") waitingFor.add(key)
      }
      const timers: { heartbeat?: ReturnType<typeof setInterval>; deadline?: ReturnType<typeof setTimeout> } = {}
      checkRoom(app.id)
      let open: Open
      /** Heartbeats since anything was taken, while something waits. */
      let unread = 0
      const leave = () => {
        clearInterval(timers.heartbeat)
        clearTimeout(timers.deadline)
        if (!streams.delete(open)) return
        shares.add(app.id, -1)
        if (open.inFlight.size === 0) return
        void claims.move(idsInFlight(open), now()).then(() => wake(app.id, callbackSlug))
      }
      const source: UnderlyingDefaultSource<Uint8Array> = {
        start: (controller) => {
          open = {
            app,
            callbackSlug,
            waitingFor,
            inFlight: new Map(),
            isAwaited: false,
            write: (text) => controller.enqueue(encoder.encode(text)),
            hasRoom: () => controller.desiredSize! > 0,
            end: () => {
              if (!streams.has(open)) return
              leave()
              controller.close()
            },
          }
          streams.add(open)
          shares.add(app.id, 1)
          // The first line makes every proxy in between forward the headers.
          open.write(heartbeatLine)
          const beat = (): void => {
            void claims.move(idsInFlight(open), now() + claims.time)
            if ((controller.desiredSize ?? 0) === mostWaiting) return open.write(heartbeatLine)
            if (++unread < patience) return
            // What waits is dropped here but still owed; what was sent and not acknowledged goes to another stream.
            leave()
            controller.error(new Error("The development stream was not read."))
          }
          timers.heartbeat = setInterval(beat, settings.heartbeat)
          const lookAfter = (ms: number): void => {
            timers.deadline = setTimeout(() => void endWhenExpired(), Math.min(ms, 2 ** 31 - 1))
          }
          const endWhenExpired = async (): Promise<void> => {
            // A catalog that fails says nothing about deadlines: the stream stays open, and the catalog is asked again.
            const deadline = await deadlineOf(waitingFor).catch(() => undefined)
            if (!streams.has(open)) return
            if (deadline === undefined) lookAfter(settings.heartbeat)
            else if (deadline <= now()) open.end()
            else lookAfter(deadline - now())
          }
          lookAfter(limits.presignedUrlTtl)
          if (waitingFor.size === 0) open.end()
          else wake(app.id, callbackSlug)
        },
        pull: () => {
          unread = 0
          if (!open.isAwaited) return
          open.isAwaited = false
          wake(app.id, callbackSlug)
        },
        cancel: leave,
      }
      return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }))
    },
    wake,
    acknowledge,
    takeBack,
    lookAround: () => {
      if (streams.size === 0 || isLookingAround) return
      isLookingAround = true
      void lookAround()
        // A catalog that fails is asked again with the next look.
        .catch(() => {})
        .finally(() => (isLookingAround = false))
    },
    count: () => streams.size,
    close: () => {
      rounds.close()
      for (const stream of [...streams]) stream.end()
    },
  }
}
