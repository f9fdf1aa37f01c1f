import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import { type Catalog, CatalogError } from "../../ingest.ts"
import { content, grantOf } from "./drive-catalog.ts"

/** Those that neither ask nor change what a catalog keeps: one that is closed, or broken, may still know its disk. */
const others = ["close", "free"] as const

/** The methods that ask or change something. */
type Method = Exclude<keyof Catalog, "abilities" | "processes" | (typeof others)[number]>

const grant = grantOf("key")

const notes = { fileHash: "ab".repeat(32), now: 2000, eventId: "evt_1", claimedUntil: null }

/** One call of every method, each with something to do; a method that is missing here does not compile. */
const toCalls = (catalog: Catalog): Readonly<Record<Method, () => Promise<unknown>>> => ({
  begin: () => catalog.begin({ grant, origin: "http://ingest.example", now: 1000 }),
  interrupt: () => catalog.interrupt("key"),
  commit: () => catalog.commit({ key: "key", epoch: 1, blobRef: null, ...notes }),
  commitWhole: () => catalog.commitWhole({ grant, origin: "http://ingest.example", bytes: content, ...notes }),
  readContent: () => catalog.readContent(1),
  fail: () =>
    catalog.fail({ key: "key", epoch: 1, failure: { code: "ABORTED", message: "" }, now: 2000, eventId: "evt_1" }),
  register: () =>
    catalog.register({
      appId: "app",
      fileKeys: ["key"],
      metadata: "null",
      callbackUrl: "http://app.example/",
      callbackSlug: "avatar",
      awaitServerData: true,
      isDev: false,
      trace: null,
      now: 1000,
      createEventId: () => "evt_1",
    }),
  findRegistration: () => catalog.findRegistration({ appId: "app", key: "key" }),
  recordResult: () => catalog.recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 3000 }),
  get: () => catalog.get("key"),
  getMany: () => catalog.getMany(["key"]),
  findByCustomId: () => catalog.findByCustomId("app", "c"),
  findByPath: () => catalog.findByPath({ appId: "app", path: "p/a", now: 1 }),
  probe: () => catalog.probe(),
  usage: () => catalog.usage("app"),
  usageOfOwner: () => catalog.usageOfOwner("app", "user-7"),
  claimFiles: () => catalog.claimFiles({ appId: "app", keys: ["key"], replaces: [], now: 3000 }),
  deleteOverdue: () => catalog.deleteOverdue({ now: 1, limit: 1 }),
  findNextDeadline: () => catalog.findNextDeadline(),
  deleteMatching: () => catalog.deleteMatching({ appId: "app", selection: { owner: "u" }, now: 1, limit: 1 }),
  continueDeletions: () => catalog.continueDeletions({ now: 1, limit: 1 }),
  listDeletions: () => catalog.listDeletions("app", 1),
  forgetDeletions: () => catalog.forgetDeletions({ before: 1, limit: 1 }),
  listEndpoints: () => catalog.listEndpoints(),
  createEndpoint: () =>
    catalog.createEndpoint({
      id: "ep_1",
      appId: "app",
      url: "http://a.example/",
      events: [],
      createdAt: 1,
      secret: "s",
    }),
  changeEndpoint: () => catalog.changeEndpoint("ep_1", { url: "http://b.example/" }),
  deleteEndpoint: () => catalog.deleteEndpoint("ep_1"),
  addSecret: () => catalog.addSecret({ endpointId: "ep_1", secret: "s", now: 1 }),
  revokeSecret: () => catalog.revokeSecret({ endpointId: "ep_1", id: "sec_1", now: 1 }),
  addTestEvent: () => catalog.addTestEvent({ id: "evt_1", endpointId: "ep_1", now: 1 }),
  claimEvents: () => catalog.claimEvents({ now: 1, claimedUntil: 2, limit: 1, roomOf: () => 1 }),
  recordEventAttempt: () =>
    catalog.recordEventAttempt({
      deliveryId: "evt_1",
      attempt: 1,
      startedAt: 1,
      latency: 1,
      status: 200,
      error: null,
      answer: null,
      outcome: "delivered",
    }),
  releaseEventClaims: () => catalog.releaseEventClaims(1),
  pruneEvents: () => catalog.pruneEvents({ before: 1, limit: 1 }),
  nextEventAt: () => catalog.nextEventAt(1),
  redeliverEvent: () => catalog.redeliverEvent({ id: "evt_1", now: 1 }),
  countEvents: () => catalog.countEvents(1),
  listEvents: () => catalog.listEvents({ limit: 1 }),
  findEvent: () => catalog.findEvent("evt_1"),
  judgeHeld: () =>
    catalog.judgeHeld({
      appId: "app",
      files: [{ key: "key" }],
      verdict: { kind: "release" },
      now: 1,
      createEventId: () => "evt_1",
    }),
  listHeld: () => catalog.listHeld({ limit: 1, except: new Set() }),
  listByPath: () => catalog.listByPath({ appId: "app", prefix: "a", limit: 1 }),
  expire: () =>
    catalog.expire({
      expiredBefore: 1,
      unregisteredBefore: 1,
      abandonedBefore: 1,
      limit: 1,
      now: 2,
      createEventId: () => "evt_1",
    }),
  prune: () => catalog.prune({ before: 1, limit: 1 }),
  findTombstone: () => catalog.findTombstone("app", "key"),
  judgeKey: () => catalog.judgeKey(grant, 4000),
  forgetTombstones: () => catalog.forgetTombstones({ now: 1, limit: 1 }),
  compact: () => catalog.compact(),
  listReclaimable: () => catalog.listReclaimable(1),
  reclaimed: () => catalog.reclaimed({ id: 1, key: "key" }),
  claimDue: () => catalog.claimDue({ channel: "callback", now: 1, claimedUntil: 2, limit: 1 }),
  recordAttempt: () =>
    catalog.recordAttempt({
      deliveryId: "evt_1",
      attempt: 1,
      startedAt: 1,
      latency: 1,
      status: 200,
      error: null,
      answer: null,
      outcome: "delivered",
    }),
  redeliver: () => catalog.redeliver({ id: "evt_1", now: 1 }),
  nextDueAt: () => catalog.nextDueAt(1),
  countDeliveries: () => catalog.countDeliveries(1),
  releaseClaims: () => catalog.releaseClaims(1),
  deleteFiles: () => catalog.deleteFiles({ appId: "app", files: [{ fileKey: "key" }], now: 1 }),
  changeFiles: () =>
    catalog.changeFiles({ now: 3000, appId: "app", changes: [{ file: { fileKey: "key" }, name: "b.txt" }] }),
  list: () => catalog.list({ limit: 1 }),
  listDeliveries: () => catalog.listDeliveries({ limit: 1 }),
  findDelivery: () => catalog.findDelivery("evt_1"),
  listAttempts: () => catalog.listAttempts("evt_1"),
  appsRevision: () => catalog.appsRevision(),
  listApps: () => catalog.listApps(),
  createApp: () =>
    catalog.createApp({ id: "acme", name: null, defaultAcl: null, quota: null, callbackOrigins: null, createdAt: 1 }),
  changeApp: () => catalog.changeApp("acme", { name: "Acme" }),
  addKey: () => catalog.addKey({ appId: "acme", apiKey: "sk_one", now: 1 }),
  revokeKey: () => catalog.revokeKey({ appId: "acme", id: "key_1", now: 1 }),
  deleteApp: () => catalog.deleteApp("acme"),
})

