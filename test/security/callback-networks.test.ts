import { setImmediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createMemoryCatalog, type IngestOptions } from "../../src/ingest.ts"
import { answerWith, eventually, listen, putRaw, register, startApp, startIngest } from "../ingest/circle.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { readWhole } from "../../src/http/read-answer.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { acme, addTenant, grantOf, own, type Tenant, startIngestProcess, makeDataFolder, upload } from "./two-apps.ts"

/** Passes for a public address here, and nothing listens there: no test sends anything to an address outside. */
const nobodys = vi.hoisted(() => "127.0.0.2")

vi.mock("../../src/server-kit/public-address.ts", async (original) => {
  const actual = await original<typeof import("../../src/server-kit/public-address.ts")>()
  return { ...actual, isPublicAddress: (text: string) => text === nobodys || actual.isPublicAddress(text) }
})

/** An ingest with a second app, whose callback hosts have the addresses it is told, in turn. */
const startGuarded = async (
  answers: ReadonlyArray<ReadonlyArray<string>> = [["127.0.0.1"]],
  options: Partial<IngestOptions> = {},
) => {
  const catalog = createMemoryCatalog()
  await addTenant(catalog, acme)
  const asked: Array<string> = []
  const resolveHost: IngestOptions["resolveHost"] = async (hostname) => {
    const addresses = answers[Math.min(asked.push(hostname), answers.length) - 1]!
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  }
  const ingest = await startIngest({ catalog, resolveHost, callbackRetries: [], ...options })
  return { ...ingest, catalog, asked }
}

/** A server that counts who connects, whatever they say. */
const startWitness = async () => {
  const requests: Array<string | undefined> = []
  const url = await listen((request, response) => {
    requests.push(request.headers.host)
    response.end()
  })
  return { requests, port: new URL(url).port }
}

/** Uploads a file of the second app, and says how the one attempt to call it back ended. */
const callBack = async (ingest: Awaited<ReturnType<typeof startGuarded>>, callbackUrl: string) => {
  const { key, response } = await upload(ingest.url, acme, { callbackUrl })
  const { delivery } = (await ingest.catalog.get(key))!
  const attempts = await ingest.catalog.listAttempts(delivery!.id)
  return { status: response.status, delivery: delivery?.status, error: attempts.at(-1)?.error, attempts }
}

