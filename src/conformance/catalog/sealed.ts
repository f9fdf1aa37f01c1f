import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, NewRegistration } from "../../ingest.ts"
import type { UploadGrant } from "../../protocol.ts"
import { callbackUrl, content, driveCatalog, dueOf, grantOf } from "./drive-catalog.ts"

/** What an app wants for an upload, as the upload's own URL says it; part of the suite of all catalogs. */
export const testCatalogSealed = (catalog: () => Catalog): void => {
  const { claim, commit, expire, fail, register, remove } = driveCatalog(catalog, { holdsClaims: true })
  const registration: NewRegistration = {
    metadata: '{"by":"url"}',
    callbackUrl,
    callbackSlug: "avatar",
    awaitServerData: true,
    isDev: false,
    trace: null,
  }
  const origin = "http://ingest.example"
  const id = { registrationId: "action", issuedAt: 900 }
  const begin = (key: string, grant: Partial<UploadGrant> = {}, now = 1000) =>
    catalog().begin({ grant: grantOf(key, { ...id, ...grant }), registration, origin, now })
  const commitWhole = (
    key: string,
    now = 2000,
    given: NewRegistration | undefined = registration,
    claimedUntil: number | null = 60_000,
  ) =>
    catalog().commitWhole({
      grant: grantOf(key, { ...id, seal: "x" }),
      registration: given,
      origin,
      bytes: content,
      fileHash: "ab",
      now,
      eventId: `evt_${key}`,
      claimedUntil,
    })

  describe("a registration that came with the upload's own URL", () => {
    it("is kept with a small file, its bytes and its event, in one step", async () => {
      const committed = await commitWhole("key")
      expect(committed.kind !== "refused" && dueOf(committed)).toMatchObject({ hook: "callback", registration })
      expect(await catalog().get("key")).toMatchObject({ registration, delivery: { status: "pending", attempts: 1 } })
      expect(await catalog().usage("app")).toMatchObject({ files: 1, expectedFiles: 0, expectedBytes: 0 })
      const traced = { ...registration, trace: { traceparent: "00-1", tracestate: "a=1" } }
      for (const [index, given] of [traced, { ...registration, isDev: true }, registration].entries()) {
        for (const claimedUntil of [60_000, null]) {
          const key = `key-${index}-${claimedUntil}`
          const whole = await commitWhole(key, 2000, given, claimedUntil)
          expect(whole.kind !== "refused" && whole.upload).toEqual(await catalog().get(key))
        }
      }
    })

    it("is kept when an upload begins, and attached when it ends, well or not", async () => {
      await begin("well")
      await begin("ill")
      expect((await catalog().usage("app")).expectedFiles).toBe(2)
      expect(await catalog().findRegistration({ appId: "app", key: "well", id: "action" })).toMatchObject(registration)
      expect(dueOf(await commit("well"))).toMatchObject({ hook: "callback", registration })
      await fail("ill")
      expect(await claim(99_000)).toMatchObject([{ hook: "error", registration }, { hook: "callback" }])
      expect(await catalog().usage("app")).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
    })

    it("changes nothing of what was registered before, and is kept once for one that is resumed", async () => {
      await register(["key"], { id: "action", metadata: '"first"' })
      await begin("key")
      await begin("key", { expires: 20_000 }, 1100)
      expect((await catalog().usage("app")).expectedFiles).toBe(1)
      expect(dueOf(await commit("key", 2))).toMatchObject({ registration: { metadata: '"first"' } })
      await register(["small"], { id: "action", metadata: '"first"' })
      const committed = await commitWhole("small")
      expect(committed.kind !== "refused" && dueOf(committed)).toMatchObject({ registration: { metadata: '"first"' } })
    })

    it("lasts as long as the newest URL of an upload in progress, and ends with it by an error event", async () => {
      await begin("key")
      await begin("key", { expires: 30_000 }, 1100)
      await expire({ expired: 20_000, abandoned: 20_000 })
      expect((await catalog().get("key"))?.file.status).toBe("Uploading")
      await expire({ expired: 40_000, abandoned: 40_000 })
      expect(await claim(99_000)).toMatchObject([{ hook: "error", registration }])
      expect(await catalog().usage("app")).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
    })

    it("is no proof that an upload came after a deletion", async () => {
      await commitWhole("key")
      await remove(["key"], 3000)
      const late = grantOf("key", { ...id, seal: "x", issuedAt: 3100, expires: 900_000 })
      expect(await catalog().judgeKey(late, 3200)).toBe("deleted")
      expect(await catalog().begin({ grant: late, registration, origin, now: 3200 })).toEqual({ kind: "deleted" })
    })
  })
}