/** How every method fails, by name; those that do not are there as what they resolved with. */
const callAll = async (catalog: Catalog): Promise<ReadonlyArray<readonly [name: string, outcome: unknown]>> =>
  Promise.all(
    Object.entries(toCalls(catalog)).map(async ([name, call]) => [name, await call().catch((cause) => cause)] as const),
  )

/** What a catalog does when what it is kept on fails; part of the suite of all that are kept on something. */
export const testCatalogFailures = (open: () => Catalog, breakDown: () => void | Promise<void>): void => {
  describe("on something that fails", () => {
    it("no method is left out", () => {
      const methods = Object.entries(open()).filter(([, member]) => typeof member === "function")
      expect(Object.keys(toCalls(open())).sort()).toEqual(
        methods
          .map(([name]) => name)
          .filter((name) => !others.some((other) => other === name))
          .sort(),
      )
    })

    it("every method says so as a CatalogError that names a remedy", async () => {
      await breakDown()
      for (const [name, outcome] of await callAll(open())) {
        expect(CatalogError.is(outcome), name).toBe(true)
        expect((outcome as CatalogError).message, name).toMatch(/\. [A-Z].*\.$/)
      }
    })

    it("every method of a closed one rejects with a CatalogError", async () => {
      await open().close()
      for (const [name, outcome] of await callAll(open())) expect(CatalogError.is(outcome), name).toBe(true)
    })
  })
}