describe("the callback of an app that is not the ingest's own", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "192.168.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "fd00::1",
    "0.0.0.0",
  ])("is not sent where its host's name means %s, and the attempt says why", async (address) => {
    const witness = await startWitness()
    const ingest = await startGuarded([[address]])
    const called = await callBack(ingest, `http://app.example:${witness.port}/api/sluice`)
    expect(called).toMatchObject({ status: 502, delivery: "dead" })
    expect(called.error).toBe(
      `It was not sent: app.example has no public address (${address}), and callbacks of this app go to the public Internet only (callbackNetworks).`,
    )
    expect(witness.requests).toEqual([])
  })

  it("names a few of a name's addresses where it has many", async () => {
    const ingest = await startGuarded([Array.from({ length: 4000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)])
    const { error } = await callBack(ingest, "http://app.example/api/sluice")
    expect(error).toContain("no public address (10.0.0.0, 10.0.0.1, 10.0.0.2, 10.0.0.3, 3996 more)")
  })

  it.each([
    "localhost",
    "app.localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "169.254.169.254",
    "metadata.google.internal",
    "printer",
    "LOCALHOST.",
  ])("cannot be registered for http://%s", async (host) => {
    const witness = await startWitness()
    const ingest = await startGuarded()
    const { key, url } = await grantOf(ingest.url, acme)
    const callbackUrl = `http://${host}:${witness.port}/api/sluice`
    const registered = await register(ingest.url, { fileKeys: [key], callbackUrl }, acme.apiKey)
    expect([registered.status, (await registered.json()).code]).toEqual([403, "FORBIDDEN"])
    void putRaw(url, "hello").catch(() => {})
    expect(ingest.asked).toEqual([])
    expect(witness.requests).toEqual([])
  })

  it("that was registered for a private host when that was allowed is not sent any more", async () => {
    const witness = await startWitness()
    const catalog = createMemoryCatalog()
    await addTenant(catalog, acme)
    const open = await startIngest({ catalog, callbackNetworks: "any" })
    const { key, url } = await grantOf(open.url, acme)
    const callbackUrl = `http://127.0.0.1:${witness.port}/`
    await register(open.url, { fileKeys: [key], callbackUrl, awaitServerData: false }, acme.apiKey)
    await open.close()
    const closed = await startIngest({ catalog, url: open.url, callbackRetries: [] })
    expect((await putRaw(url.replace(open.url, closed.url), "hello")).status).toBe(200)
    await eventually(async () => (await catalog.get(key))?.delivery?.status === "dead")
    const [attempt] = await catalog.listAttempts((await catalog.get(key))!.delivery!.id)
    expect(attempt?.error).toContain("It was not sent: 127.0.0.1 is not public")
    expect(witness.requests).toEqual([])
  })

  it("is not sent to an address that the name has got since it was checked", async () => {
    const witness = await startWitness()
    const ingest = await startGuarded([[nobodys], ["127.0.0.1"]], { callbackTimeout: 200, callbackRetries: [1] })
    const { key } = await upload(ingest.url, acme, { callbackUrl: `http://app.example:${witness.port}/` })
    const isOver = async () => (await ingest.catalog.get(key))?.delivery?.status === "dead"
    await eventually(isOver)
    const { id } = (await ingest.catalog.get(key))!.delivery!
    const errors = (await ingest.catalog.listAttempts(id)).map(({ error }) => error)
    // The first attempt went to the address that was checked and to no other: there the name was not asked for again.
    expect(errors[0]).toMatch(/^There was no answer/)
    expect(errors[1]).toMatch(/^It was not sent: app\.example has no public address/)
    expect(ingest.asked).toEqual(["app.example", "app.example"])
    expect(witness.requests).toEqual([])
  })

  it("goes to none but the public addresses of a name that has others too", async () => {
    const witness = await startWitness()
    const ingest = await startGuarded([["127.0.0.1", nobodys, "::1"]], { callbackTimeout: 200 })
    const { error } = await callBack(ingest, `http://app.example:${witness.port}/`)
    expect(error).toMatch(/^There was no answer/)
    expect(witness.requests).toEqual([])
  })

  it("is sent anywhere where the operator says so, and by whatever fetch was given", async () => {
    const app = await startApp(answerWith({ ok: 1 }))
    const open = await startGuarded([], { callbackNetworks: "any" })
    const { response } = await upload(open.url, acme, { callbackUrl: app.url, awaitServerData: false })
    expect(response.status).toBe(200)
    await app.until(1)
    const fetch = vi.fn(async () => new Response())
    const custom = await startGuarded([], { fetch })
    await upload(custom.url, acme, { callbackUrl: "http://127.0.0.1:4/api", awaitServerData: false })
    await eventually(() => fetch.mock.calls.length === 1)
    expect([open.asked, custom.asked]).toEqual([[], []])
  })

  it("comes over a connection that is kept, with what fetch sends too, where the address is public", async () => {
    // What is public is decided by ipaddr.js; here the only host there is passes for one.
    vi.doMock("../../src/server-kit/public-address.ts", async (original) => ({
      ...(await original<object>()),
      isPublicAddress: () => true,
    }))
    onTestFinished(() => vi.doUnmock("../../src/server-kit/public-address.ts"))
    vi.resetModules()
    const { createGuardedTransport } = await import("../../src/ingest/delivery/guarded-transport.ts")
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }]
    const guarded = createGuardedTransport(resolve, 256)
    onTestFinished(guarded.close)
    const sockets = new Set<unknown>()
    const bodies: Array<string> = []
    const url = await listen(async (request, response) => {
      if (request.url === "/hung") return
      sockets.add(request.socket)
      let body = ""
      for await (const chunk of request) body += String(chunk)
      bodies.push(`${request.method} ${request.headers.host} ${String(request.headers["x-one"])} ${body}`)
      response.writeHead(201, { "x-two": "2" }).end("done")
    })
    const { port } = new URL(url)
    const request = { method: "POST", headers: { "x-one": "1" }, body: "{}" }
    const send = (path: string, signal: AbortSignal) =>
      guarded.of("acme")({ ...request, url: `http://app.example:${port}${path}`, signal })
    for (let count = 0; count < 3; count++) {
      const answer = await send("/", new AbortController().signal)
      expect([answer.status, answer.headers.get("x-two"), await readWhole(answer, 4)]).toEqual([201, "2", "done"])
      // A connection goes back to those that are kept after the end of its answer.
      await setImmediate()
    }
    expect(bodies).toEqual(Array.from({ length: 3 }, () => `POST app.example:${port} 1 {}`))
    expect(sockets.size).toBe(1)
    await expect(send("/hung", AbortSignal.timeout(1))).rejects.toMatchObject({ name: "TimeoutError" })
  })

  it("waits for no other app whose name servers hang", async () => {
    const catalog = createMemoryCatalog()
    const tenants = [acme, { id: "hung", apiKey: "sk_hung" }]
    for (const tenant of tenants) await addTenant(catalog, tenant)
    let asked = 0
    const resolveHost: IngestOptions["resolveHost"] = (hostname) => {
      if (hostname === "well.example") return Promise.resolve([{ address: "127.0.0.1", family: 4 }])
      asked++
      return new Promise(() => {})
    }
    const ingest = await startIngest({ catalog, resolveHost, callbackRetries: [] })
    for (let count = 0; count < 20; count++) {
      const callbackUrl = `http://${count}.hung.example/`
      await upload(ingest.url, tenants[1]!, { callbackUrl, awaitServerData: false })
    }
    // The system looks few names up at once: one app has one of them looked up.
    expect(asked).toBe(1)
    const { response } = await upload(ingest.url, acme, { callbackUrl: "http://well.example/" })
    expect(response.status).toBe(502)
  })
})

