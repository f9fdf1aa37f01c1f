import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, createServer, type Server } from "node:net"
import { http, passthrough } from "msw"
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { createSluice } from "../../src/server.ts"
import { own } from "../http/own-certificate.ts"
import { apiKey } from "./app-token.ts"
import { appUrl, type Handle, handlerOf, png, presigned, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { line, openStream, router, until, uploadInDevelopment } from "./dev-upload.ts"
import { type Answer, json, networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"
import { callbackEvent, errorEvent, sign, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
const { lines, linesWith } = useConsoleLines()
const timers = useQuickTimers()
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const upload = (options?: object, ownAnswer?: Answer) => uploadInDevelopment(ingest, options, ownAnswer)

describe("in development", () => {
  test("the client is answered before the ingest is, and the registration says what it is", async () => {
    const stream = openStream()
    let answer = () => {}
    ingest.answerRegistration(async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return stream.answer()
    })
    const { response, over } = await upload()
    await presigned(response)
    await until(() => expect(ingest.registrations).toHaveLength(1))
    expect(JSON.parse(ingest.registrations[0]!.text)).toMatchObject({ isDev: true, callbackSlug: "my route" })
    answer()
    stream.end()
    await over
  })

  test("without a waitUntil the stream is followed all the same", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { deliveries, response } = await upload({ waitUntil: undefined })
    await presigned(response)
    stream.write(line(callbackEvent()))
    await until(() => expect(deliveries).toHaveLength(1))
    stream.end()
  })

  test("NODE_ENV says so where nothing else does", async () => {
    vi.stubEnv("NODE_ENV", "development")
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { over } = await upload({ isDev: undefined })
    stream.end()
    await over
    expect(JSON.parse(ingest.registrations[0]!.text)).toMatchObject({ isDev: true })
  })
})

describe("an event of the stream", () => {
  test("is posted verbatim to the app's own callback URL, signature and hook with it, API key not", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { deliveries, over } = await upload()
    const payload = ` ${JSON.stringify(callbackEvent({ file: { ...storedFile, name: "ünï 👩‍👧.png" } }))}\n\t`
    stream.write(`${JSON.stringify({ payload, signature: sign(payload), hook: "callback" })}\n`)
    await until(() => expect(deliveries).toHaveLength(1))
    stream.write(line(errorEvent(), "error"))
    await until(() => expect(deliveries).toHaveLength(2))
    stream.end()
    await over
    const [callback, error] = deliveries as [(typeof deliveries)[number], (typeof deliveries)[number]]
    expect(callback.url).toBe(`${appUrl}?slug=my+route`)
    expect(callback.method).toBe("POST")
    expect(callback.text).toBe(payload)
    expect(callback.headers.get("content-type")).toBe("application/json")
    expect(callback.headers.get("sluice-hook")).toBe("callback")
    expect(callback.headers.get("x-sluice-signature")).toBe(sign(payload))
    expect(callback.headers.get("x-sluice-api-key")).toBeNull()
    expect([...callback.headers.values()].join()).not.toContain(apiKey)
    expect(error.headers.get("sluice-hook")).toBe("error")
    expect(ingest.registrations).toHaveLength(1)
  })

  test("goes to the configured callback URL, whose own query stays", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const elsewhere = ingest.watch("http://tunnel.test/hooks")
    const { deliveries, over } = await upload({ callbackUrl: "http://tunnel.test/hooks?tenant=5" })
    stream.write(line(callbackEvent()))
    await until(() => expect(elsewhere).toHaveLength(1))
    stream.end()
    await over
    expect(elsewhere[0]!.url).toBe("http://tunnel.test/hooks?tenant=5&slug=my+route")
    expect(deliveries).toEqual([])
  })

  test("makes the circle: onUploadComplete runs and its result is posted", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const own: Handle = handlerOf(router, { isDev: true })
    const { over } = await upload({}, ({ url, method, headers, text }) =>
      own(new Request(url, { method, headers, body: text })),
    )
    stream.write(line(callbackEvent({ slug: "my route" })))
    await until(() => expect(ingest.results).toHaveLength(1))
    stream.end()
    await over
    expect(JSON.parse(ingest.results[0]!.text)).toEqual({ fileKey: storedFile.key, eventId: "evt_1", callbackData: 1 })
  })

  test.each([
    ["answers an error", () => json({}, 500)],
    ["redirects", () => new Response(null, { status: 307, headers: { location: "http://attacker.test/" } })],
  ])("is logged when the app %s, and the next one comes through", async (_, answer: Answer) => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { deliveries, over } = await upload({}, answer)
    stream.write(line(callbackEvent()))
    await until(() => expect(linesWith("error", `did not reach ${appUrl}`)).toHaveLength(1))
    stream.write(line(callbackEvent({ id: "evt_9" })))
    await until(() => expect(deliveries).toHaveLength(2))
    await until(() => expect(linesWith("error", `did not reach ${appUrl}`)).toHaveLength(2))
    await until(() => expect(ingest.results).toHaveLength(2))
    stream.end()
    await over
  })

  test.each([
    [
      "redirects to a login",
      () => new Response(null, { status: 307, headers: { location: "/login?next=x" } }),
      [/307 to \/login\b[^?]/, "Let /api/sluice through in"],
    ],
    [
      "redirects with a page that has no full stop",
      () => new Response("Redirecting to /login", { status: 307, headers: { location: "/login" } }),
      ["Redirecting to /login. Let /api/sluice through in"],
    ],
    [
      "asks for a password",
      () => new Response("<h1>Sign in</h1>", { status: 401 }),
      ["401: Sign in", "Let /api/sluice through in"],
    ],
    [
      "counts requests",
      () => new Response("Too many", { status: 429 }),
      ["429: Too many", "rate limiter", "the header sluice-hook"],
    ],
    [
      "has no such path",
      () => new Response("<h1>404</h1>", { status: 404 }),
      ["404", "Mount the route handler there", "SLUICE_CALLBACK_URL"],
    ],
    [
      "answers all paths with its page",
      () => new Response("<div id=root></div>"),
      ["Something other than the route handler", "SLUICE_CALLBACK_URL"],
    ],
  ])("whose app %s is told to the ingest at once, with the fix, and logged", async (_, answer: Answer, told) => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { over } = await upload({}, answer)
    stream.write(line(callbackEvent({ attempt: 3 })))
    await until(() => expect(ingest.results).toHaveLength(1))
    stream.end()
    await over
    const { error, ...result } = JSON.parse(ingest.results[0]!.text)
    expect(result).toEqual({ fileKey: storedFile.key, eventId: "evt_1", attempt: 3 })
    expect(linesWith("error", `did not reach ${appUrl}`, "sent again")).toHaveLength(1)
    for (const words of told) {
      expect(error).toMatch(words)
      expect(linesWith("error")[0]).toMatch(words)
    }
    expect(error).not.toMatch(/<|next=/)
  })

  test("does not wait for the one before it", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { deliveries, over } = await upload({}, async ({ text }) => {
      if (text.includes("evt_slow")) await held
      return json({ ok: true })
    })
    stream.write(line(callbackEvent({ id: "evt_slow" })), line(callbackEvent({ id: "evt_quick" })))
    await until(() => expect(deliveries).toHaveLength(2))
    release()
    stream.end()
    await over
  })
})

