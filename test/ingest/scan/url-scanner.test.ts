import { createHash } from "node:crypto"
import { describe, expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../../adapters/node/to-node-listener.ts"
import { SluiceApi } from "../../../src/api.ts"
import type { Respond } from "../../../src/http/answer.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog, type IngestOptions } from "../../../src/ingest.ts"
import { captureConsole } from "../capture-console.ts"
import {
  apiKey,
  catalogs,
  eventually,
  listen,
  putRaw,
  randomContent,
  register,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { type AskedScan, judge, readAsked, scanByContent, scanSecret, startUrlScanner } from "./fake-url-scanner.ts"
import { bad, sendHeld, signHeld } from "./held.ts"

const start = async (
  url: string,
  { scan = {}, ...options }: Partial<Omit<IngestOptions, "scan">> & { readonly scan?: object } = {},
) => {
  const ingest = await startIngest({
    defaultAcl: "public-read",
    ...options,
    scan: { url, secret: scanSecret, ...scan },
  })
  const api = new SluiceApi({ token, ingestUrl: ingest.url })
  const statusOf = async (key: string) => (await api.listFiles()).files.find((file) => file.key === key)?.status
  return { ingest, api, statusOf }
}

describe.each(catalogs)("a scanner that has a URL (%s)", (_, create) => {
  it.each([0, 5, 300_000])("reads the file by a URL and releases it: %d bytes", async (size) => {
    const contents: Array<Buffer> = []
    const scanner = await startUrlScanner(async (asked) => {
      contents.push(await readAsked(asked))
      asked.answer(200, { verdict: "release" })
    })
    const { ingest, statusOf } = await start(scanner.url, { catalog: create() })
    const content = randomContent(size)
    const before = Date.now()
    const { key } = await sendHeld(ingest, content, { customId: "mine", name: "a b.txt" })
    await eventually(async () => (await statusOf(key)) === "Uploaded")
    expect(contents).toHaveLength(1)
    expect(contents[0]!.equals(content)).toBe(true)
    const [{ message, headers }] = scanner.asked as [AskedScan]
    expect(message).toEqual({
      id: expect.stringMatching(/^scan_[0-9a-f]{32}$/),
      sentAt: expect.any(Number),
      expires: message.sentAt + 300_000,
      appId: "app-1",
      file: {
        key,
        name: "a b.txt",
        size,
        type: "text/plain",
        fileHash: createHash("sha256").update(content).digest("hex"),
        uploadedAt: expect.any(Number),
      },
      readUrl: expect.stringMatching(`^${ingest.url}/scan/${key}/\\d+\\?expires=${message.expires}&signature=`),
      verdictUrl: expect.stringMatching(`^${ingest.url}/verdict/${key}/\\d+\\?expires=${message.expires}&signature=`),
    })
    expect(message.sentAt).toBeGreaterThanOrEqual(before)
    expect(headers).toMatchObject({ "sluice-hook": "scan", "webhook-id": message.id })
    expect((await fetch(`${ingest.url}/f/${key}`)).status).toBe(200)
  })

  it("rejects it for a reason that its app and its sender read", async () => {
    const app = await startApp()
    const reason = `It shows\u001b[31m\nsomebody.\u202e${"x".repeat(600)}`
    const scanner = await startUrlScanner(scanByContent(bad, reason))
    const { ingest } = await start(scanner.url, { catalog: create() })
    const { grant, signed } = await signHeld(ingest, { slug: "avatar", size: bad.length })
    await register(ingest.url, { fileKeys: [grant.key], awaitServerData: true, callbackUrl: app.url })
    const answer = await putRaw(signed, bad)
    const { code, detail } = (await answer.json()) as { readonly code: string; readonly detail: string }
    expect([answer.status, code]).toEqual([422, "REJECTED"])
    expect(detail).toMatch(/^It shows \[31m somebody\. x+…$/)
    expect(detail).toHaveLength(500)
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ status: "failed", error: { code: "REJECTED", message: detail } })
    expect(scanner.asked[0]!.body).not.toContain("userId")
  })

  it.each([undefined, null, "", " \n "])("rejects it without a reason: %j", async (reason) => {
    const scanner = await startUrlScanner(scanByContent(bad, reason as string | undefined))
    const { ingest, statusOf } = await start(scanner.url, { catalog: create() })
    const { key } = await sendHeld(ingest, bad)
    await eventually(async () => (await statusOf(key)) === "Failed")
    expect((await ingest.catalog.get(key))?.file.failure).toEqual({
      code: "REJECTED",
      message: "The file was rejected.",
    })
  })

  it("decides later where it answers 202, by the URL for it, and is not asked again meanwhile", async () => {
    const lines = captureConsole()
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const { ingest, statusOf } = await start(scanner.url, { catalog: create(), logLevel: "Warning", metrics: "open" })
    const [good, evil] = [await sendHeld(ingest, "good"), await sendHeld(ingest, bad)]
    await eventually(() => scanner.asked.length === 2)
    const urlOf = (key: string) => scanner.asked.find(({ message }) => message.file.key === key)!.message.verdictUrl
    expect([await statusOf(good.key), await statusOf(evil.key)]).toEqual(["Held", "Held"])
    const answers = [
      await judge(urlOf(good.key), { verdict: "release" }),
      await judge(urlOf(evil.key), { verdict: "reject", reason: "No." }),
    ]
    for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
    expect([await statusOf(good.key), await statusOf(evil.key)]).toEqual(["Uploaded", "Failed"])
    expect((await ingest.catalog.get(evil.key))?.file.failure?.message).toBe("No.")
    expect((await judge(urlOf(good.key), { verdict: "reject" })).status).toBe(404)
    const metrics = await (await fetch(`${ingest.url}/metrics`)).text()
    expect(metrics).toContain('sluice_scans_total{verdict="clean"} 1')
    expect(metrics).toContain('sluice_scans_total{verdict="found"} 1')
    await eventually(async () =>
      (await (await fetch(`${ingest.url}/metrics`)).text()).includes("sluice_scans_active 0"),
    )
    expect(scanner.asked).toHaveLength(2)
    expect(lines).toEqual([])
  })

  it("that answers 202 and gives no verdict in time leaves the file held, and its URLs end", async () => {
    const lines = captureConsole()
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const { ingest, statusOf } = await start(scanner.url, { catalog: create(), logLevel: "Warning", scanTimeout: 300 })
    const { key } = await sendHeld(ingest, "hello")
    await eventually(() => lines.length > 0)
    expect(lines).toEqual([expect.stringMatching(`${key}.*decide later, and gave no verdict in time.*releaseFiles`)])
    expect(await statusOf(key)).toBe("Held")
    const { readUrl, verdictUrl } = scanner.asked[0]!.message
    for (const answer of [await fetch(readUrl), await judge(verdictUrl, { verdict: "release" })]) {
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: "EXPIRED_URL" }])
    }
    expect(await statusOf(key)).toBe("Held")
  })

  it("is left in peace when the file is judged or deleted by others, and its answer then decides nothing", async () => {
    const lines = captureConsole()
    const scanner = await startUrlScanner(() => {})
    const { ingest, api, statusOf } = await start(scanner.url, { catalog: create(), logLevel: "Warning" })
    const [one, two, three] = [await sendHeld(ingest, "a"), await sendHeld(ingest, "b"), await sendHeld(ingest, "c")]
    await eventually(() => scanner.asked.length === 3)
    const closed = scanner.asked.map(({ response }) => new Promise((resolve) => response.on("close", resolve)))
    await api.deleteFiles(one.key)
    await api.releaseFiles(two.key)
    await api.rejectFiles(three.key, { reason: "By hand." })
    await Promise.all(closed)
    for (const { message } of scanner.asked) {
      expect((await fetch(message.readUrl)).status).toBe(404)
      for (const verdict of ["release", "reject"]) {
        expect((await judge(message.verdictUrl, { verdict })).status).toBe(404)
      }
    }
    expect(await statusOf(two.key)).toBe("Uploaded")
    expect((await ingest.catalog.get(three.key))?.file.failure?.message).toBe("By hand.")
    expect(lines).toEqual([])
  })
})

