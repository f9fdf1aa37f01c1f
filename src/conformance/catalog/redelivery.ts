import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { callbackUrl, driveCatalog, dueOf } from "./drive-catalog.ts"

/** Events that are sent again by an operator's hand; part of the suite of all catalogs. */
export const testCatalogRedelivery = (catalog: () => Catalog): void => {
  const { begin, commit, fail, register, claim, end } = driveCatalog(catalog, { holdsClaims: true })

  describe("redelivery", () => {
    const redeliver = (id: string, now: number) => catalog().redeliver({ id, now })
    const deadOne = async () => {
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key"))
      await end(due, "dead")
      return due
    }

    it("makes a dead event due at once, numbers its attempts on and starts the schedule again", async () => {
      const { id } = await deadOne()
      expect(await redeliver(id, 7000)).toBe(true)
      expect((await catalog().get("key"))?.delivery).toMatchObject({ id, status: "pending", attempts: 1, nextAt: 7000 })
      expect(await catalog().nextDueAt(6999)).toBe(7000)
      expect(await catalog().nextDueAt(7000)).toBeNull()
      const [again] = await claim(7000)
      expect(again).toMatchObject({ id, attempt: 2, retry: 0 })
      await end(again!, { retryAt: 8000 })
      expect(await claim(8000)).toMatchObject([{ attempt: 3, retry: 1 }])
    })

    it("takes a delivered event, and one that waits for its next attempt", async () => {
      await register(["delivered", "waiting"])
      for (const key of ["delivered", "waiting"]) await begin(key)
      const delivered = dueOf(await commit("delivered"))
      const waiting = dueOf(await commit("waiting"))
      await end(delivered, "delivered")
      await end(waiting, { retryAt: 90_000 })
      expect(await redeliver(delivered.id, 7000)).toBe(true)
      expect(await redeliver(waiting.id, 7000)).toBe(true)
      expect((await claim(7000)).map(({ id, retry }) => [id, retry])).toEqual([
        [delivered.id, 0],
        [waiting.id, 0],
      ])
    })

    it("leaves an attempt alone that is under way, and what it does not know", async () => {
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key"))
      expect(await redeliver(due.id, 7000)).toBe(false)
      expect(await claim(7000)).toEqual([])
      expect(await redeliver("evt_unknown", 7000)).toBe(false)
    })

    describe("to another callback URL", () => {
      const former = callbackUrl
      const wanted = "http://elsewhere.example:8080/a/longer/path/é"
      const urlOf = async (key: string) => (await catalog().get(key))?.registration?.callbackUrl

      it("sends the event there from now on, and those of the files it was registered with", async () => {
        await register(["key", "sibling", "later"])
        await register(["other"])
        for (const key of ["key", "sibling", "other"]) await begin(key)
        const due = dueOf(await commit("key"))
        await end(due, "dead")
        await commit("sibling", 1, { now: 7001, claimedUntil: null })
        await commit("other", 1, { now: 7002, claimedUntil: null })
        expect(await catalog().redeliver({ id: due.id, now: 7000, callbackUrl: wanted })).toBe(true)
        expect(await catalog().get("key")).toMatchObject({
          registration: { callbackUrl: wanted, callbackSlug: "avatar", metadata: '{"userId":7}' },
          delivery: { status: "pending", nextAt: 7000 },
        })
        await begin("later")
        await commit("later", 1, { now: 7003, claimedUntil: null })
        const urls = (await claim(9000, 4)).map(({ file, registration }) => [file.key, registration.callbackUrl])
        expect(urls).toEqual([
          ["key", wanted],
          ["sibling", wanted],
          ["other", former],
          ["later", wanted],
        ])
      })

      it("changes nothing of an event that it leaves alone", async () => {
        await register(["key"])
        await begin("key")
        const due = dueOf(await commit("key"))
        expect(await catalog().redeliver({ id: due.id, now: 7000, callbackUrl: wanted })).toBe(false)
        expect(await urlOf("key")).toBe(former)
      })

      it("counts what is announced as it was when it was registered", async () => {
        await register(["key", "later"])
        await begin("key")
        const due = dueOf(await commit("key"))
        await end(due, "dead")
        const { expectedFiles, expectedBytes } = await catalog().usage("app")
        expect(expectedFiles).toBe(1)
        await catalog().redeliver({ id: due.id, now: 7000, callbackUrl: wanted })
        expect(await catalog().usage("app")).toMatchObject({ expectedFiles, expectedBytes })
        await begin("later")
        await commit("later")
        expect(await catalog().usage("app")).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
      })

      it("counts what the new one takes", async () => {
        const { id } = await deadOne()
        const before = await catalog().usage("app")
        await redeliver(id, 7000)
        expect(await catalog().usage("app")).toEqual(before)
        const [again] = await claim(7000)
        await end(again!, "dead")
        await catalog().redeliver({ id, now: 8000, callbackUrl: wanted })
        const added = new TextEncoder().encode(wanted).length - former.length
        expect((await catalog().usage("app")).catalogBytes).toBe(before.catalogBytes + added)
      })
    })

    it("refuses an event of a development stream that nobody could acknowledge", async () => {
      await register(["key"], { isDev: true })
      await begin("key")
      await fail("key", 1, { eventId: "evt_old" })
      await begin("key", { expires: 99_000 })
      expect((await catalog().findDelivery("evt_old"))?.delivery.status).toBe("dead")
      expect(await redeliver("evt_old", 7000)).toBe(false)
    })
  })
}