describe("an app that does not reach itself by the URL of the request", () => {
  /** Uploads at this address, sends one event down the stream, and waits for its result. */
  const uploadAt = async (url: string, { files = [line(callbackEvent({ slug: "my route" }))], own = router } = {}) => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const before = ingest.results.length
    const work: Array<Promise<unknown>> = []
    const handle = handlerOf(own, { isDev: true, waitUntil: (promise) => void work.push(promise) })
    const { search } = new URL(uploadRequest("my route", {}).url)
    const body = JSON.stringify({ files: [png] })
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    await presigned(await handle(new Request(`${url}${search}`, init)))
    for (const [index, file] of files.entries()) {
      stream.write(file)
      await until(() => expect(ingest.results.length).toBeGreaterThan(before + index))
    }
    stream.end()
    await Promise.all(work)
    return ingest.results.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  }

  const listen = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    return (server.address() as AddressInfo).port
  }

  const done = { fileKey: storedFile.key, eventId: "evt_1", callbackData: 1 }

  test("as its certificate signs itself, runs onUploadComplete all the same, and is told why once", async () => {
    let asked = 0
    const port = await listen(createTlsServer(own, (_, response) => void response.end(`${asked++}`)))
    const url = `https://localhost:${port}/api/sluice`
    ingest.server.use(http.all(url, () => passthrough()))
    const events = ["evt_1", "evt_9"].map((id) => line(callbackEvent({ slug: "my route", id })))
    expect(await uploadAt(url, { files: events })).toEqual([done, { ...done, eventId: "evt_9" }])
    expect(asked).toBe(0)
    const said = linesWith("log", "does not reach itself", url)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain("self-signed certificate")
    expect(said[0]).toContain("in production the ingest has to reach the app")
    expect(linesWith("error")).toEqual([])
  })

  test("as a plain server closes the connection, or nothing listens there", async () => {
    const port = await listen(createServer((socket) => void socket.destroy()))
    const url = `http://127.0.0.1:${port}/api/sluice`
    ingest.server.use(http.all(url, () => passthrough()))
    expect(await uploadAt(url)).toEqual([done])
    ingest.server.use(http.all("http://127.0.0.1:1/api/sluice", () => passthrough()))
    expect((await uploadAt("http://127.0.0.1:1/api/sluice")).at(-1)).toEqual(done)
  })

  test("is told what its own code threw, which the ingest is told as well", async () => {
    const own = {
      "my route": createSluice()({ image: {} }).onUploadComplete((): number => {
        throw new Error("No table")
      }),
    }
    ingest.watch(appUrl, networkError)
    const [result] = await uploadAt(appUrl, { own })
    expect(result).toMatchObject({ eventId: "evt_1", error: expect.stringContaining("app's onUploadComplete failed") })
    expect(linesWith("error", "threw an error")).toHaveLength(1)
    await until(() => expect(linesWith("log", "sent again")).toHaveLength(1))
    // The second report of the attempt has no effect.
    await until(() => expect(ingest.results).toHaveLength(2))
  })

  test("checks what it hands over: an event of another route is refused", async () => {
    ingest.watch(appUrl, networkError)
    const [result] = await uploadAt(appUrl, { files: [line(callbackEvent({ slug: "other" }))] })
    expect(result).toMatchObject({ error: expect.stringContaining("was not signed for route") })
  })

  test("does not run the code twice where the connection breaks after the event has arrived", async () => {
    let runs = 0
    const own = { "my route": createSluice()({ image: {} }).onUploadComplete(() => ++runs) }
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const work: Array<Promise<unknown>> = []
    const handle = handlerOf(own, { isDev: true, waitUntil: (promise) => void work.push(promise) })
    ingest.watch(appUrl, async ({ url, method, headers, text }) => {
      await handle(new Request(url, { method, headers, body: text }))
      return networkError()
    })
    await presigned(await handle(uploadRequest("my route", { files: [png] })))
    stream.write(line(callbackEvent({ slug: "my route" })))
    await until(() => expect(linesWith("error", "did not reach", "has received it")).toHaveLength(1))
    stream.end()
    await Promise.all(work)
    expect(runs).toBe(1)
  })
})