describe("a verdict that races with another one", () => {
  it("counts once: of an answer and a REST call the first one", async () => {
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const { ingest, api, statusOf } = await start(scanner.url, { maxConcurrentScans: 20 })
    const files = await Promise.all(Array.from({ length: 20 }, () => sendHeld(ingest, "hello")))
    await eventually(() => scanner.asked.length === 20)
    await Promise.all(
      scanner.asked.map(async ({ message }) => {
        const [posted, called] = await Promise.all([
          judge(message.verdictUrl, { verdict: "reject" }),
          api.releaseFiles(message.file.key),
        ])
        const status = await statusOf(message.file.key)
        expect([posted.status, called.releasedCount, status]).toEqual(
          status === "Failed" ? [200, 0, "Failed"] : [404, 1, "Uploaded"],
        )
      }),
    )
    expect(files).toHaveLength(20)
  })
})

describe("an answer that is no verdict", () => {
  it.each([401, 403])(
    "with status %d is that of another secret: the log says which variable is meant",
    async (status) => {
      const lines = captureConsole()
      const scanner = await startUrlScanner((asked) => asked.answer(status, {}))
      const { ingest } = await start(scanner.url, { logLevel: "Warning" })
      const { key } = await sendHeld(ingest, "hello")
      await eventually(() => lines.length === 2)
      expect(lines).toEqual([
        expect.stringMatching(new RegExp(`The scanner is away.*answer was ${status}.*SLUICE_SCAN_SECRET`)),
        expect.stringMatching(new RegExp(`about a file.*${key}.*answer was ${status}.*SLUICE_SCAN_SECRET`)),
      ])
    },
  )

  it("releases nothing, is asked for once, and others go on", async () => {
    const lines = captureConsole()
    const scanner = await startUrlScanner((asked) =>
      asked.message.file.name === "odd.txt"
        ? asked.response.end("<h1>Log in</h1>")
        : asked.answer(200, { verdict: "release" }),
    )
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "Warning" })
    const { key } = await sendHeld(ingest, "odd", { name: "odd.txt" })
    await eventually(() => lines.some((line) => line.includes("does not decide")))
    expect(lines).toEqual([
      expect.stringMatching(/The scanner is away.*cannot be used/),
      expect.stringMatching(new RegExp(`does not decide about a file.*${key}.*cannot be used.*releaseFiles`)),
    ])
    const other = await sendHeld(ingest, "good")
    await eventually(async () => (await statusOf(other.key)) === "Uploaded")
    expect(await statusOf(key)).toBe("Held")
    expect(scanner.asked.filter(({ message: { file } }) => file.name === "odd.txt")).toHaveLength(1)
  })

  it("is read only so far: one of a gigabyte costs neither memory nor time", async () => {
    const lines = captureConsole()
    let sent = 0
    const closed = Promise.withResolvers<void>()
    const scanner = await startUrlScanner(({ response }) => {
      response.on("close", () => closed.resolve())
      response.writeHead(200, { "content-length": String(2 ** 30) })
      const chunk = Buffer.alloc(65_536, " ")
      const write = (): void => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once("drain", write)
        }
      }
      write()
    })
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "Warning" })
    const { key } = await sendHeld(ingest, "hello")
    await closed.promise
    await eventually(() => lines.some((line) => line.includes("more than 16KB")))
    expect(sent).toBeLessThan(2 ** 26)
    expect(await statusOf(key)).toBe("Held")
  })

  it.each([400, 413, 415, 422])("with the status %d is about that file alone", async (status) => {
    const lines = captureConsole()
    const scanner = await startUrlScanner((asked) => asked.answer(status, { error: "It is too large for me." }))
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "Warning" })
    const keys = [(await sendHeld(ingest, "a")).key, (await sendHeld(ingest, "b")).key]
    await eventually(() => lines.length === 2)
    for (const key of keys)
      expect(lines.join("\n")).toMatch(new RegExp(`${key}.*answer was ${status}.*too large for me`))
    expect(lines.join("\n")).not.toContain("away")
    for (const key of keys) expect(await statusOf(key)).toBe("Held")
  })

  it.each([429, 503])("with the status %d is that of a scanner that is away, and files wait for it", async (status) => {
    const lines = captureConsole()
    let isAway = true
    const scanner = await startUrlScanner((asked) =>
      isAway ? asked.answer(status, {}) : asked.answer(200, { verdict: "release" }),
    )
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "Info" })
    const keys = [(await sendHeld(ingest, "a")).key, (await sendHeld(ingest, "b")).key]
    await eventually(() => lines.some((line) => line.includes("away")))
    isAway = false
    for (const key of keys) await eventually(async () => (await statusOf(key)) === "Uploaded")
    const told = lines.filter((line) => line.includes("scanner"))
    expect(told).toHaveLength(2)
    expect(told[0]).toMatch(new RegExp(`warning: The scanner is away.*${scanner.url} .*answer was ${status}`))
    expect(told[1]).toMatch(/info: The scanner answers again/)
  })

  it("is what a scanner with another secret gives", async () => {
    const lines = captureConsole()
    const other = `whsec_${Buffer.from("another secret of 32 bytes, long").toString("base64")}`
    const scanner = await startUrlScanner((asked) => asked.answer(200, { verdict: "release" }), { secret: other })
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "Warning" })
    const { key } = await sendHeld(ingest, "hello")
    await eventually(() => lines.some((line) => line.includes("answer was 401")))
    expect(scanner.asked).toEqual([])
    expect(await statusOf(key)).toBe("Held")
  })
})

