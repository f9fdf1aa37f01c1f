import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  answerWith,
  appId,
  createGrant,
  eventually,
  postResult,
  putRaw,
  register,
  sign,
  startApp,
} from "../../ingest/circle.ts"
import { type Catalog, createMemoryCatalog } from "../../../src/ingest.ts"
import { codeOf, goOn, grantFile, startIngestOnDisk } from "./ingest-on-disk.ts"

const hour = 60 * 60 * 1000

/** Only what the clock shows; timers run on. */
const jump = (duration: number) => vi.setSystemTime(Date.now() + duration)

describe("a clock that jumps", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true }))
  afterEach(() => void vi.useRealTimers())

  it("forwards ends the URL of an upload; a renewed one goes on where it was", async () => {
    const ingest = await startIngestOnDisk()
    const file = await grantFile(ingest.url, 300_000)
    expect(await codeOf(await putRaw(file.signed, file.content.subarray(0, 200_000)))).toBe("409 RANGE_MISMATCH")
    jump(2 * hour)
    expect(await codeOf(await putRaw(file.signed, file.content.subarray(200_000), 200_000))).toBe("403 EXPIRED_URL")
    const renewed = await sign(ingest.url, { ...file.grant, expires: Date.now() + hour })
    expect((await goOn({ ...file, signed: renewed })).offset).toBe(200_000)
  })

  it("forwards by days ends unfinished uploads, and the app is told", async () => {
    const ingest = await startIngestOnDisk({ sweepInterval: 10 })
    const app = await startApp()
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
    expect(await codeOf(await putRaw(await sign(ingest.url, grant), "hel"))).toBe("409 RANGE_MISMATCH")
    jump(48 * hour)
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ fileKey: grant.key, error: { code: "EXPIRED_URL" } })
  })

  it("forwards by days for a moment forgets no deletion, and deletes no file before its time", async () => {
    const catalog = createMemoryCatalog()
    let sweeps = 0
    const counting: Catalog = {
      ...catalog,
      listReclaimable: (...asked) => (sweeps++, catalog.listReclaimable(...asked)),
    }
    const ingest = await startIngestOnDisk({ catalog: counting, sweepInterval: 10 })
    const [deleted, dated] = [await grantFile(ingest.url, 1024), await grantFile(ingest.url, 1024)]
    for (const file of [deleted, dated]) expect(await codeOf(await putRaw(file.signed, file.content))).toBe("200")
    const toRemove = { file: { fileKey: dated.grant.key }, removeAt: Date.now() + 24 * hour }
    await catalog.changeFiles({ appId, changes: [toRemove], now: Date.now() })
    await catalog.deleteFiles({ appId, files: [{ fileKey: deleted.grant.key }], now: Date.now() })
    const again = async () => codeOf(await putRaw(deleted.signed, deleted.content))
    const refused = await again()
    expect(refused).not.toBe("200")
    const sweep = async () => {
      const before = sweeps
      await eventually(() => sweeps > before + 5)
    }
    await sweep()
    jump(8 * 24 * hour)
    await sweep()
    jump(-8 * 24 * hour)
    await sweep()
    expect(await again()).toBe(refused)
    expect((await catalog.get(dated.grant.key))?.file.status).toBe("Uploaded")
  })

  it("forwards brings what is due at once, nothing twice", async () => {
    const ingest = await startIngestOnDisk({ callbackRetries: [hour] })
    const app = await startApp((received, count) =>
      count === 1 ? new Response(null, { status: 500 }) : answerWith("second")(received),
    )
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    jump(2 * hour)
    // Any event makes the ingest look at its clock.
    await goOn(await grantFile(ingest.url, 1024, (await startApp(answerWith(1))).url))
    const other = await grantFile(ingest.url, 1024)
    await register(ingest.url, { fileKeys: [other.grant.key], callbackUrl: app.url })
    await app.until(2)
    const renewed = await sign(ingest.url, { ...file.grant, expires: Date.now() + hour })
    expect((await goOn({ ...file, signed: renewed })).serverData).toBe("second")
    expect(app.received.map(({ event }) => event.attempt)).toEqual([1, 2])
  })

  it("backwards delays retries by as much; uploads and first attempts go on", async () => {
    const ingest = await startIngestOnDisk({ callbackRetries: [200] })
    const app = await startApp((received, count) =>
      count === 1 ? new Response(null, { status: 500 }) : answerWith("later")(received),
    )
    const file = await grantFile(ingest.url, 1024, app.url)
    const begun = await grantFile(ingest.url, 300_000)
    expect(await codeOf(await putRaw(begun.signed, begun.content.subarray(0, 200_000)))).toBe("409 RANGE_MISMATCH")
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    jump(-hour)
    expect((await goOn(begun)).offset).toBe(200_000)
    const other = await startApp(answerWith("at once"))
    expect((await goOn(await grantFile(ingest.url, 1024, other.url))).serverData).toBe("at once")
    jump(hour + 1000)
    await register(ingest.url, { fileKeys: [createGrant().key], callbackUrl: app.url })
    await eventually(() => app.received.length === 2)
    expect((await goOn(file)).serverData).toBe("later")
    expect(app.received[1]!.event.id).toBe(app.received[0]!.event.id)
  })

  it("backwards leaves it to clients to have a callback that failed made again", async () => {
    const ingest = await startIngestOnDisk({ callbackRetries: [hour] })
    const app = await startApp((received, count) =>
      count < 3 ? new Response(null, { status: 500 }) : answerWith("third")(received),
    )
    const file = await grantFile(ingest.url, 1024, app.url)
    for (let count = 0; count < 2; count++) {
      expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    }
    jump(-hour / 20)
    expect((await goOn(file)).serverData).toBe("third")
    expect(app.received.map(({ event }) => event.attempt)).toEqual([1, 2, 3])
  })

  it("that is wrong shows in what is sent: every attempt says when", async () => {
    const ingest = await startIngestOnDisk()
    const app = await startApp()
    const file = await grantFile(ingest.url, 1024, app.url, false)
    jump(-hour)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("200")
    await app.until(1)
    expect(Math.abs(app.received[0]!.event.sentAt - Date.now())).toBeLessThan(60_000)
    await postResult(ingest.url, { fileKey: file.grant.key, callbackData: 1 })
  })
})
