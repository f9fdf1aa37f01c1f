import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type Catalog, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import type { App } from "../../../src/ingest/access/apps.ts"
import { type CallbackEvent, createSigner, type DevStreamEvent, readJsonLines } from "../../../src/protocol.ts"
import {
  createGrant,
  eventually,
  listen,
  postResult,
  put,
  putRaw,
  register,
  sign,
  signer,
  startIngest,
  toForm,
} from "../circle.ts"

/** The stream of a registration, read line by line. */
const openStream = async (ingestUrl: string, fileKeys: ReadonlyArray<string>, slug = "avatar") => {
  const response = await register(ingestUrl, { fileKeys, callbackSlug: slug, isDev: true })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/x-ndjson")
  const lines = readJsonLines(response.body!)
  onTestFinished(async () => void (await lines.return(undefined)))
  return {
    next: async (): Promise<DevStreamEvent | undefined> => {
      const { done, value } = await lines.next()
      return done === true ? undefined : (value as DevStreamEvent)
    },
    leave: () => lines.return(undefined),
  }
}

const fileOf = ({ payload }: DevStreamEvent) => (JSON.parse(payload) as CallbackEvent).file

describe("a development stream", () => {
  it("carries the signed event, the result goes to the waiting PUT, and the stream ends", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    const event = (await stream.next())!
    expect(event.hook).toBe("callback")
    expect(await signer.verify(event.payload, event.signature)).toBe(true)
    expect(JSON.parse(event.payload)).toMatchObject({
      attempt: 1,
      status: "uploaded",
      origin: url,
      slug: "avatar",
      metadata: { userId: 7 },
    })
    await postResult(url, { fileKey: fileOf(event).key, callbackData: { id: 1 } })
    expect(await (await uploaded).json()).toMatchObject({ serverData: { id: 1 } })
    expect(await stream.next()).toBeUndefined()
  })

  it("stays open until the last file's event was acknowledged", async () => {
    const { url } = await startIngest()
    const grants = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    const stream = await openStream(
      url,
      grants.map(({ key }) => key),
    )
    for (const grant of grants) {
      const uploaded = putRaw(await sign(url, grant), "hello")
      expect(fileOf((await stream.next())!).key).toBe(grant.key)
      await postResult(url, { fileKey: grant.key, callbackData: null })
      expect((await uploaded).status).toBe(200)
    }
    expect(await stream.next()).toBeUndefined()
  })

  it("fails the waiting PUT when the app posts an error", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    await stream.next()
    await postResult(url, { fileKey: grant.key, error: "no such user" })
    expect((await uploaded).status).toBe(502)
  })

  it("keeps and repeats no secret of an error that the app posts", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    const { id } = JSON.parse((await stream.next())!.payload)
    await postResult(url, { fileKey: grant.key, error: "401 with sk_live_abcdef0123456789" })
    expect(await (await uploaded).json()).toMatchObject({
      code: "CALLBACK_FAILED",
      detail: expect.stringContaining("401 with sk_<redacted>"),
    })
    const kept = JSON.stringify([await catalog.findDelivery(id), await catalog.get(grant.key)])
    expect(kept).toContain("sk_<redacted>")
    expect(kept).not.toContain("abcdef0123456789")
  })

  it.each([
    ["before it is due again", 60_000],
    ["when it is due again", 0],
  ])(
    "owes an event still whose callback failed: who asks for the file %s has it sent, once for all who ask",
    async (_, delay) => {
      const { url, catalog } = await startIngest({ callbackRetries: [delay, delay] })
      const grant = createGrant({ slug: "avatar" })
      const signed = await sign(url, grant)
      const stream = await openStream(url, [grant.key])
      const uploaded = putRaw(signed, "hello")
      const first = JSON.parse((await stream.next())!.payload)
      await postResult(url, { fileKey: grant.key, eventId: first.id, attempt: 1, error: "no such user" })
      expect(await (await uploaded).json()).toMatchObject({
        code: "CALLBACK_FAILED",
        detail: expect.stringContaining("no such user"),
      })
      expect((await catalog.findDelivery(first.id))?.delivery).toMatchObject({ status: "pending", failures: 1 })

      const again = [putRaw(signed, null, 5), putRaw(signed, null, 5)]
      const second = JSON.parse((await stream.next())!.payload)
      expect(second).toMatchObject({ id: first.id, attempt: 2 })
      // What is late says nothing of the attempt under way.
      await postResult(url, { fileKey: grant.key, eventId: first.id, attempt: 1, error: "no such user" })
      await postResult(url, { fileKey: grant.key, eventId: first.id, attempt: 2, callbackData: "at last" })
      for (const answer of again) expect(await (await answer).json()).toMatchObject({ serverData: "at last" })
      expect(await stream.next()).toBeUndefined()
    },
  )

  it("sends a failed event again on the stream of a later upload, when it is due by the schedule", async () => {
    const { url } = await startIngest({ callbackRetries: [0, 60_000] })
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    await stream.next()
    await postResult(url, { fileKey: grant.key, error: "no such user" })
    expect((await uploaded).status).toBe(502)
    await openStream(url, [createGrant().key])
    expect(JSON.parse((await stream.next())!.payload)).toMatchObject({ attempt: 2, file: { key: grant.key } })
  })

  it("carries the event of a file that was there before it", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const uploaded = putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.file.status === "Uploaded")
    const stream = await openStream(url, [grant.key])
    expect(fileOf((await stream.next())!).key).toBe(grant.key)
    await postResult(url, { fileKey: grant.key, callbackData: 1 })
    expect(await (await uploaded).json()).toMatchObject({ serverData: 1 })
  })

  it("hands undelivered events on to the next stream of that app and slug", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const first = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    const event = (await first.next())!
    await first.leave()
    const other = await openStream(url, [createGrant().key], "other")
    const next = await openStream(url, [createGrant().key])
    const again = (await next.next())!
    expect(JSON.parse(again.payload)).toMatchObject({ id: JSON.parse(event.payload).id, attempt: 2 })
    await postResult(url, { fileKey: grant.key, callbackData: "late" })
    expect(await (await uploaded).json()).toMatchObject({ serverData: "late" })
    await other.leave()
  })

  it("hands undelivered events on to a stream that is open already", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ slug: "avatar" })
    const first = await openStream(url, [grant.key])
    const second = await openStream(url, [createGrant().key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    await first.next()
    await first.leave()
    expect(fileOf((await second.next())!).key).toBe(grant.key)
    await postResult(url, { fileKey: grant.key, callbackData: 2 })
    expect(await (await uploaded).json()).toMatchObject({ serverData: 2 })
  })

  it("hands events on also when the ingest was started anew", async () => {
    const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog()]
    const first = await startIngest({ store, catalog, callbackWait: 20 })
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(first.url, [grant.key])
    const uploaded = putRaw(await sign(first.url, grant), "hello")
    await stream.next()
    expect((await uploaded).status).toBe(504)
    await first.close()
    const second = await startIngest({ store, catalog })
    const next = await openStream(second.url, [createGrant().key])
    expect(fileOf((await next.next())!).key).toBe(grant.key)
  })

  it("does not send an event twice while it is in somebody's hands", async () => {
    const { url } = await startIngest()
    const [a, b] = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    const first = await openStream(url, [a.key])
    const uploadedA = putRaw(await sign(url, a), "hello")
    expect(fileOf((await first.next())!).key).toBe(a.key)
    const second = await openStream(url, [b.key])
    const uploadedB = putRaw(await sign(url, b), "hello")
    expect(fileOf((await second.next())!).key).toBe(b.key)
    for (const { key } of [a, b]) await postResult(url, { fileKey: key, callbackData: key })
    expect(await (await uploadedA).json()).toMatchObject({ serverData: a.key })
    expect(await (await uploadedB).json()).toMatchObject({ serverData: b.key })
    expect([await first.next(), await second.next()]).toEqual([undefined, undefined])
  })

  it("carries error events, and ends after the last", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant({ slug: "avatar", type: "image/png", size: 6 })
    const stream = await openStream(url, [grant.key])
    expect((await put(await sign(url, grant), toForm("<html>"))).status).toBe(415)
    const event = (await stream.next())!
    expect(event.hook).toBe("error")
    expect(JSON.parse(event.payload)).toMatchObject({ fileKey: grant.key, error: { code: "CONTENT_MISMATCH" } })
    await postResult(url, { fileKey: grant.key, callbackData: null })
    expect(await stream.next()).toBeUndefined()
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
  })

  it("is never sent over HTTP, and not to callbackUrl", async () => {
    let called = 0
    const app = await listen((_req, res) => {
      called++
      res.end()
    })
    const { url } = await startIngest({ callbackWait: 30 })
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app, isDev: true })
    expect((await putRaw(await sign(url, grant), "hello")).status).toBe(504)
    expect(called).toBe(0)
  })

  it("carries an event that could not be claimed at first, though nothing else happens", async () => {
    const catalog = createMemoryCatalog()
    let failures = 0
    const { url } = await startIngest({
      catalog: {
        ...catalog,
        claimDue: async (claim) => {
          const due = await catalog.claimDue(claim)
          // As a flush that fails behind a commit: it is claimed, and nobody has it.
          if (typeof claim.channel === "object" && due.length > 0 && failures++ < 3) throw new Error("the disk failed")
          return due
        },
      },
    })
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(url, [grant.key])
    const uploaded = putRaw(await sign(url, grant), "hello")
    expect(fileOf((await stream.next())!).key).toBe(grant.key)
    await postResult(url, { fileKey: grant.key, callbackData: 7 })
    expect(await (await uploaded).json()).toMatchObject({ serverData: 7 })
    expect(failures).toBeGreaterThan(3)
  })

  it("passes events on behind one that cannot be, and that one once it can", async () => {
    const catalog = createMemoryCatalog()
    const [bad, good] = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    let [isBad, claims] = [true, 0]
    const { url } = await startIngest({
      catalog: {
        ...catalog,
        claimDue: async (claim) => {
          const due = await catalog.claimDue(claim)
          return due.map((each) => {
            if (each.file.key !== bad.key || !isBad) return each
            claims++
            return { ...each, file: { ...each.file, id: 1n as unknown as number, size: 1n as unknown as number } }
          })
        },
      },
    })
    const uploads = []
    for (const grant of [bad, good]) {
      await register(url, { fileKeys: [grant.key], isDev: true }).then((response) => response.body!.cancel())
      uploads.push(putRaw(await sign(url, grant), "hello"))
      await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "pending")
    }
    const stream = await openStream(url, [bad.key, good.key])
    expect(fileOf((await stream.next())!).key).toBe(good.key)
    await eventually(() => claims > 2)
    isBad = false
    expect(fileOf((await stream.next())!).key).toBe(bad.key)
    for (const { key } of [bad, good]) await postResult(url, { fileKey: key, callbackData: key })
    for (const upload of uploads) expect((await upload).status).toBe(200)
  })

  it("sends heartbeats", async () => {
    const { url } = await startIngest({ heartbeat: 5 })
    const response = await register(url, { fileKeys: [createGrant().key], isDev: true })
    const reader = response.body!.getReader()
    let text = ""
    while (text.length < 4) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toMatch(/^\n+$/)
    await reader.cancel()
  })

  /** Streams over a catalog, on a clock the test turns. */
  const openOnClock = async (catalog: Catalog) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const { createDevStreams } = await import("../../../src/ingest/delivery/dev-streams.ts")
    const app: App = {
      id: "app-1",
      isOwn: true,
      since: undefined,
      encodedId: "prefix",
      signers: [createSigner("sk_x")],
      sealers: [],
      defaultAcl: "private",
      quota: undefined,
      callbackOrigins: undefined,
    }
    const streams = createDevStreams({
      apps: { byId: () => app, isOne: () => true },
      catalog,
      settings: { url: undefined, heartbeat: 1e6, maxDevStreams: 10 },
      now: Date.now,
      write: () => {},
    })
    return { streams, reader: (await streams.open(app, "avatar", ["key"])).getReader() }
  }

  it("ends when the URLs have expired", async () => {
    const { reader } = await openOnClock(createMemoryCatalog())
    expect((await reader.read()).done).toBe(false)
    const ended = reader.read()
    // Heartbeats come in between.
    await vi.advanceTimersByTimeAsync(61 * 60 * 1000)
    expect((await ended).done).toBe(false)
    const rest: Array<boolean> = []
    for (let next = await reader.read(); !next.done; next = await reader.read()) rest.push(next.done)
    expect(rest.length).toBeLessThan(5)
  })

  it("goes on when the catalog fails at its deadline, and ends when that works again", async () => {
    const catalog = createMemoryCatalog()
    let isFailing = false
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    onTestFinished(() => void process.off("unhandledRejection", unhandled))
    const get: Catalog["get"] = (key) => (isFailing ? Promise.reject(new Error("disk on fire")) : catalog.get(key))
    const { streams, reader } = await openOnClock({ ...catalog, get })
    const readAll = async () => {
      while (!(await reader.read()).done);
    }
    void readAll()
    isFailing = true
    await vi.advanceTimersByTimeAsync(90 * 60 * 1000)
    // Rejections are reported when the turn of the event loop is over.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
    expect(streams.count()).toBe(1)
    isFailing = false
    await vi.advanceTimersByTimeAsync(30 * 60 * 1000)
    expect(streams.count()).toBe(0)
  })
})