describe("the end of the stream", () => {
  test("in order is the end: nothing is opened again", async () => {
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { over } = await upload()
    stream.end()
    await over
    expect(ingest.registrations).toHaveLength(1)
    expect(timers.pauses).toEqual([])
  })

  test("broken off is no end: the same registration opens it again, and events go on", async () => {
    const [first, second] = [openStream(), openStream()]
    ingest.answerRegistration(first.answer, networkError, () => json({}, 503), second.answer)
    const { deliveries, over } = await upload()
    first.write(line(callbackEvent()), '{"payload":"half')
    await until(() => expect(deliveries).toHaveLength(1))
    first.breakOff()
    second.write(line(callbackEvent({ id: "evt_9" })))
    await until(() => expect(deliveries).toHaveLength(2))
    second.end()
    await over
    expect(ingest.registrations).toHaveLength(4)
    expect(new Set(ingest.registrations.map(({ text }) => text.replace(/"sentAt":\d+,/, ""))).size).toBe(1)
    expect(timers.pauses).toHaveLength(3)
    for (const pause of timers.pauses) expect(pause).toBeGreaterThanOrEqual(500)
  })

  test("broken off after the URLs have expired is the end", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const stream = openStream()
    ingest.answerRegistration(stream.answer)
    const { over } = await upload()
    await until(() => expect(ingest.registrations).toHaveLength(1))
    vi.setSystemTime(Date.now() + 60_001)
    stream.breakOff()
    await over
    expect(ingest.registrations).toHaveLength(1)
  })

  test("what is no stream of events is told, and tried again", async () => {
    const stream = openStream()
    ingest.answerRegistration(() => new Response("<!doctype html>\n<p>Hello</p>"), stream.answer)
    const { response, over } = await upload()
    await presigned(response)
    await until(() => expect(ingest.registrations).toHaveLength(2))
    stream.end()
    await over
    expect(linesWith("warn", "http://ingest.test is not a Sluice ingest")).toHaveLength(1)
  })
})

describe("an ingest that is not running", () => {
  test("costs one clear error, the client gets its URLs, and it may be started later", async () => {
    const stream = openStream()
    ingest.answerRegistration(...Array.from({ length: 12 }, () => networkError), stream.answer)
    const { response, deliveries, over } = await upload()
    await presigned(response)
    stream.write(line(callbackEvent()))
    await until(() => expect(deliveries).toHaveLength(1))
    stream.end()
    await over
    expect(lines.filter(({ level }) => level === "error" || level === "warn")).toHaveLength(1)
    expect(linesWith("error", "http://ingest.test cannot be reached", "sluice ingest")).toHaveLength(1)
    expect(Math.max(...timers.pauses)).toBeLessThanOrEqual(7500)
  })

  test("is given up when the URLs have expired", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    ingest.answerRegistration(networkError, () => {
      vi.setSystemTime(Date.now() + 60_001)
      return networkError()
    })
    const { over } = await upload()
    await over
    expect(ingest.registrations).toHaveLength(2)
  })

  test.each([400, 401, 403])("but refuses (%d) is told once and not asked again", async (status) => {
    ingest.answerRegistration(() => json({ detail: "eels" }, status))
    const { response, over } = await upload()
    await presigned(response)
    await over
    expect(ingest.registrations).toHaveLength(1)
    expect(linesWith("error", "refused the registration", "eels")).toHaveLength(1)
  })
})
