import { createHmac } from "node:crypto"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { createMemoryBlobStore, createMemoryCatalog, createSqliteCatalog } from "../../../src/ingest.ts"
import { names, parseToken } from "../../../src/protocol.ts"
import {
  answerWith,
  apiKey,
  createGrant,
  eventually,
  listen,
  postResult,
  putRaw,
  type Received,
  register,
  sign,
  signer,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

const problemOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

const refuse = () => Response.json({ error: "boom" }, { status: 500 })

describe("a callback", () => {
  it("carries the file, the metadata and signatures any standard verifier takes", async () => {
    const { url } = await startIngest()
    const app = await startApp(answerWith(null))
    const grant = createGrant({ slug: "avatar", customId: "mine" })
    await register(url, { fileKeys: [grant.key], callbackUrl: `${app.url}?tenant=1`, metadata: { ü: ['"', 1] } })
    const file = await (await putRaw(await sign(url, grant), "hello")).json()
    const [received] = app.received
    const { url: calledUrl, headers, body, event } = received as Received
    expect(new URL(calledUrl).search).toBe("?tenant=1&slug=avatar")
    expect(headers.get("content-type")).toBe("application/json")
    expect(headers.get(names.header.hook)).toBe("callback")
    expect(await signer.verify(body, headers.get(names.header.signature))).toBe(true)
    const { serverData: _serverData, ...stored } = file
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      sentAt: expect.any(Number),
      attempt: 1,
      status: "uploaded",
      origin: url,
      slug: "avatar",
      metadata: { ü: ['"', 1] },
      labels: { owner: null, path: null },
      file: stored,
    })
    expect(headers.get("webhook-id")).toBe(event.id)
    const timestamp = headers.get("webhook-timestamp")
    expect(timestamp).toBe(String(Math.floor(event.sentAt / 1000)))
    const mac = createHmac("sha256", apiKey).update(`${event.id}.${timestamp}.${body}`).digest("base64")
    expect(headers.get("webhook-signature")).toBe(`v1,${mac}`)
  })

  it("is tried again until the app takes it, with the same id, and every attempt is recorded", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries: [1, 1, 1] })
    const app = await startApp((received, count) => (count < 3 ? refuse() : answerWith({ ok: 1 })(received)))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    expect((await putRaw(await sign(url, grant), "hello")).status).toBe(200)
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    expect(app.received.map(({ event }) => [event.id, event.attempt])).toEqual([
      [app.received[0]!.event.id, 1],
      [app.received[0]!.event.id, 2],
      [app.received[0]!.event.id, 3],
    ])
    expect(catalog.attempts).toMatchObject([
      { attempt: 1, status: 500, error: expect.stringContaining("boom"), outcome: { retryAt: expect.any(Number) } },
      { attempt: 2, status: 500 },
      { attempt: 3, status: 200, error: null, outcome: "delivered" },
    ])
  })

  it("is recorded with the first characters of the app's answer, secrets struck out", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries: [1] })
    const app = await startApp((_received, count) =>
      count === 1
        ? new Response(`no ${apiKey} ${"x".repeat(600)}`, { status: 500 })
        : new Response(`{"ok":true}\u0007 ${apiKey}`, { status: 200 }),
    )
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    const [refused, taken] = await catalog.listAttempts((await catalog.get(grant.key))!.delivery!.id)
    expect(refused?.answer).toMatch(/^no sk_<redacted> x{400,512}$/)
    expect(taken).toMatchObject({ status: 200, answer: '{"ok":true}\u0007 sk_<redacted>' })
  })

  it("is over although the body of a good answer never ends, and its connection is given up", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog })
    const closed = Promise.withResolvers<void>()
    const app = await listen((request, response) => {
      request.resume()
      response.writeHead(200).write('{ "ok": true, ')
      response.on("close", closed.resolve)
    })
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    await closed.promise
    const { delivery } = (await catalog.get(grant.key))!
    expect(await catalog.listAttempts(delivery!.id)).toMatchObject([{ status: 200, answer: '{ "ok": true, ' }])
  })

  it.each([
    ["a page", () => new Response("<title>Login</title>Please log in", { headers: { "content-type": "text/html" } })],
    ["a page without words", () => new Response("<div id=root></div>", { headers: { "content-type": "text/html" } })],
    ["a page that does not say so", () => new Response("<p>Please log in")],
    ["some other JSON", () => Response.json({ error: "unauthorized" })],
    ["JSON that says no", () => Response.json({ ok: false })],
  ])("is not delivered to who answers 200 with %s, and the log says whom to let it through", async (_, answer) => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries: [1] })
    const app = await startApp((received, count) => (count === 1 ? answer() : answerWith(null)(received)))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    const attempts = await catalog.listAttempts((await catalog.get(grant.key))!.delivery!.id)
    expect(attempts.map(({ error }) => error)).toEqual([
      "The answer was 200, but it cannot be used: it is not the route handler's. Let its path through any login in front of the app.",
      null,
    ])
  })

  it.each([
    ["what the route handler says", () => Response.json({ ok: true })],
    ["nothing", () => new Response(null, { status: 204 })],
    ["nothing, as JSON", () => new Response("", { headers: { "content-type": "application/json" } })],
  ])("is delivered to who answers with %s", async (_, answer) => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog })
    const app = await startApp(answer)
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    expect(app.received).toHaveLength(1)
  })

  it("is sent again when another process makes it due, on a schedule of its own", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries: [1] })
    const app = await startApp((received, count) => (count < 4 ? refuse() : answerWith(null)(received)))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "dead")
    const { id } = (await catalog.get(grant.key))!.delivery!
    // Past the ingest, as the command line does it: nobody wakes the dispatcher.
    expect(await catalog.redeliver({ id, now: Date.now() })).toBe(true)
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    expect(app.received.map(({ event }) => event.attempt)).toEqual([1, 2, 3, 4])
  })

  it.each([
    ["gone: 410 stops at once", 410, [1, 1, 1], 1],
    ["given up after the last retry", 503, [1, 1], 3],
    ["not redirected", 307, [], 1],
  ])("is %s", async (_what, status, callbackRetries, attempts) => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries })
    let elsewhere = 0
    const target = await listen((_req, res) => {
      elsewhere++
      res.end()
    })
    const app = await startApp(() => new Response(null, { status, headers: { location: target } }))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "dead")
    expect(catalog.attempts).toHaveLength(attempts)
    expect(elsewhere).toBe(0)
  })

  it("is tried again after network errors and timeouts", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, callbackRetries: [1, 1], callbackTimeout: 500 })
    const app = await startApp((_received, count) =>
      count === 1 ? new Promise<Response>(() => {}) : new Response(null, { status: 204 }),
    )
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    expect(catalog.attempts).toMatchObject([
      { status: null, outcome: { retryAt: expect.any(Number) } },
      { status: 204 },
    ])
  })

  it("survives the ingest: what one had pending, or was just sending, the next one delivers", async () => {
    const folder = await makeFolder()
    const open = () => createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
    const store = createMemoryBlobStore()
    const first = await startIngest({ store, catalog: open() })
    const app = await startApp((_received, count) =>
      count <= 2 ? new Promise<Response>(() => {}) : new Response(null, { status: 200 }),
    )
    const grants = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    await register(first.url, { fileKeys: grants.map(({ key }) => key), callbackUrl: app.url, awaitServerData: false })
    for (const grant of grants) await putRaw(await sign(first.url, grant), "hello")
    await app.until(2)
    await first.close()
    const second = await startIngest({ store, catalog: open() })
    await app.until(4)
    for (const { key } of grants) {
      await eventually(async () => (await second.catalog.get(key))?.delivery?.status === "delivered")
    }
    const ids = app.received.map(({ event }) => event.id)
    expect(new Set(ids.slice(0, 2))).toEqual(new Set(ids.slice(2)))
    expect(app.received.slice(2).map(({ event }) => event.attempt)).toEqual([2, 2])
  })

  it("is not made for uploads from the server", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant()
    const response = await putRaw(await sign(url, grant), "hello")
    expect(await response.json()).toMatchObject({ serverData: null })
    expect((await catalog.get(grant.key))?.delivery).toBeNull()
  })
})

