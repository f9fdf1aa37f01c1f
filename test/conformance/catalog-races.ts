import { describe, expect, it } from "vitest"
import { callbackUrl, content, grantOf } from "../../src/conformance/catalog/drive-catalog.ts"
import type { Catalog } from "../../src/ingest.ts"

/** How {@link describeRaces} is set up. */
export interface Races {
  /** Two processes over the same catalog. */
  readonly catalogs: () => readonly [Catalog, Catalog]
  /** One more process over the same catalog. */
  readonly openAnother: () => Catalog
  /** Opens as many catalogs as processes that begin at once, over something that is empty, or of the oldest version. */
  readonly openMany: (count: number, over: "nothing" | "the first version") => Promise<ReadonlyArray<Catalog>>
  /** How many uploads the catalog expects, counted one by one. */
  readonly countExpected: () => Promise<number>
  /** How often each race is run. */
  readonly rounds: number
}

/** Rounds at once: what one waits for keeps another one busy. */
const lanes = 12

const origin = "http://ingest.example"

const notes = (key: string) => ({ fileHash: "ab", now: 2000, eventId: `evt_end_${key}`, claimedUntil: null })

/** A few turns of the event loop, so that now one of two is earlier and now the other. */
const wait = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs rounds, several at once, and says what is wrong after each. */
const run = async (name: string, rounds: number, round: (key: string) => Promise<string | undefined>) => {
  const wrong: Array<string> = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < rounds) {
      const found = await round(`${name}-${next++}`)
      if (found !== undefined) wrong.push(found)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  expect(`${wrong.length} of ${rounds} rounds: ${wrong.slice(0, 3).join("; ")}`).toBe(`0 of ${rounds} rounds: `)
}