describe("the callback of the ingest's own app", () => {
  it("goes to this machine as it always did", async () => {
    const app = await startApp(answerWith({ ok: 1 }))
    const ingest = await startGuarded()
    const { response } = await upload(ingest.url, own, { callbackUrl: app.url.replace("127.0.0.1", "localhost") })
    expect(await response.json()).toMatchObject({ serverData: { ok: 1 } })
    expect(ingest.asked).toEqual([])
  })
})

it("a real ingest keeps the callbacks of further apps out of its own network unless it is told otherwise", async () => {
  const data = await makeDataFolder()
  const app = await startApp()
  const closed = await startIngestProcess(data)
  await expect(upload(closed.url, acme, { callbackUrl: app.url })).rejects.toThrow("403")
  closed.child.kill("SIGTERM")
  await closed.ended
  const open = await startIngestProcess(data, ["--callback-networks", "any"])
  await upload(open.url, acme, { callbackUrl: app.url, awaitServerData: false })
  await app.until(1)
})

describe("an app whose callbacks are not sent", () => {
  /** The real handler of the second app, on a socket; and what it has logged. */
  const startTenant = async (ingestUrl: string, callbackUrl: string) => {
    const lines: Array<string> = []
    for (const sink of ["error", "warn"] as const) {
      const spy = vi.spyOn(console, sink).mockImplementation((...words) => void lines.push(words.join(" ")))
      onTestFinished(() => spy.mockRestore())
    }
    const handle = createRouteHandler({
      router: { avatar: createSluice()({ text: {} }).onUploadComplete(() => 1) },
      token: encodeToken({ apiKey: acme.apiKey, appId: acme.id, regions: ["local"] }),
      ingestUrl,
      callbackUrl,
      isDev: false,
      logFormat: "text",
    })
    const url = await listen(toNodeListener(handle))
    const ask = async () => {
      const response = await fetch(`${url}/api/sluice?actionType=upload&slug=avatar`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ files: [{ name: "a", size: 5, type: "text/plain" }] }),
      })
      return { status: response.status, text: await response.text() }
    }
    return { ask, lines }
  }

  it("reads in its own log why, and what to do, where its callback URL is of a private host", async () => {
    const ingest = await startGuarded()
    const { ask, lines } = await startTenant(ingest.url, "http://127.0.0.1:3999/api/sluice")
    const { status, text } = await ask()
    expect([status, JSON.parse(text).code]).toEqual([500, "INVALID_CONFIG"])
    expect(text).not.toMatch(/public Internet|callback-networks/)
    expect(lines.join("\n")).toMatch(
      /SLUICE_CALLBACK_URL[^]*public Internet only, and 127\.0\.0\.1:3999 is not on it[^]*--callback-networks any/,
    )
  })

  it("reads it with its next upload where the host's name has private addresses, until one is sent", async () => {
    const ingest = await startGuarded([["10.0.0.7"], [nobodys]], { callbackTimeout: 100 })
    const { ask, lines } = await startTenant(ingest.url, "http://app.example/api/sluice")
    const [first] = JSON.parse((await ask()).text)
    expect(lines).toEqual([])
    const put = await putRaw(first.url, "hello")
    expect([put.status, await put.text()]).toEqual([502, expect.not.stringMatching(/10\.0\.0\.7|public/)])
    const { status, text } = await ask()
    expect([status, text.includes("10.0.0.7")]).toEqual([200, false])
    expect(lines).toHaveLength(1)
    const [second] = JSON.parse(text)
    await putRaw(second.url, "hello")
    await eventually(async () => (await ingest.catalog.get(second.key))?.delivery?.status === "dead")
    expect((await ask()).status).toBe(200)
    // That one was sent, to nobody who is the app: another fault, and of the first no word more.
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(
      /warning: The ingest warns: (There was no answer|The answer was \d+, which is not the route handler's)\. .*SLUICE_CALLBACK_URL/,
    )
    expect(lines[0]).toMatch(
      /warning: The ingest warns: .*app\.example has no public address \(10\.0\.0\.7\).*SLUICE_CALLBACK_URL.*--callback-networks any/,
    )
    expect(lines[0]).not.toContain(acme.apiKey)
  })

  it("is told nothing of another app, and nothing of another address of its own", async () => {
    const ingest = await startGuarded([["10.0.0.7"]])
    await upload(ingest.url, acme, { callbackUrl: "http://app.example/api/sluice" })
    const warningOf = async (tenant: Tenant, callbackUrl: string) => {
      const { key } = await grantOf(ingest.url, tenant)
      const { status, headers } = await register(ingest.url, { fileKeys: [key], callbackUrl }, tenant.apiKey)
      expect(status).toBe(200)
      return headers.get(names.header.warning)
    }
    expect(await warningOf(acme, "http://app.example/other")).toContain("app.example has no public address")
    expect(await warningOf(acme, "http://other.example/api/sluice")).toBeNull()
    expect(await warningOf(own, "http://app.example/api/sluice")).toBeNull()
  })
})