describe("a PUT that awaits server data", () => {
  it.each(["before", "while", "after"])("gets it when the registration comes %s the upload", async (when) => {
    // With a blob store under it, an upload is seen as soon as it begins.
    const { url, catalog } = await startIngest({ catalog: createMemoryCatalog({ largestContent: 0 }) })
    const app = await startApp(answerWith({ at: when }))
    const grant = createGrant({ slug: "avatar" })
    const signed = await sign(url, grant)
    const send = () => register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    let uploaded: Promise<Response>
    if (when === "before") {
      await send()
      uploaded = putRaw(signed, "hello")
    } else if (when === "while") {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      uploaded = putRaw(signed, readable)
      const writer = writable.getWriter()
      await writer.write(new TextEncoder().encode("hel"))
      await eventually(async () => (await catalog.get(grant.key)) !== null)
      await send()
      await writer.write(new TextEncoder().encode("lo"))
      await writer.close()
    } else {
      uploaded = putRaw(signed, "hello")
      await eventually(async () => (await catalog.get(grant.key))?.file.status === "Uploaded")
      await send()
    }
    expect(await (await uploaded).json()).toMatchObject({ serverData: { at: when } })
    expect(app.received).toHaveLength(1)
  })

  it("gets any JSON as it is", async () => {
    const { url } = await startIngest()
    for (const data of [null, 0, "", [], { "</script>": "\u2028" }]) {
      const app = await startApp(answerWith(data))
      const grant = createGrant({ slug: "avatar" })
      await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
      const response = await putRaw(await sign(url, grant), "hello")
      expect((await response.json()).serverData).toEqual(data)
    }
  })

  it("is answered at once where the route does not await it", async () => {
    const { url } = await startIngest()
    const app = await startApp(() => new Promise<Response>(() => {}))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    expect(await (await putRaw(await sign(url, grant), "hello")).json()).toMatchObject({ serverData: null })
  })

  it("fails at once when the first delivery fails; a repeated PUT waits for the next one", async () => {
    const { url } = await startIngest({ callbackRetries: [300] })
    const app = await startApp((received, count) => (count === 1 ? refuse() : answerWith("second")(received)))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    expect(await problemOf(await putRaw(signed, "hello"))).toBe("502 CALLBACK_FAILED")
    const again = await putRaw(signed, null, 5)
    expect(await again.json()).toMatchObject({ serverData: "second" })
    expect(app.received).toHaveLength(2)
  })

  it("says when to ask again where the app is away that was reached before, and not where it has answered or failed", async () => {
    const { url } = await startIngest({ callbackRetries: [3_600_000] })
    const put = async (callbackUrl: string) => {
      const grant = createGrant({ slug: "avatar" })
      await register(url, { fileKeys: [grant.key], callbackUrl })
      const { status, headers } = await putRaw(await sign(url, grant), "hello")
      return [status, headers.get("retry-after")]
    }
    /** An app that takes one callback, and then is as is said. */
    const turning = async (then: (received: Received) => Response | Promise<Response>) => {
      const arrive = answerWith(null)
      const app = await startApp((received, count) => (count > 1 ? then(received) : arrive(received)))
      expect(await put(app.url)).toEqual([200, null])
      return app.url
    }
    for (const status of [502, 503, 504]) {
      expect(await put(await turning(() => new Response("nginx", { status })))).toEqual([502, "1"])
    }
    for (const then of [
      refuse,
      () => new Response("nginx", { status: 500 }),
      () => Response.redirect("http://127.0.0.1/login", 307),
      () => new Response(null, { status: 410 }),
    ]) {
      expect(await put(await turning(then))).toEqual([502, null])
    }
    const failing = await turning(async ({ event }) => {
      if (event.status === "uploaded") await postResult(url, { fileKey: event.file.key, error: "no such user" })
      return new Response("nginx", { status: 503 })
    })
    expect(await put(failing)).toEqual([502, null])
  })

  /** An app that can be taken away: its connections break off then. */
  const startFlapping = async () => {
    const app = { isThere: true, url: "" }
    app.url = await listen(async (request, response) => {
      if (!app.isThere) return void request.socket.destroy()
      const { file, origin } = JSON.parse(await text(request)) as { file: { key: string }; origin: string }
      await postResult(origin, { fileKey: file.key, callbackData: "" })
      response.end()
    })
    return app
  }
  const putFor = async (ingestUrl: string, callbackUrl: string) => {
    const grant = createGrant({ slug: "avatar" })
    await register(ingestUrl, { fileKeys: [grant.key], callbackUrl })
    const signed = await sign(ingestUrl, grant)
    const toAnswer = ({ status, headers }: Response) => [status, headers.get("retry-after")]
    return {
      first: toAnswer(await putRaw(signed, "hello")),
      again: async (url = signed) => toAnswer(await putRaw(url, "", 5)),
    }
  }

  it("says so of a connection that breaks off, but not of an address where the app was never reached", async () => {
    const { url } = await startIngest({ callbackRetries: [3_600_000] })
    const app = await startFlapping()
    app.isThere = false
    expect((await putFor(url, app.url)).first).toEqual([502, null])
    app.isThere = true
    expect((await putFor(url, app.url)).first).toEqual([200, null])
    app.isThere = false
    expect((await putFor(url, app.url)).first).toEqual([502, "1"])
  })

  it("says so of each file by its own callback, whatever becomes of others", async () => {
    const { url } = await startIngest({ callbackRetries: [3_600_000] })
    const [app, other] = [await startFlapping(), await startFlapping()]
    await putFor(url, app.url)
    app.isThere = false
    const waiting = await putFor(url, app.url)
    expect(waiting.first).toEqual([502, "1"])
    // Another origin of the app is reached, and a callback to this one is refused.
    expect((await putFor(url, other.url)).first).toEqual([200, null])
    expect((await putFor(url, (await startApp(refuse)).url)).first).toEqual([502, null])
    expect(await waiting.again()).toEqual([502, "1"])
    app.isThere = true
    expect(await waiting.again()).toEqual([200, null])
  })

  it("says so after the ingest was started again, too", async () => {
    const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog()]
    const before = await startIngest({ callbackRetries: [3_600_000], store, catalog })
    const app = await startFlapping()
    await putFor(before.url, app.url)
    app.isThere = false
    const waiting = await putFor(before.url, app.url)
    expect(waiting.first).toEqual([502, "1"])
    await before.close()
    const after = await startIngest({ callbackRetries: [3_600_000], store, catalog })
    expect((await putFor(after.url, app.url)).first).toEqual([502, "1"])
    const nobody = await startFlapping()
    nobody.isThere = false
    expect((await putFor(after.url, nobody.url)).first).toEqual([502, null])
  })

  it("fails at once when the app posts an error, before it answers", async () => {
    const { url } = await startIngest()
    const app = await startApp(async ({ event }) => {
      if (event.status === "uploaded") await postResult(url, { fileKey: event.file.key, error: "no such user" })
      return new Promise<Response>(() => {})
    })
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const response = await putRaw(await sign(url, grant), "hello")
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({
      code: "CALLBACK_FAILED",
      detail: expect.stringContaining("no such user"),
    })
  })

  it("asked for again after a failure calls the app at once, one time for all who ask, and tells what it says now", async () => {
    const { url } = await startIngest({ callbackRetries: [3_600_000] })
    const app = await startApp(async ({ event }, count) => {
      if (event.status !== "uploaded") return new Response(null, { status: 400 })
      const { key: fileKey } = event.file
      if (count === 3) return answerWith("at last")({ event } as Received)
      // The same words each time: only the attempt is new.
      await postResult(url, { fileKey, eventId: event.id, attempt: event.attempt, error: "no such user" })
      return new Response(null, { status: 500 })
    })
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    for (const [body, start] of [
      ["hello", 0],
      [null, 5],
    ] as const) {
      expect(await (await putRaw(signed, body, start)).json()).toMatchObject({
        code: "CALLBACK_FAILED",
        detail: expect.stringContaining("no such user"),
      })
    }
    const answers = await Promise.all([putRaw(signed, null, 5), putRaw(signed, null, 5), putRaw(signed, null, 5)])
    for (const answer of answers) expect(await answer.json()).toMatchObject({ serverData: "at last" })
    expect(app.received.map(({ event }) => event.attempt)).toEqual([1, 2, 3])
    expect(new Set(app.received.map(({ event }) => event.id)).size).toBe(1)
  })

  it("asked for again and again is made more and more seldom", async () => {
    const { url } = await startIngest({ callbackRetries: [3_600_000] })
    const app = await startApp(refuse)
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    expect(await problemOf(await putRaw(signed, "hello"))).toBe("502 CALLBACK_FAILED")
    for (let count = 0; count < 40; count++) {
      expect(await problemOf(await putRaw(signed, null, 5))).toBe("502 CALLBACK_FAILED")
    }
    // As far as ten, and then by seconds.
    expect(app.received.length).toBeGreaterThanOrEqual(10)
    expect(app.received.length).toBeLessThan(20)
  })

  it("asked for again leaves an event alone that the app said it never wants", async () => {
    const { url } = await startIngest()
    const app = await startApp(() => new Response(null, { status: 410 }))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    expect(await problemOf(await putRaw(signed, "hello"))).toBe("502 CALLBACK_FAILED")
    expect(await problemOf(await putRaw(signed, null, 5))).toBe("502 CALLBACK_FAILED")
    expect(app.received).toHaveLength(1)
  })

  it("never tells or keeps the page of a proxy that answers for the app", async () => {
    const { url, catalog } = await startIngest()
    const page =
      "<html><head><title>502 Bad Gateway</title><style>h1{}</style></head><body><h1>nginx</h1></body></html>"
    const app = await startApp(() => new Response(page, { status: 502, headers: { "content-type": "text/html" } }))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    expect(await (await putRaw(await sign(url, grant), "hello")).text()).not.toContain("<")
    const id = app.received[0]!.event.id
    await eventually(async () => ((await catalog.findDelivery(id))?.delivery.failures ?? 0) > 0)
    const [attempt] = (await catalog.listAttempts(id)) as ReadonlyArray<{
      readonly error: string
      readonly answer: string
    }>
    expect(attempt).toMatchObject({
      error: "The answer was 502: 502 Bad Gateway nginx",
      answer: "502 Bad Gateway nginx",
    })
  })

  it("tells the app with its next registration that its callbacks do not arrive, and why, but nothing of the answer", async () => {
    const { url } = await startIngest()
    const app = await startApp((_, count) =>
      count === 3
        ? new Response(null, { status: 200 })
        : new Response("<a href=/login>secret</a>", { status: 307, headers: { location: "/login?token=secret" } }),
    )
    const warn = async () => {
      const grant = createGrant({ slug: "avatar" })
      const registered = await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
      const before = app.received.length
      await putRaw(await sign(url, grant), "hello")
      await app.until(before + 1)
      return registered.headers.get(names.header.warning)
    }
    expect(await warn()).toBeNull()
    const warnings: Array<string | null> = []
    await eventually(async () => {
      const grant = createGrant({ slug: "avatar" })
      warnings.push(
        (await register(url, { fileKeys: [grant.key], callbackUrl: app.url })).headers.get(names.header.warning),
      )
      return warnings.at(-1) !== null
    })
    expect(warnings.at(-1)).toMatch(
      /^The answer was 307, which is not the route handler's\. .*SLUICE_CALLBACK_URL.*sluice doctor/,
    )
    expect(warnings.at(-1)).not.toContain("secret")
  })

  it("fails with a timeout when the app stays silent or never registers; the file stays", async () => {
    const { url, catalog } = await startIngest({ callbackWait: 50 })
    const silent = await startApp(() => new Promise<Response>(() => {}))
    for (const isRegistered of [true, false]) {
      const grant = createGrant({ slug: "avatar" })
      if (isRegistered) await register(url, { fileKeys: [grant.key], callbackUrl: silent.url })
      const response = await putRaw(await sign(url, grant), "hello")
      expect(await problemOf(response)).toBe("504 CALLBACK_TIMEOUT")
      expect((await catalog.get(grant.key))?.file.status).toBe("Uploaded")
      // Nobody reads what no app knows of.
      expect((await fetch(`${url}/f/${grant.key}`)).status).toBe(isRegistered ? 200 : 404)
    }
  })

  it("gets the result again that was posted before", async () => {
    const { url } = await startIngest()
    const app = await startApp(answerWith({ id: 1 }))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    const first = await (await putRaw(signed, "hello")).json()
    expect(await (await putRaw(signed, "hello")).json()).toEqual(first)
    expect(app.received).toHaveLength(1)
  })
})

