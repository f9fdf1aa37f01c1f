import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import { type Catalog, type EndpointEvent, type FileEventType, fileEventTypes } from "../../ingest.ts"
import { driveCatalog } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** Endpoints of apps, and what they are owed; part of the suite of all catalogs. */
export const testCatalogEndpoints = (catalog: () => Catalog): void => {
  const page = driveCatalog(catalog)
  const { commit, fail, register, remove, expire, createEventId } = page
  const { begin, commitWhole } = driveLabels(catalog)
  const byServer = { slug: undefined }

  const create = (id: string, events: ReadonlyArray<FileEventType> = fileEventTypes, appId = "app") =>
    catalog().createEndpoint({ id, appId, url: "http://hook.example/", events, createdAt: 500, secret: `whsec_${id}` })
  const events = (endpointId?: string) => catalog().listEvents({ endpointId, limit: 100 })
  const typesOf = (found: ReadonlyArray<Pick<EndpointEvent, "type">>) => found.map(({ type }) => type).toReversed()
  const heard = async (endpointId = "ep_1") => typesOf(await events(endpointId))
  const claim = (now: number, room = 10, limit = 10) =>
    catalog().claimEvents({ now, claimedUntil: now + 1000, limit, roomOf: () => room })
  const end = (id: string, attempt: number, outcome: "delivered" | "dead" | { readonly retryAt: number }) =>
    catalog().recordEventAttempt({
      deliveryId: id,
      attempt,
      startedAt: 2000,
      latency: 5,
      status: outcome === "delivered" ? 200 : 500,
      error: outcome === "delivered" ? null : "no",
      answer: "ok",
      outcome,
    })
  const judge = (key: string, kind: "release" | "reject", now = 3000) =>
    catalog().judgeHeld({ appId: "app", files: [{ key }], verdict: { kind }, now, createEventId })

  describe("an endpoint", () => {
    it("is kept with its secrets until it is deleted, and counts for its app alone", async () => {
      expect(await create("ep_1", ["uploaded"])).toBe("created")
      expect(await create("ep_2", ["deleted"], "other")).toBe("created")
      const [first, second] = await catalog().listEndpoints()
      expect(first).toMatchObject({ id: "ep_1", appId: "app", url: "http://hook.example/", events: ["uploaded"] })
      expect(first).toMatchObject({ createdAt: 500, secrets: [{ secret: "whsec_ep_1", revokedAt: null }] })
      expect(second).toMatchObject({ id: "ep_2", appId: "other" })
      expect(await catalog().changeEndpoint("ep_1", { url: "http://other.example/" })).toBe(true)
      expect(await catalog().changeEndpoint("ep_1", { events: ["failed"] })).toBe(true)
      expect(await catalog().changeEndpoint("ep_9", { events: ["failed"] })).toBe(false)
      expect(await catalog().listEndpoints()).toMatchObject([{ url: "http://other.example/", events: ["failed"] }, {}])
      expect(await catalog().deleteEndpoint("ep_1")).toBe(true)
      expect(await catalog().deleteEndpoint("ep_1")).toBe(false)
      expect(await catalog().listEndpoints()).toMatchObject([{ id: "ep_2" }])
      for (let i = 0; i < 16; i++) expect(await create(`ep_a${i}`)).toBe("created")
      expect(await create("ep_17")).toBe("tooMany")
    })

    it("has at most two secrets that count, and always one", async () => {
      await create("ep_1")
      const add = (secret: string) => catalog().addSecret({ endpointId: "ep_1", secret, now: 900 })
      const idOf = async (secret: string) =>
        (await catalog().listEndpoints())[0]!.secrets.find((each) => each.secret === secret)!.id
      const first = await idOf("whsec_ep_1")
      expect(await catalog().revokeSecret({ endpointId: "ep_1", id: first, now: 800 })).toBe(false)
      expect(await add("whsec_b")).toBe("added")
      expect(await add("whsec_c")).toBe("tooMany")
      expect(await catalog().addSecret({ endpointId: "ep_9", secret: "whsec_d", now: 1 })).toBe("unknownEndpoint")
      expect(await catalog().revokeSecret({ endpointId: "ep_1", id: "sec_never", now: 950 })).toBe(false)
      expect(await catalog().revokeSecret({ endpointId: "ep_1", id: first, now: 950 })).toBe(true)
      const [endpoint] = await catalog().listEndpoints()
      expect(endpoint!.secrets).toMatchObject([
        { secret: "whsec_b", createdAt: 900, revokedAt: null },
        { id: first, secret: null, revokedAt: 950 },
      ])
      expect(await catalog().revokeSecret({ endpointId: "ep_1", id: await idOf("whsec_b"), now: 960 })).toBe(false)
    })

    it("is forgotten with its app", async () => {
      const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
      await catalog().createApp({ id: "app", createdAt: 400, ...settings })
      await create("ep_1")
      expect(await catalog().deleteApp("app")).toBe("deleted")
      expect(await catalog().listEndpoints()).toEqual([])
    })
  })

  describe("what an endpoint hears of", () => {
    it("is what it asked for, of its app alone, and nothing from before it was made", async () => {
      await commitWhole("former", {}, byServer)
      await create("ep_1", ["uploaded", "deleted"])
      await create("ep_2", ["deleted"])
      await create("ep_3", fileEventTypes, "other")
      await commitWhole("key", {}, byServer)
      await remove(["key", "former"])
      expect(await heard("ep_1")).toEqual(["uploaded", "deleted", "deleted"])
      expect(await heard("ep_2")).toEqual(["deleted", "deleted"])
      expect(await heard("ep_3")).toEqual([])
      expect((await events()).length).toBe(5)
    })

    it("has the file as it was, each event with an id of its own", async () => {
      await create("ep_1")
      await create("ep_2")
      await commitWhole("key", { owner: "user-7", path: "a/b.txt", keepFor: 5000, claimWithin: 500 }, byServer)
      const file = {
        key: "key",
        name: "a.txt",
        size: 5,
        type: "text/plain",
        customId: null,
        slug: null,
        owner: "user-7",
        path: "a/b.txt",
        origin: "http://ingest.example",
        status: "Pending",
        fileHash: "ab".repeat(32),
        uploadedAt: 2000,
        removeAt: 7000,
        claimBy: 2500,
        failure: null,
      }
      const found = await events()
      expect(found).toHaveLength(2)
      for (const event of found) {
        expect(event).toMatchObject({ type: "uploaded", at: 2000, file, status: "pending", attempts: 0, nextAt: 2000 })
        expect(event.id.startsWith("evt_")).toBe(true)
        expect(await catalog().findEvent(event.id)).toEqual(event)
      }
      expect(found[0]!.id).not.toBe(found[1]!.id)
      expect(found[0]!.number).toBeGreaterThan(found[1]!.number)
      expect(await catalog().findEvent("evt_never")).toBe(null)
    })

    it("is a file that a page has sent once its app has registered it", async () => {
      await create("ep_1")
      await page.begin("before")
      await register(["before"])
      await commit("before")
      await page.commitWhole("after")
      await page.begin("broken")
      await fail("broken")
      expect(await heard()).toEqual(["uploaded"])
      await register(["after", "broken"], { now: 4000 })
      expect(await heard()).toEqual(["uploaded", "uploaded", "failed"])
      const [failed, late] = await events()
      expect(late).toMatchObject({ at: 4000, file: { key: "after", uploadedAt: 2000 } })
      expect(failed).toMatchObject({ at: 4000, file: { key: "broken", failure: { code: "CONTENT_MISMATCH" } } })
      await page.commitWhole("unknown")
      await expire({ unregistered: 10_000 })
      await remove(["broken"])
      expect(await heard()).toHaveLength(3)
    })

    it("is that a file is held, and the verdict", async () => {
      await create("ep_1")
      await commitWhole("good", { hold: true }, byServer)
      await begin("bad", { hold: true }, byServer)
      await commit("bad")
      expect(await heard()).toEqual(["held", "held"])
      await judge("good", "release")
      await judge("bad", "reject", 3500)
      expect(await heard()).toEqual(["held", "held", "released", "uploaded", "rejected"])
      const [rejected, uploaded, released] = await events()
      expect(released).toMatchObject({ at: 3000, file: { key: "good", status: "Uploaded" } })
      expect(uploaded).toMatchObject({ at: 3000, file: { key: "good" } })
      expect(rejected).toMatchObject({
        at: 3500,
        file: { key: "bad", status: "Failed", failure: { code: "REJECTED" } },
      })
    })

    it("is that a file is claimed, once, also before it has arrived", async () => {
      await create("ep_1")
      const claimKeys = (keys: ReadonlyArray<string>, now: number, replaces: ReadonlyArray<string> = []) =>
        catalog().claimFiles({ appId: "app", keys, replaces: replaces.map((fileKey) => ({ fileKey })), now })
      await commitWhole("key", { claimWithin: 5000 }, byServer)
      await commitWhole("free", {}, byServer)
      await begin("open", { claimWithin: 5000 }, byServer)
      for (const now of [2500, 2600]) await claimKeys(["key", "free", "open"], now)
      await commit("open", 1, { now: 2700 })
      const types = await heard()
      expect(types.toSorted()).toEqual(["claimed", "claimed", "uploaded", "uploaded", "uploaded"])
      expect((await events()).find(({ type }) => type === "claimed")).toMatchObject({ at: 2500 })
      await claimKeys(["free"], 2800, ["key"])
      expect((await events())[0]).toMatchObject({ type: "deleted", at: 2800, file: { key: "key", status: "Deleting" } })
    })

    it("is one end of each file: that it has expired, or that it was deleted", async () => {
      await create("ep_1", ["expired", "deleted"])
      await commitWhole("kept", { keepFor: 500 }, byServer)
      await commitWhole("unclaimed", { claimWithin: 400 }, byServer)
      await commitWhole("deleted", { owner: "user-7" }, byServer)
      await begin("open", {}, byServer)
      await catalog().deleteOverdue({ now: 3000, limit: 10 })
      await catalog().deleteMatching({ appId: "app", selection: { owner: "user-7" }, now: 3100, limit: 10 })
      await remove(["kept", "open", "never"], 3200)
      const found = (await events()).map(({ type, at, file }) => `${file!.key} ${type} ${at}`)
      expect(found.toSorted()).toEqual(["deleted deleted 3100", "kept expired 3000", "unclaimed expired 3000"])
    })
  })

  describe("what an endpoint is owed", () => {
    it("is claimed by one caller, of each endpoint as much as there is room for", async () => {
      await create("ep_1")
      await create("ep_2")
      for (const [i, key] of ["a", "b", "c"].entries()) await commitWhole(key, {}, byServer, 2000 + i)
      expect(await catalog().nextEventAt(0)).toBe(2000)
      expect(await catalog().nextEventAt(2000)).toBe(2001)
      expect(await claim(1999)).toEqual([])
      const first = await claim(2001, 1)
      expect(first.map(({ endpoint, file }) => [endpoint.id, file!.key])).toEqual([
        ["ep_1", "a"],
        ["ep_2", "a"],
      ])
      expect(first[0]).toMatchObject({ attempt: 1, retry: 0, type: "uploaded", at: 2000 })
      expect(first[0]!.endpoint.secrets).toMatchObject([{ secret: "whsec_ep_1" }])
      const rest = await claim(2002, 10, 3)
      expect(rest).toHaveLength(3)
      expect(await claim(2002)).toHaveLength(1)
      expect(await claim(2002)).toEqual([])
      expect(await claim(3001)).toHaveLength(2)
    })

    it("is retried, given up, redelivered and counted", async () => {
      await create("ep_1")
      await commitWhole("key", {}, byServer)
      const [due] = await claim(2000)
      expect(await catalog().redeliverEvent({ id: due!.id, now: 2100 })).toBe(false)
      expect(await end(due!.id, 1, { retryAt: 5000 })).toBe(true)
      expect(await claim(4999)).toEqual([])
      expect(await claim(5000)).toMatchObject([{ attempt: 2, retry: 1 }])
      expect(await end(due!.id, 1, "delivered")).toBe(false)
      expect(await end(due!.id, 2, "dead")).toBe(true)
      expect(await catalog().countEvents(10)).toEqual({ pending: 0, dead: 1 })
      expect(await catalog().listEvents({ status: "dead", limit: 10 })).toMatchObject([{ attempts: 2, failures: 2 }])
      expect(await catalog().redeliverEvent({ id: due!.id, now: 6000 })).toBe(true)
      expect(await claim(6000)).toMatchObject([{ attempt: 3, retry: 0 }])
      expect(await end(due!.id, 3, "delivered")).toBe(true)
      expect(await catalog().countEvents(10)).toEqual({ pending: 0, dead: 0 })
      expect(await catalog().findEvent(due!.id)).toMatchObject({ status: "delivered", attempts: 3, failures: 2 })
      expect(await catalog().listAttempts(due!.id)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }])
      expect(await catalog().redeliverEvent({ id: "evt_never", now: 6000 })).toBe(false)
    })

    it("is due again when the process that claimed it has died", async () => {
      await create("ep_1")
      await commitWhole("key", {}, byServer)
      await claim(2000)
      await catalog().releaseEventClaims(2100)
      expect(await claim(2100)).toMatchObject([{ attempt: 2, retry: 1 }])
    })

    it("goes to its new address, and to nobody once it is deleted", async () => {
      await create("ep_1")
      await commitWhole("key", {}, byServer)
      await catalog().changeEndpoint("ep_1", { url: "http://moved.example/" })
      const [due] = await claim(2000)
      expect(due!.endpoint.url).toBe("http://moved.example/")
      await end(due!.id, 1, { retryAt: 2500 })
      await catalog().deleteEndpoint("ep_1")
      expect(await catalog().nextEventAt(0)).toBe(null)
      expect(await claim(9000)).toEqual([])
      expect(await catalog().redeliverEvent({ id: due!.id, now: 9000 })).toBe(false)
      expect(await catalog().pruneEvents({ before: 0, limit: 10 })).toBe(1)
      expect(await events()).toEqual([])
    })

    it("is forgotten some time after it has ended, at most so many at once", async () => {
      await create("ep_1")
      for (const key of ["a", "b", "c"]) await commitWhole(key, {}, byServer)
      await commitWhole("d", {}, byServer, 9000)
      for (const { id, attempt, file } of await claim(9000)) if (file!.key !== "c") await end(id, attempt, "delivered")
      expect(await catalog().pruneEvents({ before: 2000, limit: 10 })).toBe(0)
      expect(await catalog().pruneEvents({ before: 2001, limit: 1 })).toBe(1)
      expect(await catalog().pruneEvents({ before: 2001, limit: 10 })).toBe(1)
      expect((await events()).map(({ file }) => file!.key)).toEqual(["d", "c"])
    })

    it("is listed a page at a time, of one endpoint and in one state", async () => {
      await create("ep_1")
      await create("ep_2")
      for (const key of ["a", "b"]) await commitWhole(key, {}, byServer)
      const newest = await catalog().listEvents({ limit: 3 })
      expect(newest).toHaveLength(3)
      const before = newest.at(-1)!.number
      expect(await catalog().listEvents({ limit: 3, before })).toHaveLength(1)
      expect(await catalog().listEvents({ endpointId: "ep_2", status: "pending", limit: 9 })).toHaveLength(2)
      expect(await catalog().listEvents({ status: "delivered", limit: 9 })).toEqual([])
    })

    it("may be a test, which says nothing of any file", async () => {
      await create("ep_1", [])
      expect(await catalog().addTestEvent({ id: "evt_t", endpointId: "ep_1", now: 700 })).toBe(true)
      expect(await catalog().addTestEvent({ id: "evt_u", endpointId: "ep_9", now: 700 })).toBe(false)
      expect(await claim(700)).toMatchObject([{ id: "evt_t", type: "test", at: 700, file: null, attempt: 1 }])
    })
  })
}
