import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Catalog, Committed, DueDelivery, FileChange, FilePageOptions } from "../../src/ingest.ts"
import type { FileReference } from "../../src/protocol/rest-messages.ts"
import type { TraceContext, UploadGrant } from "../../src/protocol.ts"
import { testCatalogApps } from "./catalog-apps.ts"

/** How a driver is set up for the suite. */
export interface CatalogSetup {
  /** A catalog with nothing in it. */
  readonly create: () => Promise<Catalog>
  /** Opens the same catalog anew after it was closed; for durable drivers. */
  readonly reopen?: () => Promise<Catalog>
  readonly cleanUp?: () => Promise<void>
}

const origin = "http://ingest.example"

const grantOf = (key: string, grant: Partial<UploadGrant> = {}): UploadGrant => ({
  key,
  appId: "app",
  expires: 10_000,
  name: "a.txt",
  size: 5,
  type: "text/plain",
  slug: "avatar",
  ...grant,
})

/** What every {@link Catalog} must do; a driver's test is its set-up and one call of this. */
export const testCatalog = (name: string, setup: CatalogSetup): void => {
  describe(`${name} as a catalog`, () => {
    let catalog: Catalog
    let events = 0
    const createEventId = () => `evt_${++events}`
    beforeEach(async () => {
      events = 0
      catalog = await setup.create()
    })
    afterEach(async () => {
      await catalog.close()
      await setup.cleanUp?.()
    })

    const begin = (key: string, grant: Partial<UploadGrant> = {}, now = 1000, quota?: number) =>
      catalog.begin({ grant: grantOf(key, grant), origin, now, quota })
    const content = Uint8Array.from([1, 2, 3, 4, 5])
    const commitWhole = (key: string, grant: Partial<UploadGrant> = {}, quota?: number) =>
      catalog.commitWhole({
        grant: grantOf(key, grant),
        origin,
        bytes: content,
        fileHash: "ab".repeat(32),
        now: 2000,
        eventId: createEventId(),
        claimedUntil: 60_000,
        quota,
      })
    const commit = (key: string, epoch = 1, options: { now?: number; claimedUntil?: number | null } = {}) =>
      catalog.commit({
        key,
        epoch,
        fileHash: "ab".repeat(32),
        now: options.now ?? 2000,
        eventId: createEventId(),
        claimedUntil: options.claimedUntil === undefined ? 60_000 : options.claimedUntil,
      })
    const register = (
      fileKeys: ReadonlyArray<string>,
      options: { isDev?: boolean; now?: number; slug?: string; trace?: TraceContext } = {},
    ) =>
      catalog.register({
        appId: "app",
        fileKeys,
        metadata: '{"userId":7}',
        callbackUrl: "http://app.example/api/sluice",
        callbackSlug: options.slug ?? "avatar",
        awaitServerData: true,
        isDev: options.isDev ?? false,
        trace: options.trace ?? null,
        now: options.now ?? 1500,
        createEventId,
      })
    const claim = (now: number, limit = 10) =>
      catalog.claimDue({ channel: "callback", now, claimedUntil: now + 1000, limit })
    const dueOf = (committed: Committed): DueDelivery => {
      if (committed.kind !== "committed" || committed.due === null) throw new Error("nothing is due")
      return committed.due
    }
    const end = (delivery: DueDelivery, outcome: "delivered" | "dead" | { readonly retryAt: number }) =>
      catalog.recordAttempt({
        deliveryId: delivery.id,
        attempt: delivery.attempt,
        startedAt: 2000,
        latency: 5,
        status: outcome === "delivered" ? 200 : 500,
        error: outcome === "delivered" ? null : "no",
        answer: "ok",
        outcome,
      })
    const expire = (at: { expired?: number; unregistered?: number; abandoned?: number }, limit = 100) =>
      catalog.expire({
        expiredBefore: at.expired ?? 0,
        unregisteredBefore: at.unregistered ?? 0,
        abandonedBefore: at.abandoned ?? 0,
        limit,
        now: 50_000,
        createEventId,
      })

    describe("begin", () => {
      it("makes a file that is Uploading, with all of its grant", async () => {
        const grant = { customId: "c", contentDisposition: "inline", acl: "private", name: "ü'\"\n.txt" } as const
        expect(await begin("key", grant)).toMatchObject({ kind: "granted", epoch: 1, isNew: true })
        expect(await catalog.get("key")).toEqual({
          file: {
            id: expect.any(Number),
            key: "key",
            appId: "app",
            status: "Uploading",
            name: "ü'\"\n.txt",
            size: 5,
            type: "text/plain",
            customId: "c",
            slug: "avatar",
            contentDisposition: "inline",
            acl: "private",
            origin,
            expires: 10_000,
            epoch: 1,
            createdAt: 1000,
            resumedAt: null,
            uploadedAt: null,
            fileHash: null,
            failure: null,
            isInline: false,
            endedAt: null,
          },
          registration: null,
          delivery: null,
          result: null,
          resultAt: null,
        })
      })

      it("knows no file it was not told of", async () => {
        expect(await catalog.get("key")).toBeNull()
        expect(await catalog.interrupt("key")).toBeNull()
      })

      it("raises the epoch for every writer, also for a renewed grant", async () => {
        await begin("key")
        expect(await begin("key")).toMatchObject({ kind: "granted", epoch: 2, isNew: false })
        expect(await begin("key", { expires: 99_000 })).toMatchObject({ kind: "granted", epoch: 3, isNew: false })
        expect((await catalog.get("key"))?.file.expires).toBe(99_000)
        expect(await catalog.interrupt("key")).toBe(4)
      })

      it("starts anew where another file is granted under the key", async () => {
        await begin("key")
        expect(await begin("key", { size: 6 })).toMatchObject({ kind: "granted", epoch: 2, isNew: true })
        const { file } = (await catalog.get("key"))!
        expect(file).toMatchObject({ size: 6, status: "Uploading" })
        const [old, ...others] = await catalog.listReclaimable(10)
        expect([old?.key, old?.id === file.id, others]).toEqual(["key", false, []])
        await catalog.reclaimed(old!)
        expect(await catalog.listReclaimable(10)).toEqual([])
        expect(await catalog.get("key")).toMatchObject({ file: { id: file.id } })
      })

      it("gives a finished file again, and never its key to another", async () => {
        await begin("key")
        await commit("key")
        expect(await begin("key", { expires: 99_000 })).toMatchObject({
          kind: "finished",
          upload: { file: { status: "Uploaded", size: 5 } },
        })
        expect(await begin("key", { size: 6 })).toEqual({ kind: "taken" })
        expect(await begin("key", { appId: "other" })).toEqual({ kind: "taken" })
      })

      it("repeats a failure under the same grant, and starts anew under a new one", async () => {
        await begin("key")
        const failure = { code: "CONTENT_MISMATCH", message: "It is a zip." } as const
        expect(await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: "evt_x" })).toBe(true)
        expect(await begin("key")).toEqual({ kind: "failed", failure })
        expect(await begin("key", { expires: 99_000 })).toMatchObject({ kind: "granted", epoch: 2, isNew: true })
        expect((await catalog.get("key"))?.file).toMatchObject({ status: "Uploading", failure: null })
        expect(await commit("key", 2)).toMatchObject({ kind: "committed" })
      })
    })

    it("a key is of the app that began it, whatever has become of the file", async () => {
      await begin("k", { appId: "theirs" })
      expect(await begin("k", { size: 6 })).toEqual({ kind: "taken" })
      await catalog.fail({ key: "k", epoch: 1, failure: { code: "ABORTED", message: "" }, now: 2, eventId: "evt_9" })
      expect(await begin("k", { size: 6 })).toEqual({ kind: "taken" })
      expect((await catalog.get("k"))?.file.appId).toBe("theirs")
    })

    describe("commitWhole", () => {
      it("makes an Uploaded file of nothing, and gives its bytes back", async () => {
        const committed = await commitWhole("key", { customId: "c" })
        expect(committed).toMatchObject({
          kind: "committed",
          upload: {
            file: { key: "key", status: "Uploaded", isInline: true, createdAt: 2000, uploadedAt: 2000, epoch: 1 },
            registration: null,
            delivery: null,
          },
          due: null,
        })
        if (committed.kind !== "committed") throw new Error(committed.kind)
        expect(await catalog.get("key")).toEqual(committed.upload)
        expect(await catalog.findByCustomId("app", "c")).toEqual(committed.upload.file)
        expect([...(await catalog.readContent(committed.upload.file.id))!]).toEqual([...content])
        expect(await begin("key")).toMatchObject({ kind: "finished" })
      })

      it("owes a registered app its callback in the same transaction, claimed for the caller", async () => {
        await register(["key"])
        const committed = await commitWhole("key")
        expect(committed).toMatchObject({
          upload: { delivery: { status: "pending", attempts: 1 } },
          due: { id: "evt_1", hook: "callback", attempt: 1, registration: { metadata: '{"userId":7}' } },
        })
        expect(await catalog.claimDue({ channel: "callback", now: 3000, claimedUntil: 4000, limit: 10 })).toEqual([])
      })

      it("changes nothing where the key is known, whatever its state", async () => {
        await begin("uploading")
        await begin("failed")
        await catalog.fail({
          key: "failed",
          epoch: 1,
          failure: { code: "CONTENT_MISMATCH", message: "No." },
          now: 1500,
          eventId: "evt_f",
        })
        await commitWhole("uploaded")
        for (const key of ["uploading", "failed", "uploaded"]) {
          const before = await catalog.get(key)
          expect(await commitWhole(key)).toEqual({ kind: "refused" })
          expect(await catalog.get(key)).toEqual(before)
        }
      })

      it("gives the bytes up with the file", async () => {
        await commitWhole("key")
        const { id } = (await catalog.get("key"))!.file
        const limits = { expiredBefore: 0, abandonedBefore: 0, limit: 10, now: 9000, createEventId }
        await catalog.expire({ ...limits, unregisteredBefore: 9000 })
        for (const file of await catalog.listReclaimable(10)) await catalog.reclaimed(file)
        expect(await catalog.get("key")).toBeNull()
        expect(await catalog.readContent(id)).toBeNull()
      })
    })

    describe("commit", () => {
      it("makes the file Uploaded", async () => {
        await begin("key")
        expect(await commit("key")).toMatchObject({
          kind: "committed",
          upload: { file: { status: "Uploaded", fileHash: "ab".repeat(32), uploadedAt: 2000 }, delivery: null },
          due: null,
        })
      })

      it("is refused for all but the newest epoch, and for what is no upload", async () => {
        await begin("key")
        await begin("key")
        expect(await commit("key", 1)).toEqual({ kind: "fenced" })
        expect(await commit("key", 3)).toEqual({ kind: "fenced" })
        expect((await catalog.get("key"))?.file.status).toBe("Uploading")
        expect(await commit("key", 2)).toMatchObject({ kind: "committed" })
        expect(await commit("key", 2)).toEqual({ kind: "fenced" })
        expect(await commit("unknown", 1)).toEqual({ kind: "fenced" })
      })

      it("owes a registered app its callback in the same transaction, claimed for the caller", async () => {
        await register(["key", "other"])
        await begin("key")
        const due = dueOf(await commit("key"))
        expect(due).toMatchObject({
          id: "evt_1",
          hook: "callback",
          attempt: 1,
          file: { key: "key", status: "Uploaded" },
          registration: {
            metadata: '{"userId":7}',
            callbackUrl: "http://app.example/api/sluice",
            callbackSlug: "avatar",
            awaitServerData: true,
            isDev: false,
          },
        })
        expect(await claim(59_999)).toEqual([])
        expect(await catalog.nextDueAt()).toBe(60_000)
        expect(await claim(60_000)).toMatchObject([{ id: "evt_1", attempt: 2 }])
      })

      it("leaves the callback to be claimed when the caller has no hands free", async () => {
        await register(["key"])
        await begin("key")
        expect(await commit("key", 1, { claimedUntil: null })).toMatchObject({ due: null })
        expect(await claim(2000)).toMatchObject([{ id: "evt_1", attempt: 1 }])
      })
    })

    describe("register", () => {
      it("owes the callback of a file that was there first, once", async () => {
        await begin("key")
        await commit("key")
        await register(["key"])
        await register(["key"])
        expect(await claim(1500)).toMatchObject([{ hook: "callback", attempt: 1, file: { key: "key" } }])
        expect(await claim(99_000)).toHaveLength(1)
        expect((await catalog.get("key"))?.registration).toMatchObject({ callbackSlug: "avatar" })
      })

      it("is known of an unfinished file, the newest one", async () => {
        await begin("key")
        await register(["key"], { slug: "old" })
        await register(["key"], { slug: "new" })
        expect((await catalog.get("key"))?.registration).toMatchObject({ callbackSlug: "new" })
        expect(dueOf(await commit("key")).registration.callbackSlug).toBe("new")
      })

      it("owes an error event for a file that had failed, and serves the upload that takes its key", async () => {
        await begin("key")
        const failure = { code: "DIGEST_MISMATCH", message: "No." } as const
        await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: createEventId() })
        await register(["key"])
        expect(await claim(1500)).toMatchObject([{ hook: "error", file: { status: "Failed", failure } }])
        await begin("key", { expires: 99_000 })
        expect(dueOf(await commit("key", 2))).toMatchObject({ hook: "callback", attempt: 1 })
      })
    })

    it("owes an error event for a registered upload that fails, and keeps it when the key is taken again", async () => {
      await register(["key"], { slug: "old" })
      await begin("key")
      const failure = { code: "CONTENT_MISMATCH", message: "It is a zip." } as const
      await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: "evt_f" })
      expect(await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: "evt_g" })).toBe(false)
      await register(["key"], { slug: "new" })
      await begin("key", { expires: 99_000 })
      expect(await claim(2000)).toMatchObject([
        { id: "evt_f", hook: "error", file: { failure }, registration: { callbackSlug: "old" } },
      ])
      expect(dueOf(await commit("key", 2)).registration.callbackSlug).toBe("new")
    })

    describe("deliveries", () => {
      it("are claimed once until the claim ends, oldest first, no more than asked for", async () => {
        const keys = ["a", "b", "c"]
        await register(keys)
        for (const [index, key] of keys.entries()) {
          await begin(key)
          await commit(key, 1, { now: 2000 + index, claimedUntil: null })
        }
        expect((await claim(2001)).map(({ file }) => file.key)).toEqual(["a", "b"])
        expect(await claim(2001)).toEqual([])
        expect((await claim(5000, 2)).map(({ file }) => file.key)).toHaveLength(2)
        expect((await claim(5000, 2)).map(({ file }) => file.key)).toHaveLength(1)
      })

      it("are over when delivered", async () => {
        await register(["key"])
        await begin("key")
        await end(dueOf(await commit("key")), "delivered")
        expect((await catalog.get("key"))?.delivery).toMatchObject({ status: "delivered", attempts: 1, failures: 0 })
        expect(await claim(99_000)).toEqual([])
        expect(await catalog.nextDueAt()).toBeNull()
      })

      it("come back when they are to be tried again, with the same id", async () => {
        await register(["key"])
        await begin("key")
        await end(dueOf(await commit("key")), { retryAt: 7000 })
        expect((await catalog.get("key"))?.delivery).toMatchObject({ status: "pending", attempts: 1, failures: 1 })
        expect(await catalog.nextDueAt()).toBe(7000)
        expect(await claim(6999)).toEqual([])
        const [again] = await claim(7000)
        expect(again).toMatchObject({ id: "evt_1", attempt: 2 })
        await end(again!, "dead")
        expect((await catalog.get("key"))?.delivery).toMatchObject({ status: "dead", failures: 2 })
        expect(await claim(99_000)).toEqual([])
      })

      it("carry the trace their registration came with", async () => {
        const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "vendor=1" }
        await register(["traced"], { trace })
        await register(["stateless"], { trace: { traceparent: trace.traceparent } })
        await register(["plain"])
        for (const key of ["traced", "stateless", "plain"]) await begin(key)
        expect(dueOf(await commit("traced")).registration.trace).toEqual(trace)
        await commit("stateless", 1, { claimedUntil: null })
        await commit("plain", 1, { claimedUntil: null })
        const traces = (await claim(5000)).map(({ registration }) => registration.trace)
        expect(traces).toEqual([{ traceparent: trace.traceparent }, null])
      })

      it("are counted while pending and when dead, up to a limit", async () => {
        expect(await catalog.countDeliveries(10)).toEqual({ pending: 0, dead: 0 })
        const keys = ["a", "b", "c", "d"]
        await register(keys)
        for (const key of keys) await begin(key)
        const [a, b, c] = [dueOf(await commit("a")), dueOf(await commit("b")), dueOf(await commit("c"))]
        await commit("d", 1, { claimedUntil: null })
        await end(a, "delivered")
        await end(b, "dead")
        await end(c, { retryAt: 9000 })
        expect(await catalog.countDeliveries(10)).toEqual({ pending: 2, dead: 1 })
        expect(await catalog.countDeliveries(1)).toEqual({ pending: 1, dead: 1 })
      })

      it("do not mind the late end of an attempt that was claimed by another since", async () => {
        await register(["key"])
        await begin("key")
        const first = dueOf(await commit("key", 1, { claimedUntil: 3000 }))
        const [second] = await claim(3000)
        await end(first, "dead")
        expect((await catalog.get("key"))?.delivery?.status).toBe("pending")
        await end(second!, "delivered")
        expect((await catalog.get("key"))?.delivery?.status).toBe("delivered")
      })

      it("are due at once when all claims are released", async () => {
        await register(["key"])
        await begin("key")
        await commit("key")
        await catalog.releaseClaims(2500)
        expect(await claim(2500)).toMatchObject([{ attempt: 2 }])
      })

      it("of a development stream are claimed by its app and slug, and over when the result is posted", async () => {
        await register(["key"], { isDev: true })
        await begin("key")
        expect(await commit("key")).toMatchObject({ due: null })
        expect(await claim(99_000)).toEqual([])
        expect(await catalog.nextDueAt()).toBeNull()
        const claimDev = (callbackSlug: string, except: ReadonlyArray<string> = []) =>
          catalog.claimDue({
            channel: { appId: "app", callbackSlug },
            now: 3000,
            claimedUntil: 3000,
            limit: 10,
            except: new Set(except),
          })
        expect(await claimDev("other")).toEqual([])
        expect(await claimDev("avatar")).toMatchObject([{ id: "evt_1", attempt: 1 }])
        expect(await claimDev("avatar", ["evt_1"])).toEqual([])
        expect(await claimDev("avatar")).toMatchObject([{ id: "evt_1", attempt: 2 }])
        await catalog.recordResult({ appId: "app", key: "key", result: { data: "null" }, now: 4000 })
        expect((await catalog.get("key"))?.delivery?.status).toBe("delivered")
        expect(await claimDev("avatar")).toEqual([])
      })
    })

    describe("what operators look at", () => {
      const fail = (key: string, epoch = 1, now = 4000) =>
        catalog.fail({
          key,
          epoch,
          failure: { code: "CONTENT_MISMATCH", message: "It is a zip." },
          now,
          eventId: createEventId(),
        })
      /** Files a to e: uploaded, failed, under way, uploaded, and failed again under a key that was taken since. */
      const fill = async () => {
        await register(["a", "b", "e"])
        for (const key of ["a", "b", "c", "d", "e"]) await begin(key)
        await commit("a", 1, { claimedUntil: null })
        await fail("b")
        await commit("d")
        await fail("e")
        await begin("e", { expires: 99_000 })
      }

      it("lists files newest first, page by page, those that hold their key", async () => {
        await fill()
        const first = await catalog.list({ limit: 2 })
        const second = await catalog.list({ limit: 9, before: first.at(-1)!.id })
        expect([...first, ...second].map(({ key }) => key)).toEqual(["e", "d", "c", "b", "a"])
        expect(first[0]).toEqual((await catalog.get("e"))?.file)
        expect(await catalog.list({ limit: 9, before: second.at(-1)!.id })).toEqual([])
      })

      it("lists files of a status", async () => {
        await fill()
        const keysOf = async (status: "Uploaded" | "Uploading" | "Failed" | "Deleting") =>
          (await catalog.list({ status, limit: 9 })).map(({ key }) => key)
        expect(await keysOf("Uploaded")).toEqual(["d", "a"])
        expect(await keysOf("Uploading")).toEqual(["e", "c"])
        expect(await keysOf("Failed")).toEqual(["b"])
        expect(await keysOf("Deleting")).toEqual([])
        const [newest] = await catalog.list({ status: "Uploaded", limit: 1 })
        expect(await catalog.list({ status: "Uploaded", limit: 1, before: newest!.id })).toMatchObject([{ key: "a" }])
      })

      it("lists events newest first, also of files whose key was taken, and by status", async () => {
        await fill()
        const all = await catalog.listDeliveries({ limit: 9 })
        expect(all.map(({ file, delivery }) => [file.key, delivery.hook])).toEqual([
          ["e", "error"],
          ["b", "error"],
          ["a", "callback"],
        ])
        expect(await catalog.listDeliveries({ limit: 9, before: all[1]!.file.id })).toMatchObject([
          { file: { key: "a" }, registration: { callbackSlug: "avatar" } },
        ])
        for (const due of await claim(5000)) {
          await end(due, due.file.key === "a" ? "delivered" : due.file.key === "b" ? "dead" : { retryAt: 9000 })
        }
        const keysOf = async (status: "pending" | "delivered" | "dead") =>
          (await catalog.listDeliveries({ status, limit: 9 })).map(({ file }) => file.key)
        expect([await keysOf("pending"), await keysOf("delivered"), await keysOf("dead")]).toEqual([
          ["e"],
          ["a"],
          ["b"],
        ])
        expect((await catalog.listDeliveries({ status: "pending", limit: 1 }))[0]?.delivery.nextAt).toBe(9000)
      })

      it("finds an event by its id, with every attempt and what the app answered", async () => {
        await register(["key"])
        await begin("key")
        const first = dueOf(await commit("key"))
        expect(await catalog.listAttempts(first.id)).toEqual([])
        await end(first, { retryAt: 3000 })
        const [second] = await claim(3000)
        await end(second!, "delivered")
        expect(await catalog.findDelivery(first.id)).toEqual(await catalog.get("key"))
        expect(await catalog.listAttempts(first.id)).toEqual([
          { attempt: 1, startedAt: 2000, latency: 5, status: 500, error: "no", answer: "ok" },
          { attempt: 2, startedAt: 2000, latency: 5, status: 200, error: null, answer: "ok" },
        ])
        expect(await catalog.findDelivery("evt_unknown")).toBeNull()
        expect(await catalog.listAttempts("evt_unknown")).toEqual([])
      })

      it("knows when each stage was", async () => {
        await begin("key", {}, 1000)
        await begin("key", {}, 1200)
        await register(["key"], { now: 1500 })
        await commit("key", 2, { now: 2000 })
        await catalog.recordResult({ appId: "app", key: "key", result: { error: "No." }, now: 2500 })
        await catalog.recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 3000 })
        await catalog.recordResult({ appId: "app", key: "key", result: { data: "2" }, now: 3500 })
        expect(await catalog.get("key")).toMatchObject({
          file: { createdAt: 1000, resumedAt: 1200, uploadedAt: 2000, endedAt: null },
          registration: { registeredAt: 1500 },
          result: { data: "1" },
          resultAt: 3000,
        })
      })

      it("knows when a file ended: failed, expired or dropped", async () => {
        for (const key of ["failed", "expired", "dropped"]) await begin(key)
        await commit("dropped")
        await fail("failed")
        await expire({ expired: 10_001, unregistered: 99_000 })
        const endOf = async (key: string) => (await catalog.get(key))?.file.endedAt
        expect([await endOf("failed"), await endOf("expired"), await endOf("dropped")]).toEqual([4000, 50_000, 50_000])
      })
    })

    describe("redelivery", () => {
      const redeliver = (id: string, now: number) => catalog.redeliver({ id, now })
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
        expect((await catalog.get("key"))?.delivery).toMatchObject({ id, status: "pending", attempts: 1, nextAt: 7000 })
        expect(await catalog.nextDueAt()).toBe(7000)
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

      it("refuses an event of a development stream that nobody could acknowledge", async () => {
        await register(["key"], { isDev: true })
        await begin("key")
        await catalog.fail({
          key: "key",
          epoch: 1,
          failure: { code: "DIGEST_MISMATCH", message: "No." },
          now: 2000,
          eventId: "evt_old",
        })
        await begin("key", { expires: 99_000 })
        expect((await catalog.findDelivery("evt_old"))?.delivery.status).toBe("dead")
        expect(await redeliver("evt_old", 7000)).toBe(false)
      })
    })

    describe("results", () => {
      it("are kept with the file; data outlasts an error, an error does not outlast data", async () => {
        await begin("key")
        await commit("key")
        const record = (result: { data: string } | { error: string }) =>
          catalog.recordResult({ appId: "app", key: "key", result, now: 3000 })
        expect(await record({ error: "boom" })).toBe(true)
        expect((await catalog.get("key"))?.result).toEqual({ error: "boom" })
        await record({ data: '{"a":1}' })
        await record({ error: "late" })
        expect((await catalog.get("key"))?.result).toEqual({ data: '{"a":1}' })
      })

      it("of a failed file only acknowledge its event", async () => {
        await register(["key"], { isDev: true })
        await begin("key")
        const failure = { code: "CONTENT_MISMATCH", message: "It is a zip." } as const
        await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: "evt_f" })
        expect(await catalog.recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 1 })).toBe(true)
        expect(await catalog.get("key")).toMatchObject({ delivery: { status: "delivered" }, result: null })
      })

      it("are refused for files of other apps and for none", async () => {
        await begin("key")
        const result = { data: "1" }
        expect(await catalog.recordResult({ appId: "other", key: "key", result, now: 1 })).toBe(false)
        expect(await catalog.recordResult({ appId: "app", key: "unknown", result, now: 1 })).toBe(false)
      })
    })

    it("finds the newest uploaded file by custom id, within its app", async () => {
      for (const key of ["a", "b", "c"]) await begin(key, { customId: "mine" })
      await commit("a")
      await commit("b")
      expect(await catalog.findByCustomId("app", "mine")).toMatchObject({ key: "b" })
      expect(await catalog.findByCustomId("other", "mine")).toBeNull()
      expect(await catalog.findByCustomId("app", "yours")).toBeNull()
    })

    describe("expire", () => {
      it("fails unfinished uploads and owes registered ones an error event; their bytes can go", async () => {
        await register(["registered"])
        for (const key of ["registered", "plain", "later"]) await begin(key, key === "later" ? { expires: 90_000 } : {})
        expect(await expire({ expired: 10_001 })).toBe(2)
        expect((await catalog.get("plain"))?.file).toMatchObject({ status: "Failed", failure: { code: "EXPIRED_URL" } })
        expect((await catalog.get("later"))?.file.status).toBe("Uploading")
        expect(await claim(50_000)).toMatchObject([{ hook: "error", file: { key: "registered" } }])
        expect(await commit("plain")).toEqual({ kind: "fenced" })
        const reclaimable = await catalog.listReclaimable(10)
        expect(reclaimable.map(({ key }) => key).sort()).toEqual(["plain", "registered"])
        for (const file of reclaimable) await catalog.reclaimed(file)
        expect(await catalog.listReclaimable(10)).toEqual([])
        expect((await catalog.get("plain"))?.file.status).toBe("Failed")
      })

      it("deletes client-side files nobody registered, and nothing else", async () => {
        await register(["registered"])
        for (const key of ["registered", "unregistered"]) await begin(key)
        await begin("server-side", { slug: undefined })
        for (const key of ["registered", "unregistered", "server-side"]) await commit(key)
        expect(await expire({ unregistered: 2000 })).toBe(0)
        expect(await expire({ unregistered: 2001 })).toBe(1)
        expect((await catalog.get("unregistered"))?.file.status).toBe("Deleting")
        expect(await begin("unregistered")).toEqual({ kind: "taken" })
        const [file, ...others] = await catalog.listReclaimable(10)
        expect(others).toEqual([])
        await catalog.reclaimed(file!)
        expect(await catalog.get("unregistered")).toBeNull()
        expect(await begin("unregistered")).toMatchObject({ kind: "granted", isNew: true })
      })

      it("forgets registrations whose files never came", async () => {
        await register(["never", "coming"])
        await begin("coming")
        expect(await expire({ abandoned: 1501 })).toBe(1)
        await begin("never")
        expect((await catalog.get("never"))?.registration).toBeNull()
        expect((await catalog.get("coming"))?.registration).not.toBeNull()
      })

      it("takes no more than it was told at a time", async () => {
        for (const key of ["a", "b", "c"]) await begin(key)
        expect(await expire({ expired: 99_000 }, 2)).toBe(2)
        expect(await expire({ expired: 99_000 }, 2)).toBe(1)
      })
    })

    describe("usage", () => {
      const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
      const fail = (key: string, epoch: number) =>
        catalog.fail({ key, epoch, failure, now: 2000, eventId: createEventId() })
      const reclaimAll = async () => {
        for (const file of await catalog.listReclaimable(100)) await catalog.reclaimed(file)
      }

      it("is nothing for an app without files, and of each app its own", async () => {
        const none = { files: 0, storedBytes: 0, announcedBytes: 0 }
        expect(await catalog.usage("app")).toEqual(none)
        await begin("key", { size: 7 })
        await begin("other", { size: 9, appId: "other" })
        expect(await catalog.usage("app")).toEqual({ ...none, announcedBytes: 7 })
        await commit("key")
        expect(await catalog.usage("app")).toEqual({ files: 1, storedBytes: 7, announcedBytes: 0 })
        expect(await catalog.usage("other")).toEqual({ ...none, announcedBytes: 9 })
      })

      it("is what a recount of the files finds, after any transitions", async () => {
        const keys = ["a", "b", "c"]
        const key = fc.constantFrom(...keys)
        const transition = fc.oneof(
          fc.record({
            kind: fc.constantFrom("begin", "whole"),
            key,
            size: fc.integer({ min: 0, max: 3 }),
            expires: fc.nat(2),
          }),
          fc.record({ kind: fc.constantFrom("interrupt", "commit", "fail", "register", "delete"), key }),
          fc.record({ kind: fc.constantFrom("expire", "drop", "reclaim", "prune") }),
        )
        let round = 0
        await fc.assert(
          fc.asyncProperty(fc.array(transition, { maxLength: 20 }), async (transitions) => {
            const appId = `app-${++round}`
            const own = (name: string) => `${appId}-${name}`
            for (const step of transitions) {
              const name = "key" in step ? own(step.key) : ""
              const epoch = (await catalog.get(name))?.file.epoch ?? 1
              if ("size" in step) {
                const grant = { appId, size: step.size, expires: 10_000 + step.expires }
                await (step.kind === "begin" ? begin(name, grant) : commitWhole(name, grant))
              } else if (step.kind === "interrupt") await catalog.interrupt(name)
              else if (step.kind === "commit") await commit(name, epoch)
              else if (step.kind === "fail") await fail(name, epoch)
              else if (step.kind === "register") await register([name])
              else if (step.kind === "delete") await catalog.deleteFiles({ appId, files: [{ fileKey: name }], now: 1 })
              else if (step.kind === "expire") await expire({ expired: 10_002 })
              else if (step.kind === "drop") await expire({ unregistered: 99_000 })
              else if (step.kind === "reclaim") await reclaimAll()
              else await catalog.prune({ before: 99_000, limit: 100 })
            }
            const files = (await Promise.all(keys.map((each) => catalog.get(own(each))))).map((upload) => upload?.file)
            const sum = (status: string) =>
              files.reduce((bytes, file) => bytes + (file?.status === status ? file.size : 0), 0)
            expect(await catalog.usage(appId)).toEqual({
              files: files.filter((file) => file?.status === "Uploaded").length,
              storedBytes: sum("Uploaded"),
              announcedBytes: sum("Uploading"),
            })
          }),
          { numRuns: 50 },
        )
      })

      it("keeps a new file out that the quota has no room for, and changes nothing then", async () => {
        expect(await begin("a", { size: 6 }, 1000, 10)).toMatchObject({ kind: "granted" })
        const usage = { files: 0, storedBytes: 0, announcedBytes: 6 }
        expect(await begin("b", { size: 5 }, 1000, 10)).toEqual({ kind: "overQuota", usage })
        expect(await catalog.get("b")).toBeNull()
        expect(await begin("c", { size: 4 }, 1000, 10)).toMatchObject({ kind: "granted" })
        await commit("a")
        expect(await begin("d", { size: 1 }, 1000, 10)).toMatchObject({ kind: "overQuota" })
        await fail("c", 1)
        expect(await begin("d", { size: 4 }, 1000, 10)).toMatchObject({ kind: "granted" })
      })

      it("keeps a small file out that came whole as well", async () => {
        expect(await commitWhole("a", {}, 9)).toMatchObject({ kind: "committed" })
        expect(await catalog.usage("app")).toEqual({ files: 1, storedBytes: 5, announcedBytes: 0 })
        expect(await commitWhole("b", {}, 9)).toEqual({ kind: "refused" })
        expect(await begin("b", {}, 1000, 9)).toMatchObject({ kind: "overQuota" })
        expect(await catalog.get("b")).toBeNull()
        const both = await Promise.all([commitWhole("c", {}, 14), commitWhole("d", {}, 14)])
        expect(both.map(({ kind }) => kind)).toEqual(["committed", "refused"])
      })

      it("lets no two begins slip below the quota together", async () => {
        const begun = await Promise.all(Array.from("abcdefgh", (key) => begin(key, { size: 5 }, 1000, 15)))
        expect(begun.filter(({ kind }) => kind === "granted")).toHaveLength(3)
        expect(await catalog.usage("app")).toMatchObject({ announcedBytes: 15 })
      })

      it("lets go on what is under way, and give again what is there, also above a quota that shrank", async () => {
        await begin("going", { size: 6 })
        await begin("there", { size: 6 })
        await commit("there")
        await begin("failed")
        await fail("failed", 1)
        expect(await begin("going", { size: 6 }, 1000, 1)).toMatchObject({ kind: "granted", epoch: 2, isNew: false })
        expect(await begin("there", { size: 6 }, 1000, 1)).toMatchObject({ kind: "finished" })
        expect(await begin("there", { size: 7 }, 1000, 1)).toEqual({ kind: "taken" })
        expect(await begin("failed", {}, 1000, 1)).toEqual({ kind: "failed", failure })
        expect(await begin("failed", { expires: 99_000 }, 1000, 1)).toMatchObject({ kind: "overQuota" })
      })

      it("counts what a new upload replaces as free", async () => {
        await begin("key", { size: 6 })
        expect(await begin("key", { size: 11 }, 1000, 10)).toMatchObject({ kind: "overQuota" })
        expect((await catalog.get("key"))?.file).toMatchObject({ size: 6, status: "Uploading" })
        expect(await begin("key", { size: 10 }, 1000, 10)).toMatchObject({ kind: "granted", isNew: true })
        expect(await catalog.usage("app")).toEqual({ files: 0, storedBytes: 0, announcedBytes: 10 })
      })
    })

    describe("an app's own hand", () => {
      const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
      const reclaimAll = async () => {
        for (const file of await catalog.listReclaimable(100)) await catalog.reclaimed(file)
      }
      const remove = (files: ReadonlyArray<FileReference>, appId = "app") =>
        catalog.deleteFiles({ appId, files, now: 7000 })
      const change = (changes: ReadonlyArray<FileChange>, appId = "app") => catalog.changeFiles({ appId, changes })
      const fileOf = async (key: string) => (await catalog.get(key))?.file
      const mine = { customId: "mine" }

      it("lists the files of one app in every status, newest first, page by page", async () => {
        const states = ["Uploading", "Uploaded", "Failed", "Deleting"] as const
        const ids: Array<string> = []
        for (const [round, status] of [...states, ...states, ...states].entries()) {
          const key = `${round}-${status}`
          ids.unshift(key)
          await begin(`other-${key}`, { appId: "other" })
          await begin(key)
          if (status === "Failed") await catalog.fail({ key, epoch: 1, failure, now: 2000, eventId: createEventId() })
          else if (status !== "Uploading") await commit(key)
          if (status === "Deleting") await remove([{ fileKey: key }])
        }
        const keysOf = async (page: Partial<FilePageOptions>) =>
          (await catalog.list({ appId: "app", limit: 100, ...page })).map(({ key }) => key)
        expect(await keysOf({})).toEqual(ids)
        expect(await keysOf({ appId: "none" })).toEqual([])
        expect(await keysOf({ offset: 3, limit: 5 })).toEqual(ids.slice(3, 8))
        expect(await keysOf({ offset: 99 })).toEqual([])
        for (const status of states) {
          const expected = ids.filter((key) => key.endsWith(status))
          expect(await keysOf({ status })).toEqual(expected)
          expect(await keysOf({ status, offset: 1, limit: 1 })).toEqual(expected.slice(1, 2))
        }
        for (const status of [undefined, ...states]) {
          const walked: Array<string> = []
          for (let before: number | undefined; ;) {
            const page = await catalog.list({ appId: "app", limit: 2, before, status })
            walked.push(...page.map(({ key }) => key))
            if (page.length < 2) break
            before = page.at(-1)!.id
          }
          expect(walked).toEqual(status === undefined ? ids : ids.filter((key) => key.endsWith(status)))
        }
        expect((await catalog.list({ limit: 3, offset: 2 })).map(({ key }) => key)).toEqual([
          ids[1],
          `other-${ids[1]}`,
          ids[2],
        ])
      })

      it("lists no upload whose key was taken since", async () => {
        await begin("key")
        await begin("key", { size: 6 })
        expect(await catalog.list({ appId: "app", limit: 9 })).toMatchObject([{ key: "key", size: 6 }])
        expect(await catalog.list({ appId: "app", status: "Failed", limit: 9 })).toEqual([])
      })

      it("deletes files in any state, each once", async () => {
        for (const key of ["uploading", "uploaded", "failed", "kept"]) await begin(key)
        await commit("uploaded")
        await catalog.fail({ key: "failed", epoch: 1, failure, now: 2000, eventId: createEventId() })
        await commitWhole("whole")
        const files = ["uploading", "failed", "uploaded", "whole", "unknown", "uploaded"].map((fileKey) => ({
          fileKey,
        }))
        expect(await remove(files)).toEqual(["uploading", "failed", "uploaded", "whole"])
        for (const key of ["uploading", "uploaded", "failed", "whole"]) {
          expect(await fileOf(key)).toMatchObject({ status: "Deleting", endedAt: 7000 })
          expect(await begin(key)).toEqual({ kind: "taken" })
        }
        expect(await remove(files)).toEqual([])
        expect(await catalog.usage("app")).toEqual({ files: 0, storedBytes: 0, announcedBytes: 5 })
        const { id } = (await fileOf("whole"))!
        expect((await catalog.listReclaimable(10)).map(({ key }) => key).sort()).toEqual([
          "failed",
          "uploaded",
          "uploading",
          "whole",
        ])
        await reclaimAll()
        expect(await fileOf("uploaded")).toBeUndefined()
        expect(await catalog.readContent(id)).toBeNull()
        expect(await catalog.list({ appId: "app", limit: 9 })).toMatchObject([{ key: "kept" }])
      })

      it("fences off whoever writes a file that is deleted", async () => {
        await begin("key")
        await remove([{ fileKey: "key" }])
        expect(await commit("key", 1)).toEqual({ kind: "fenced" })
        expect(await catalog.interrupt("key")).toBeNull()
        expect(await catalog.fail({ key: "key", epoch: 1, failure, now: 2000, eventId: createEventId() })).toBe(false)
        expect((await fileOf("key"))?.epoch).toBe(2)
      })

      it("deletes all files of a custom id, and a key can be used anew once its bytes are gone", async () => {
        for (const key of ["a", "b", "c"]) await begin(key, key === "c" ? { customId: "yours" } : mine)
        await commit("a")
        expect((await remove([{ customId: "mine" }, { customId: "nobody's" }])).toSorted()).toEqual(["a", "b"])
        expect(await catalog.findByCustomId("app", "mine")).toBeNull()
        expect((await fileOf("c"))?.status).toBe("Uploading")
        await reclaimAll()
        expect(await begin("a", mine)).toMatchObject({ kind: "granted", isNew: true })
        await commit("a")
        expect(await catalog.findByCustomId("app", "mine")).toMatchObject({ key: "a" })
      })

      it("sends no event of a deleted file any more, and keeps none", async () => {
        await register(["due", "claimed", "failed", "dead"])
        for (const key of ["due", "claimed", "failed", "dead"]) await begin(key)
        await commit("due", 1, { claimedUntil: null })
        const claimed = dueOf(await commit("claimed"))
        await end(dueOf(await commit("dead")), "dead")
        await catalog.fail({ key: "failed", epoch: 1, failure, now: 2000, eventId: createEventId() })
        await remove(["due", "claimed", "failed", "dead"].map((fileKey) => ({ fileKey })))
        expect(await claim(99_000)).toEqual([])
        expect(await catalog.nextDueAt()).toBeNull()
        expect(await catalog.countDeliveries(10)).toEqual({ pending: 0, dead: 0 })
        await end(claimed, { retryAt: 8000 })
        expect(await claim(99_000)).toEqual([])
        expect(await catalog.redeliver({ id: claimed.id, now: 7000 })).toBe(false)
        expect(await catalog.listDeliveries({ limit: 9 })).toEqual([])
        await reclaimAll()
        expect(await catalog.list({ limit: 9 })).toEqual([])
      })

      it("forgets what a deleted file was expected with, and keeps what its key is registered with afterwards", async () => {
        await register(["key", "other"], { slug: "old" })
        await begin("key")
        await begin("other")
        await remove([{ fileKey: "key" }])
        await reclaimAll()
        await begin("key")
        expect((await catalog.get("key"))?.registration).toBeNull()
        expect((await catalog.get("other"))?.registration).toMatchObject({ callbackSlug: "old" })
        await remove([{ fileKey: "key" }])
        await register(["key"], { slug: "new" })
        await reclaimAll()
        await begin("key")
        expect(dueOf(await commit("key")).registration.callbackSlug).toBe("new")
      })

      it("renames files and says who may read them, only those that are Uploaded", async () => {
        for (const key of ["a", "b", "uploading", "deleting"]) await begin(key, mine)
        for (const key of ["a", "b", "deleting"]) await commit(key)
        await remove([{ fileKey: "deleting" }])
        const changes: ReadonlyArray<FileChange> = [
          { file: { fileKey: "a" }, name: "first.txt" },
          { file: { fileKey: "a" }, name: "new.txt" },
          { file: { fileKey: "uploading" }, name: "new.txt" },
          { file: { fileKey: "deleting" }, name: "new.txt" },
          { file: { fileKey: "unknown" }, name: "new.txt" },
        ]
        expect(await change(changes)).toBe(2)
        expect(await fileOf("a")).toMatchObject({ name: "new.txt", acl: null })
        expect(await fileOf("uploading")).toMatchObject({ name: "a.txt" })
        expect(await fileOf("deleting")).toMatchObject({ name: "a.txt" })
        expect(await change([{ file: { customId: "mine" }, acl: "private" }])).toBe(1)
        expect(await fileOf("a")).toMatchObject({ name: "new.txt", acl: "private" })
        expect(await fileOf("b")).toMatchObject({ name: "a.txt", acl: "private" })
        expect(await fileOf("uploading")).toMatchObject({ acl: null })
        expect(await begin("a", mine)).toMatchObject({ kind: "finished" })
      })

      it("never reaches files of another app", async () => {
        await begin("theirs", { appId: "other", ...mine })
        await commit("theirs")
        const files = [{ fileKey: "theirs" }, { customId: "mine" }]
        expect(await remove(files)).toEqual([])
        expect(await change(files.map((file) => ({ file, name: "b.txt", acl: "private" })))).toBe(0)
        expect(await fileOf("theirs")).toMatchObject({ name: "a.txt", acl: null, status: "Uploaded" })
        expect(await remove(files, "other")).toEqual(["theirs"])
      })

      it("does not reach an upload whose key was taken since", async () => {
        await begin("key", mine)
        await begin("key", { size: 6 })
        expect(await remove([{ customId: "mine" }])).toEqual([])
        expect((await fileOf("key"))?.status).toBe("Uploading")
      })
    })

    describe("prune", () => {
      const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
      const fail = (key: string) => catalog.fail({ key, epoch: 1, failure, now: 2000, eventId: createEventId() })
      const prune = (before: number, limit = 100) => catalog.prune({ before, limit })

      it("forgets failed files when their bytes are gone and their URL has long expired", async () => {
        for (const key of ["key", "uploading", "uploaded"]) await begin(key)
        await commit("uploaded")
        await fail("key")
        expect(await prune(10_001)).toBe(0)
        for (const file of await catalog.listReclaimable(10)) await catalog.reclaimed(file)
        expect(await prune(10_000)).toBe(0)
        expect(await prune(10_001)).toBe(1)
        expect(await catalog.get("key")).toBeNull()
        expect(await begin("key")).toMatchObject({ kind: "granted", epoch: 1, isNew: true })
        expect((await catalog.get("uploading"))?.file.status).toBe("Uploading")
        expect((await catalog.get("uploaded"))?.file.status).toBe("Uploaded")
      })

      it("keeps a failed file whose app has not heard of it", async () => {
        await register(["key"])
        await begin("key")
        await fail("key")
        for (const file of await catalog.listReclaimable(10)) await catalog.reclaimed(file)
        expect(await prune(99_000)).toBe(0)
        const [due] = await claim(2000)
        await end(due!, "delivered")
        expect(await prune(99_000)).toBeGreaterThan(0)
        expect(await catalog.get("key")).toBeNull()
      })

      it("forgets attempts, never the delivery of a file that is there", async () => {
        await register(["key"])
        await begin("key")
        await end(dueOf(await commit("key")), "delivered")
        const before = await catalog.get("key")
        expect(await prune(2000)).toBe(0)
        expect(await prune(2001)).toBe(1)
        expect(await prune(2001)).toBe(0)
        expect(await catalog.get("key")).toEqual(before)
      })

      it("takes no more than it was told at a time", async () => {
        for (const key of ["a", "b", "c"]) {
          await begin(key)
          await fail(key)
        }
        for (const file of await catalog.listReclaimable(10)) await catalog.reclaimed(file)
        expect(await prune(99_000, 2)).toBe(2)
        expect(await prune(99_000, 2)).toBe(1)
      })
    })

    const { reopen = setup.create } = setup
    testCatalogApps(() => catalog)

    describe.runIf(setup.reopen !== undefined)("opened anew (only what outlives its process)", () => {
      it("has everything after it was opened anew", async () => {
        await register(["key", "open"])
        await begin("key")
        await begin("open")
        await commit("key", 1, { claimedUntil: null })
        await catalog.recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 3000 })
        const before = await catalog.get("key")
        await catalog.close()
        catalog = await reopen()
        expect(await catalog.get("key")).toEqual(before)
        expect(await claim(2000)).toMatchObject([{ id: "evt_1", registration: { metadata: '{"userId":7}' } }])
        expect(await begin("open")).toMatchObject({ kind: "granted", epoch: 2 })
        expect(dueOf(await commit("open", 2))).toMatchObject({ hook: "callback" })
      })
    })
  })
}