describe("registration and result", () => {
  it("need the API key", async () => {
    const { url } = await startIngest()
    for (const key of ["", "sk_wrong", `${apiKey}x`]) {
      const response = await register(url, { fileKeys: [createGrant().key] }, key)
      expect(await problemOf(response)).toBe("401 UNAUTHORIZED")
    }
    const response = await fetch(`${url}/${names.path.callbackResult}`, { method: "POST", body: "{}" })
    expect(await problemOf(response)).toBe("401 UNAUTHORIZED")
    expect(parseToken(token).ok).toBe(true)
  })

  it("refuse keys of another app", async () => {
    const { url } = await startIngest()
    expect(await problemOf(await register(url, { fileKeys: [createGrant().key, "otherAppsKey1234"] }))).toBe(
      "403 FORBIDDEN",
    )
    expect(await problemOf(await postResult(url, { fileKey: "otherAppsKey1234", callbackData: 1 }))).toBe(
      "403 FORBIDDEN",
    )
  })

  it("refuse what is no registration or result", async () => {
    const { url } = await startIngest()
    expect(await problemOf(await register(url, {}))).toBe("400 BAD_REQUEST")
    expect(await problemOf(await register(url, { fileKeys: [] }))).toBe("400 BAD_REQUEST")
    expect(await problemOf(await register(url, { fileKeys: [createGrant().key], callbackUrl: "file:///x" }))).toBe(
      "400 BAD_REQUEST",
    )
    expect(await problemOf(await postResult(url, {}))).toBe("400 BAD_REQUEST")
    expect(await problemOf(await postResult(url, { fileKey: createGrant().key, callbackData: 1 }))).toBe(
      "404 NOT_FOUND",
    )
  })

  it("take metadata of 64 KiB and no more, counted in bytes", async () => {
    const { url } = await startIngest()
    const fileKeys = [createGrant().key]
    expect((await register(url, { fileKeys, metadata: "x".repeat(64 * 1024 - 2) })).status).toBe(200)
    expect((await register(url, { fileKeys, metadata: "x".repeat(64 * 1024 - 1) })).status).toBe(413)
    expect((await register(url, { fileKeys, metadata: "ü".repeat(32 * 1024) })).status).toBe(413)
  })
})