/** Tests what two processes do to the same key, or the same app, at the same moment. */
export const describeRaces = (
  title: string,
  { catalogs, openAnother, openMany, countExpected, rounds }: Races,
): void => {
  /** Both at once, and neither before the other for long. */
  const race = async <A, B>(first: (catalog: Catalog) => Promise<A>, second: (catalog: Catalog) => Promise<B>) => {
    const [one, other] = catalogs()
    const turns = Math.floor(Math.random() * 4)
    const begin = async <R>(later: boolean, work: () => Promise<R>): Promise<R> => {
      await wait(later ? turns : 0)
      return work()
    }
    const isSwapped = Math.random() < 0.5
    return Promise.all([begin(isSwapped, () => first(one)), begin(!isSwapped, () => second(other))])
  }

  const register = (key: string, id?: string) => (catalog: Catalog) =>
    catalog.register({
      appId: "app",
      id,
      fileKeys: [key],
      metadata: "{}",
      callbackUrl,
      callbackSlug: "avatar",
      awaitServerData: false,
      isDev: false,
      trace: null,
      now: 1500,
      createEventId: () => `evt_registered_${key}`,
    })

  /** What is wrong where the app of a file that has ended has to hear of it, once. */
  const lacksEvent = async (key: string, hook: string): Promise<string | undefined> => {
    const upload = await catalogs()[0].get(key)
    if (upload?.delivery?.hook !== hook) return `${key}: no event`
    return upload.registration === null ? `${key}: not registered` : undefined
  }

  describe(title, () => {
    it("registering while the upload ends loses no callback", async () => {
      await run("commit", rounds, async (key) => {
        await catalogs()[1].begin({ grant: grantOf(key), origin, now: 1000 })
        await race(register(key), (catalog) => catalog.commit({ key, epoch: 1, blobRef: null, ...notes(key) }))
        return lacksEvent(key, "callback")
      })
    })

    it("registering while a small file arrives loses no callback", async () => {
      await run("whole", rounds, async (key) => {
        await race(register(key), (catalog) =>
          catalog.commitWhole({ grant: grantOf(key), origin, bytes: content, ...notes(key) }),
        )
        return lacksEvent(key, "callback")
      })
    })

    it("registering while the upload fails loses no event", async () => {
      await run("fail", rounds, async (key) => {
        await catalogs()[1].begin({ grant: grantOf(key), origin, now: 1000 })
        const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
        await race(register(key), (catalog) =>
          catalog.fail({ key, epoch: 1, failure, now: 2000, eventId: `evt_end_${key}` }),
        )
        return lacksEvent(key, "error")
      })
    })

    it("registering an upload while another one takes its key loses no event", async () => {
      await run("replace", rounds, async (key) => {
        const former = grantOf(key, { registrationId: "a", issuedAt: 1 })
        await catalogs()[1].begin({ grant: former, origin, now: 1000 })
        const grant = grantOf(key, { registrationId: "b", issuedAt: 2 })
        const [, begun] = await race(register(key, "a"), (catalog) =>
          catalog.begin({ grant, origin, now: 2000, eventId: `evt_end_${key}` }),
        )
        const told = await Promise.all(
          [`evt_end_${key}`, `evt_registered_${key}`].map((id) => catalogs()[0].findDelivery(id)),
        )
        const events = told.filter((delivery) => delivery !== null)
        if (begun.kind !== "granted" || !begun.isNew) return `${key}: ${begun.kind}`
        return events.length === 1 ? undefined : `${key}: ${events.length} events`
      })
    })

    it("registering a file while it is deleted leaves no event of it", async () => {
      await run("delete", rounds, async (key) => {
        await catalogs()[1].commitWhole({ grant: grantOf(key), origin, bytes: content, ...notes(key) })
        await race(register(key), (catalog) =>
          catalog.deleteFiles({ appId: "app", files: [{ fileKey: key }], now: 3000 }),
        )
        const upload = await catalogs()[0].get(key)
        if (upload?.file.status !== "Deleting") return `${key}: ${upload?.file.status}`
        return upload.delivery === null ? undefined : `${key}: an event of a deleted file`
      })
    })

    it("what is kept of an app is counted right after all of these", async () => {
      const [catalog] = catalogs()
      const usage = await catalog.usage("app")
      // What was registered after its file had failed, or was deleted, is expected still.
      expect(usage).toMatchObject({ files: 2 * rounds, storedBytes: 2 * rounds * content.length })
      expect(usage.announcedBytes).toBe(rounds * content.length)
      expect(usage.expectedFiles).toBe(await countExpected())
    })

    it("uploads that begin at once do not exceed a quota together", async () => {
      await run("quota", rounds, async (key) => {
        const appId = `app-${key}`
        const begin = (name: string) => (catalog: Catalog) =>
          catalog.begin({ grant: grantOf(`${key}.${name}`, { appId }), origin, now: 1000, quota: content.length })
        const kinds = (await race(begin("a"), begin("b"))).map(({ kind }) => kind)
        return kinds.toSorted().join() === "granted,overQuota" ? undefined : `${key}: ${kinds.join()}`
      })
    })

    it("an app has no more than two active keys, whoever adds them", async () => {
      await run("keys", rounds, async (key) => {
        const id = `app-${key}`
        const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
        await catalogs()[0].createApp({ ...settings, id, createdAt: 1 })
        await catalogs()[0].addKey({ appId: id, apiKey: `sk_${key}_first`, now: 1 })
        const add = (name: string) => (catalog: Catalog) =>
          catalog.addKey({ appId: id, apiKey: `sk_${key}_${name}`, now: 2 })
        const added = await race(add("a"), add("b"))
        return added.toSorted().join() === "added,tooMany" ? undefined : `${key}: ${added.join()}`
      })
    })

    describe("of processes that look", () => {
      const long = 600_000
      const look = (catalog: Catalog, lease = long) => catalog.processes!.look({ lease, active: {} })

      it("uploads that begin at once at two processes have one writer, and the other one waits for it", async () => {
        await Promise.all(catalogs().map((catalog) => look(catalog)))
        await run("writers", rounds, async (key) => {
          const begin = (catalog: Catalog) =>
            catalog.begin({ grant: grantOf(key), origin, now: 1000, unlessHeld: true })
          const [one, other] = await race(begin, begin)
          const kinds = [one.kind, other.kind].toSorted().join()
          if (kinds !== "granted,held") return `${key}: ${kinds}`
          const [first, second] = catalogs()
          const [writer, waits] = one.kind === "granted" ? [first, second] : [second, first]
          const [ended, taken] = await Promise.all([
            writer.commit({ key, epoch: 1, blobRef: null, ...notes(key) }),
            begin(waits),
          ])
          // Either it was let go by then, or it was not.
          if (ended.kind !== "committed") return `${key}: ${ended.kind}`
          return ["held", "finished"].includes(taken.kind) ? undefined : `${key}: then ${taken.kind}`
        })
      })

      it("what is due at once is claimed by one of two", async () => {
        await run("claims", rounds, async (key) => {
          const appId = `app-${key}`
          const keys = ["a", "b", "c"].map((name) => `${key}.${name}`)
          for (const each of keys) {
            const registration = { metadata: "{}", callbackUrl, callbackSlug: "avatar", awaitServerData: false }
            await catalogs()[0].commitWhole({
              grant: grantOf(each, { appId }),
              registration: { ...registration, isDev: false, trace: null },
              origin,
              bytes: content,
              ...notes(each),
            })
          }
          const roomOf = (id: string) => (id === appId ? 10 : 0)
          const claim = (catalog: Catalog) =>
            catalog.claimDue({ channel: "callback", now: 3000, claimedUntil: 1e15, limit: 10, roomOf })
          const claimed = (await race(claim, claim)).flat().map(({ id }) => id)
          const expected = keys.map((each) => `evt_end_${each}`).join()
          await Promise.all(keys.map((each) => end(catalogs()[1], each, "delivered")))
          return claimed.toSorted().join() === expected ? undefined : `${key}: ${claimed.join()}`
        })
      })

      const end = (catalog: Catalog, key: string, outcome: "delivered" | { readonly retryAt: number }) =>
        catalog.recordAttempt({
          deliveryId: `evt_end_${key}`,
          attempt: 1,
          startedAt: 2000,
          latency: 1,
          status: 200,
          error: null,
          answer: null,
          outcome,
        })

      /** A process that has claimed the event of a key, and whose lease is over. */
      const die = async (key: string): Promise<void> => {
        const dead = openAnother()
        await register(key)(dead)
        const whole = { grant: grantOf(key), origin, bytes: content }
        await dead.commitWhole({ ...whole, ...notes(key), claimedUntil: 1e15 })
        // Not before: another round would find it dead, and it would be one that has never looked.
        await look(dead, 1)
        await dead.close()
      }

      it("a process that is found dead by two at once has its claims end once", async () => {
        await run("found", rounds, async (key) => {
          await die(key)
          await race(look, look)
          // Another round may be about it at this moment.
          for (let tried = 0; tried < 100; tried++) {
            const delivery = (await catalogs()[0].get(key))?.delivery
            if (delivery?.failures === 1 && delivery.nextAt < 1e15)
              return end(catalogs()[0], key, "delivered").then(() => undefined)
            if (delivery?.failures !== 0) return `${key}: ${JSON.stringify(delivery)}`
            await look(catalogs()[0])
          }
          return `${key}: still claimed`
        })
      })

      it("an attempt that ends while its process is found dead is counted once, and is not forgotten", async () => {
        await run("late", rounds, async (key) => {
          await die(key)
          const isDelivered = Math.random() < 0.5
          await race(look, (catalog) => end(catalog, key, isDelivered ? "delivered" : { retryAt: 1e14 }))
          const delivery = (await catalogs()[0].get(key))?.delivery
          const status = isDelivered ? "delivered" : "pending"
          const isRight = delivery?.status === status && delivery.attempts === 1 && delivery.failures <= 1
          if (!isRight || (!isDelivered && (delivery.failures !== 1 || delivery.nextAt === 1e15)))
            return `${key}: ${JSON.stringify(delivery)}`
          return undefined
        })
      })
    })

    it.each(["nothing", "the first version"] as const)(
      "is made once when eight processes begin over %s",
      async (over) => {
        for (let round = 0; round < 10; round++) {
          const opened = await openMany(8, over)
          await Promise.all(opened.map((catalog) => catalog.probe()))
          await opened[0]!.begin({ grant: grantOf("key"), origin, now: 1000 })
          expect((await opened[7]!.get("key"))?.file.key).toBe("key")
          await Promise.all(opened.map((catalog) => catalog.close()))
        }
      },
    )
  })
}
