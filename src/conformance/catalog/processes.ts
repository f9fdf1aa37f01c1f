import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog, dueOf, grantOf } from "./drive-catalog.ts"
import { die, long, look, openOther, processesOf, untilSo } from "./drive-processes.ts"

/** Processes that share a catalog, what they claim and what one of them does for all; part of the suite of such catalogs. */
export const testCatalogProcesses = (catalog: () => Catalog, openBeside: () => Promise<Catalog>): void => {
  const { begin, commit, commitWhole, register, end } = driveCatalog(catalog)
  const deliveryOf = async (key: string) => (await catalog().get(key))?.delivery
  const claim = (process: Catalog, now: number, claimedUntil = now + long) =>
    process.claimDue({ channel: "callback", now, claimedUntil, limit: 10 })
  const claimEvents = (process: Catalog, now: number) =>
    process.claimEvents({ now, claimedUntil: now + long, limit: 10, roomOf: () => 10 })

  /** Makes an event of each kind, claimed by the first process as it claims it. Returns their ids. */
  const claimAll = async (now: number): Promise<ReadonlyArray<string>> => {
    const claimedUntil = now + long
    await register(["committed", "due"])
    await begin("committed")
    const committed = dueOf(await commit("committed", 1, { now, claimedUntil }))
    await register(["whole"])
    const whole = await catalog().commitWhole({
      grant: grantOf("whole"),
      origin: "http://ingest.example",
      bytes: Uint8Array.of(1, 2, 3, 4, 5),
      fileHash: "ab".repeat(32),
      now,
      eventId: "evt_whole",
      claimedUntil,
    })
    await begin("due")
    await commit("due", 1, { now, claimedUntil: null })
    const [due] = await claim(catalog(), now)
    const endpoint = { id: "ep_1", appId: "app", url: "http://hook.example/", createdAt: 500, secret: "whsec_1" }
    await catalog().createEndpoint({ ...endpoint, events: ["uploaded"] })
    await catalog().addTestEvent({ id: "evt_test", endpointId: "ep_1", now })
    const [event] = await claimEvents(catalog(), now)
    if (whole.kind !== "committed") throw new Error("a small file was refused")
    return [committed.id, dueOf(whole).id, due!.id, event!.id]
  }
  const claimedBy = async (process: Catalog, now: number): Promise<ReadonlyArray<string>> => [
    ...(await claim(process, now)).map(({ id }) => id),
    ...(await claimEvents(process, now)).map(({ id }) => id),
  ]

  describe("a process of several", () => {
    const other = openOther(openBeside)

    it("says that there may be others, and hears one clock", async () => {
      expect(catalog().abilities.isShared).toBe(true)
      const first = await look(catalog())
      const second = await look(other())
      expect(first).toEqual({ now: first.now, stops: [], others: {}, hasReleased: false })
      expect(second.now >= first.now && (await look(catalog())).now >= second.now).toBe(true)
    })

    it("hears what the others have under way, summed, as long as they live", async () => {
      const third = await openBeside()
      await look(catalog(), { active: { "uploads app": 100, own: 1 } })
      await look(other(), { active: { "uploads app": 2, "uploads \u0000": 1 } })
      await look(third, { active: { "uploads app": 3, callbacks: 4 } })
      const others = async () => (await look(catalog())).others
      expect(await others()).toEqual({ "uploads app": 5, "uploads \u0000": 1, callbacks: 4 })
      await look(other(), { active: { "uploads app": 1 } })
      expect(await others()).toEqual({ "uploads app": 4, callbacks: 4 })
      await processesOf(third).leave()
      expect(await others()).toEqual({ "uploads app": 1 })
      await die(other())
      expect(await others()).toEqual({})
      await third.close()
    })
  })

  describe("what a process has claimed", () => {
    const other = openOther(openBeside)

    it("is due at once when its lease ends, as an attempt that has failed", async () => {
      const { now } = await look(catalog())
      const ids = await claimAll(now)
      await die(catalog())
      const seen = await look(other())
      expect(seen.hasReleased).toBe(true)
      expect((await look(other())).hasReleased).toBe(false)
      expect(await deliveryOf("due")).toMatchObject({ status: "pending", attempts: 1, failures: 1 })
      expect((await claimedBy(other(), seen.now)).toSorted()).toEqual(ids.toSorted())
      expect(await deliveryOf("due")).toMatchObject({ attempts: 2, failures: 1 })
    })

    it("stays its own while it lives, and as long as it was claimed where it has never looked", async () => {
      const { now } = await look(other())
      await claimAll(now)
      expect((await look(other(), { lease: 1 })).hasReleased).toBe(false)
      await look(catalog())
      await look(other())
      expect(await claimedBy(other(), now + 1000)).toEqual([])
    })

    it("stays its own when it is late and nobody has noticed", async () => {
      const { now } = await look(catalog())
      await claimAll(now)
      await die(catalog())
      expect((await look(catalog())).hasReleased).toBe(false)
      expect((await look(other())).hasReleased).toBe(false)
      expect(await claimedBy(other(), now + 1000)).toEqual([])
    })

    it("is not due before its retry where the attempt has ended, and not another's where that has claimed it since", async () => {
      const { now } = await look(catalog())
      await look(other())
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key", 1, { now, claimedUntil: now + 10 }))
      await end(due, { retryAt: now + long })
      await register(["late"])
      await begin("late")
      await commit("late", 1, { now, claimedUntil: now + 10 })
      expect(await claim(other(), now + 20)).toMatchObject([{ id: "evt_2", attempt: 2 }])
      await die(catalog())
      expect((await look(other())).hasReleased).toBe(false)
      expect(await claim(other(), now + 1000)).toEqual([])
    })

    it("is ended by the one who has it now, should the first one come back", async () => {
      const { now } = await look(catalog())
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key", 1, { now, claimedUntil: now + long }))
      await die(catalog())
      const seen = await look(other())
      const [again] = await claim(other(), seen.now)
      expect(again).toMatchObject({ id: due.id, attempt: 2 })
      await end(due, "dead")
      expect(await deliveryOf("key")).toMatchObject({ status: "pending", attempts: 2 })
      await end(again!, "delivered")
      expect(await deliveryOf("key")).toMatchObject({ status: "delivered" })
    })

    it("has failed once, however late it is told", async () => {
      const { now } = await look(catalog())
      const ids = await claimAll(now)
      await die(catalog())
      const seen = await look(other())
      for (const key of ["committed", "whole", "due"]) {
        const { delivery, file, registration } = (await catalog().get(key))!
        const { id, hook, attempts } = delivery!
        const due = { id, hook, attempt: attempts, retry: 0, file, registration: registration! }
        await end(due, { retryAt: seen.now })
        expect(await deliveryOf(key)).toMatchObject({ status: "pending", attempts: 1, failures: 1 })
      }
      const ended = { startedAt: now, latency: 1, status: 500, error: "no", answer: null }
      await catalog().recordEventAttempt({
        ...ended,
        deliveryId: ids[3]!,
        attempt: 1,
        outcome: { retryAt: seen.now },
      })
      expect(await catalog().findEvent(ids[3]!)).toMatchObject({ status: "pending", attempts: 1, failures: 1 })
    })

    it("is claimed until another time where it says so, and so is nothing of others", async () => {
      const { now } = await look(catalog())
      const ids = await claimAll(now)
      const [first, ...rest] = ids
      await processesOf(other()).moveClaims({ events: ids, until: now })
      expect(await claimedBy(other(), now)).toEqual([])
      await processesOf(catalog()).moveClaims({ events: [...rest, "evt_never"], until: now + 5 * long })
      expect(await claimedBy(other(), now + 2 * long)).toEqual([first])
      await processesOf(catalog()).moveClaims({ events: ids, until: now })
      expect((await claimedBy(other(), now)).toSorted()).toEqual(rest.toSorted())
    })

    it("is not moved once its attempt has ended", async () => {
      const { now } = await look(catalog())
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key", 1, { now, claimedUntil: now + long }))
      await end(due, { retryAt: now + long })
      await processesOf(catalog()).moveClaims({ events: [due.id], until: now })
      expect(await claim(other(), now)).toEqual([])
    })

    it("is due at once when it leaves, whether it has ever looked or not", async () => {
      const { now } = await look(other())
      const ids = await claimAll(now)
      await processesOf(catalog()).leave()
      const seen = await look(other())
      expect((await claimedBy(other(), seen.now)).toSorted()).toEqual(ids.toSorted())
      await look(catalog())
      await processesOf(other()).leave()
      const later = await look(catalog())
      expect((await claimedBy(catalog(), later.now)).toSorted()).toEqual(ids.toSorted())
      expect((await commitWhole("unclaimed")).kind).toBe("committed")
    })
  })

  describe("work that one process does for all", () => {
    const other = openOther(openBeside)
    const lead = (process: Catalog, time = long, work = "sweeps") => processesOf(process).lead(work, time)

    it("stays its own while its time lasts, and is done by nobody else", async () => {
      await look(catalog())
      await look(other())
      expect(await lead(catalog())).toBe(true)
      expect(await lead(other())).toBe(false)
      expect(await lead(catalog())).toBe(true)
      expect(await lead(other(), long, "another work")).toBe(true)
      expect(await lead(catalog(), long, "another work")).toBe(false)
    })

    it("is another's when its time is over", async () => {
      await lead(catalog(), 1)
      await untilSo(() => lead(other()))
      expect(await lead(catalog())).toBe(false)
    })

    it("is another's at once when its leader leaves, or its lease ends", async () => {
      await look(catalog())
      await look(other())
      await lead(catalog())
      await processesOf(catalog()).leave()
      expect(await lead(other())).toBe(true)
      await die(other())
      await look(catalog())
      expect(await lead(catalog())).toBe(true)
    })
  })
}