describe("a scanner with a URL that is not there", () => {
  it("releases nothing, is logged once, and looks at what waits once it is back", async () => {
    const lines = captureConsole()
    const gone = await startUrlScanner(() => {})
    await gone.stop()
    const { ingest, statusOf } = await start(`${gone.url}?tenant=secret-of-the-query`, { logLevel: "Info" })
    const { key } = await sendHeld(ingest, "hello")
    const { key: other } = await sendHeld(ingest, bad)
    const ofScanner = () => lines.filter((line) => line.includes("scanner"))
    await eventually(() => ofScanner().length > 0)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect([await statusOf(key), await statusOf(other)]).toEqual(["Held", "Held"])
    await startUrlScanner(scanByContent(bad), { port: gone.port })
    await eventually(async () => (await statusOf(key)) === "Uploaded" && (await statusOf(other)) === "Failed")
    expect(ofScanner()).toEqual([
      expect.stringMatching(
        /warning: The scanner is away.*scanner=http:\/\/127\.0\.0\.1:\d+\/scan reason.*ECONNREFUSED/,
      ),
      expect.stringMatching(/info: The scanner answers again\./),
    ])
    expect(lines.join("\n")).not.toContain("secret-of-the-query")
  })

  it("is asked about the file by the same id, after a time and by the next ingest", async () => {
    let isGone = true
    const scanner = await startUrlScanner((asked) => (isGone ? asked.response.destroy() : asked.answer(503, {})))
    const catalog = createMemoryCatalog()
    const keep = { ...catalog, close: async () => {} }
    const first = await start(scanner.url, { catalog: keep })
    await sendHeld(first.ingest, "hello")
    await eventually(() => scanner.asked.length === 1)
    await first.ingest.close()
    isGone = false
    await start(scanner.url, { catalog })
    await eventually(() => scanner.asked.length === 2)
    const [one, two] = scanner.asked
    expect(two!.message.id).toBe(one!.message.id)
    expect(two!.message.sentAt).toBeGreaterThan(one!.message.sentAt)
  })
})

describe("the settings of a scanner with a URL", () => {
  const create =
    (scan: unknown, ingestUrl: string | undefined = "https://files.example") =>
    () =>
      createIngest({
        token,
        url: ingestUrl,
        logLevel: "None",
        store: createMemoryBlobStore(),
        catalog: createMemoryCatalog(),
        scan: scan as never,
      })
  const url = "https://scanner.internal/scan"

  it.each([
    [{ url, secret: "whsec_" }, /scan\.secret cannot be used.*24 to 64 bytes.*openssl/],
    [{ url, secret: "a password that is long enough" }, /scan\.secret/],
    [{ url, secret: `whsec_${btoa("x".repeat(23))}` }, /scan\.secret/],
    [{ url, secret: `whsec_${btoa("x".repeat(65))}` }, /scan\.secret/],
    [{ url }, /scan\.secret/],
    [{ url: "ftp://scanner", secret: scanSecret }, /scan\.url cannot be used\. Expected an http/],
    [{ url: "https://user:pass-word@scanner", secret: scanSecret }, /without user and password/],
    [{ url, secret: scanSecret, clamd: "tcp://127.0.0.1:3310" }, /both clamd and url/],
    [{ url, secret: scanSecret, ingestUrl: "https://a/?b" }, /scan\.ingestUrl.*without query/],
    [{ url, secret: scanSecret, ingestUrl: "nowhere" }, /scan\.ingestUrl/],
    [{ url, secret: scanSecret, secrt: "x" }, /scan: .*secrt/],
    [{}, /scan\.clamd/],
  ])("are refused where they cannot work: %#", (scan, message) => {
    expect(create(scan)).toThrow(TypeError)
    expect(create(scan)).toThrow(message)
    let text = ""
    try {
      create(scan)()
    } catch (error) {
      text = String(error)
    }
    for (const secret of [scanSecret, "pass-word", "a password that is long"]) expect(text).not.toContain(secret)
  })

  it("need an address of the ingest", async () => {
    const make = () =>
      createIngest({
        token,
        logLevel: "None",
        store: createMemoryBlobStore(),
        catalog: createMemoryCatalog(),
        scan: { url, secret: scanSecret },
      })
    expect(make).toThrow(/scan\.url needs the ingest's url/)
  })

  it.each([
    ["http://scanner.example/scan", 1],
    ["http://93.184.216.34/scan", 1],
    ["https://scanner.example/scan", 0],
    ["http://scanner:8080/scan", 0],
    ["http://scanner.internal/scan", 0],
    ["http://10.0.0.7/scan", 0],
    ["http://[::1]:8080/scan", 0],
  ])("that let strangers listen are logged at the start: %s", async (given, times) => {
    const lines = captureConsole()
    const ingest = createIngest({
      token,
      url: "https://files.example",
      logLevel: "Warning",
      store: createMemoryBlobStore(),
      catalog: createMemoryCatalog(),
      scan: { url: given, secret: scanSecret },
    })
    await ingest.close()
    expect(lines.filter((line) => line.includes("over http"))).toHaveLength(times)
  })

  it("say where the scanner reaches the ingest, whatever its public URL is", async () => {
    const scanner = await startUrlScanner(scanByContent(bad))
    let respond: Respond = async () => ({ status: 503, headers: {}, body: null })
    const inside = await listen(toNodeListener({ respond: (request) => respond(request) }))
    const outside = "https://files.example/base"
    const catalog = createMemoryCatalog()
    const ingest = createIngest({
      token,
      url: outside,
      logLevel: "None",
      store: createMemoryBlobStore(),
      catalog,
      scan: { url: scanner.url, secret: scanSecret, ingestUrl: `${inside}/` },
    })
    onTestFinished(ingest.close)
    respond = ingest.fetch.respond
    const { grant, signed } = await signHeld({ url: outside })
    await putRaw(signed.replace(outside, inside), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.file.hold === false)
    const { readUrl, verdictUrl } = scanner.asked[0]!.message
    for (const url of [readUrl, verdictUrl]) expect(url.startsWith(`${inside}/`)).toBe(true)
  })
})

describe("the secret of a scanner", () => {
  it("is in no log, no metric and no request", async () => {
    const lines = captureConsole()
    const scanner = await startUrlScanner(async (asked) => {
      await readAsked(asked)
      const name = asked.message.file.name
      if (name === "odd.txt") return asked.answer(500, { echo: asked.body, headers: asked.headers })
      asked.answer(200, { verdict: "release" })
    })
    const { ingest, statusOf } = await start(scanner.url, { logLevel: "All", metrics: "open" })
    const { key } = await sendHeld(ingest, "hello")
    await sendHeld(ingest, "odd", { name: "odd.txt" })
    await eventually(async () => (await statusOf(key)) === "Uploaded")
    await eventually(() => lines.some((line) => line.includes("does not decide")))
    const metrics = await (await fetch(`${ingest.url}/metrics`)).text()
    const said = [...lines, metrics].join("\n")
    expect(lines.length).toBeGreaterThan(3)
    expect(said).not.toContain(scanSecret.slice(6, 30))
    for (const { message, headers, body } of scanner.asked) {
      const signature = /signature=hmac-sha256%3D([0-9a-f]{64})/.exec(message.readUrl)![1]!
      expect(said).not.toContain(signature)
      expect(said).not.toContain(headers["webhook-signature"])
      expect(JSON.stringify(headers) + body).not.toContain(scanSecret.slice(6, 30))
      expect(body).not.toContain(apiKey)
    }
  })
})
