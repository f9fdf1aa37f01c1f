import { createHmac, hkdfSync } from "node:crypto"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { type Catalog, createMemoryCatalog, type IngestOptions } from "../../../src/ingest.ts"
import { createHeldUrls } from "../../../src/ingest/scan/held-urls.ts"
import { createSigner, names, signUrl } from "../../../src/protocol.ts"
import { captureConsole } from "../capture-console.ts"
import {
  apiKey,
  appId,
  catalogs,
  eventually,
  putRaw,
  randomContent,
  register,
  signer,
  startIngest,
  token,
} from "../circle.ts"
import { startFakeClamd } from "./fake-clamd.ts"
import { judge, scanSecret, type ScanMessage, startUrlScanner } from "./fake-url-scanner.ts"
import { sendHeld, signHeld } from "./held.ts"

const key = Buffer.from(scanSecret.slice(6), "base64")

describe.each(catalogs)("the URL by which a scanner reads a file (%s)", (_, create) => {
  /** An ingest whose scanner decides later, and what it was told of files. */
  const start = async (options: Partial<Omit<IngestOptions, "scan">> = {}) => {
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const scan = { url: scanner.url, secret: scanSecret }
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", ...options, scan })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const asked = async (key: string, before = 0): Promise<ScanMessage> => {
      const find = () => scanner.asked.slice(before).find(({ message }) => message.file.key === key)?.message
      await eventually(() => find() !== undefined)
      return find()!
    }
    const hold = async (...sent: [content: string | Uint8Array<ArrayBuffer>, given?: object]): Promise<ScanMessage> => {
      const before = scanner.asked.length
      return asked((await sendHeld(ingest, ...sent)).key, before)
    }
    return { ingest, api, asked, hold }
  }

  it.each([5, 300_000])("gives all of it, its head and parts of it, whatever it is: %d bytes", async (size) => {
    const { hold } = await start()
    const content = randomContent(size)
    const { readUrl, file } = await hold(content, { name: "a.html", type: "text/html" })
    const whole = await fetch(readUrl)
    expect([whole.status, Object.fromEntries(whole.headers)]).toMatchObject([
      200,
      {
        "content-type": "application/octet-stream",
        "content-disposition": "attachment",
        "content-length": String(size),
        "cache-control": "private, no-store",
        "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "accept-ranges": "bytes",
        etag: `"${file.fileHash}"`,
      },
    ])
    expect([...whole.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([])
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
    const head = await fetch(readUrl, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(size), ""])
    const part = await fetch(readUrl, { headers: { range: "bytes=1-3", "if-range": `"${file.fileHash}"` } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 1-3/${size}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1, 4))).toBe(true)
    expect((await fetch(readUrl, { headers: { range: `bytes=${size}-` } })).status).toBe(416)
    const digest = await fetch(readUrl, { method: "HEAD", headers: { "want-repr-digest": "sha-256=1" } })
    expect(digest.headers.get("repr-digest")).toContain("sha-256=:")
  })

  it("gives an empty file as well", async () => {
    const { hold } = await start()
    const answer = await fetch((await hold("")).readUrl)
    expect([answer.status, await answer.text()]).toEqual([200, ""])
  })

  it("takes no other method, lets no page read it, and no browser run it", async () => {
    const { hold } = await start()
    const { readUrl, verdictUrl } = await hold("hello")
    for (const method of ["PUT", "POST", "DELETE", "OPTIONS"]) {
      const answer = await fetch(readUrl, { method, headers: { origin: "https://elsewhere.example" } })
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
    expect((await fetch(verdictUrl)).status).toBe(405)
    expect((await fetch(readUrl, { headers: { "service-worker": "script" } })).status).toBe(403)
  })

  it("ends with the verdict and with the file, and is good for no newer file of its key", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const { ingest, api, hold } = await start({ scanTimeout: 24 * 60 * 60_000 })
    const [released, rejected, removed] = [await hold("a"), await hold("b"), await hold("c")]
    const all = [released, rejected, removed]
    for (const { readUrl } of all) expect((await fetch(readUrl)).status).toBe(200)
    await api.releaseFiles(released.file.key)
    await api.rejectFiles(rejected.file.key)
    await api.deleteFiles(removed.file.key)
    const expectGone = async () => {
      for (const { readUrl, verdictUrl } of all) {
        const answers = [await fetch(readUrl), await fetch(readUrl, { method: "HEAD" })]
        answers.push(await judge(verdictUrl, { verdict: "release" }), await judge(verdictUrl, { verdict: "reject" }))
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
      }
    }
    await expectGone()
    vi.setSystemTime(Date.now() + 10 * 60_000)
    const again = await hold("newer", { key: removed.file.key })
    await expectGone()
    expect(await (await fetch(again.readUrl)).text()).toBe("newer")
    expect((await ingest.catalog.get(removed.file.key))?.file.hold).toBe(true)
    expect(again.id).not.toBe(removed.id)
  })

  it("cannot be made, changed, prolonged, or used for something else", async () => {
    const { ingest, api, hold } = await start()
    const [one, two] = [await hold("one"), await hold("two")]
    const { readUrl, verdictUrl } = one
    const idOf = (url: string) => /\/(\d+)\?/.exec(url)![1]!
    const unsigned = readUrl.slice(0, readUrl.indexOf("&signature="))
    const path = unsigned.slice(ingest.url.length)
    const expires = one.expires
    const signWith = (secret: string, text: string) =>
      `${readUrl.slice(0, readUrl.indexOf("&signature="))}&signature=hmac-sha256%3D${createHmac("sha256", secret).update(text).digest("hex")}`
    const otherKeys = [apiKey, scanSecret, scanSecret.slice(6), key.toString("hex"), key.toString("latin1"), ""]
    const seal = Buffer.from(hkdfSync("sha256", key, "", "sluice-seal-1", 32)).toString("hex")
    const forged = [
      unsigned,
      `${readUrl}x`,
      readUrl.replace(/.$/, (c) => (c === "0" ? "1" : "0")),
      readUrl.replace(/signature=.*/, "signature="),
      readUrl.replace(/signature=.*/, `signature=hmac-sha256%3D${"0".repeat(64)}`),
      readUrl.replace(String(expires), String(expires + 1)),
      readUrl.replace(String(expires), "9".repeat(16)),
      readUrl.replace(one.file.key, two.file.key),
      readUrl.replace(`/${idOf(readUrl)}?`, `/${idOf(two.readUrl)}?`),
      readUrl.replace(`/${idOf(readUrl)}?`, `/0${idOf(readUrl)}?`),
      readUrl.replace(`/scan/`, "//scan/"),
      readUrl.replace(`/scan/`, "/%73can/"),
      verdictUrl.replace("/verdict/", "/scan/"),
      `${unsigned}&more=1${readUrl.slice(unsigned.length)}`,
      await signUrl(unsigned, signer),
      ...[...otherKeys, seal].flatMap((secret) => [signWith(secret, unsigned), signWith(secret, path)]),
      `${ingest.url}/scan/${one.file.key}/${idOf(readUrl)}`,
      (await api.generateSignedURL(one.file.key)).replace("/f/", "/scan/"),
      (await api.generateSignedURL(one.file.key)).replace(
        `/f/${one.file.key}`,
        `/scan/${one.file.key}/${idOf(readUrl)}`,
      ),
    ]
    for (const url of forged) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await fetch(url, { method })
        expect([403, 404], url).toContain(answer.status)
        expect(await answer.text()).not.toBe("one")
      }
    }
    expect((await fetch(readUrl.replace(/signature=.*/, "signature="))).status).toBe(403)
    const crossed = [
      readUrl.replace("/scan/", "/verdict/"),
      verdictUrl.replace(/.$/, "x"),
      `${ingest.url}/verdict/${one.file.key}/1`,
    ]
    for (const url of crossed) expect([403, 404]).toContain((await judge(url, { verdict: "release" })).status)
    expect((await ingest.catalog.get(one.file.key))?.file.hold).toBe(true)
    // And it opens no other door.
    for (const folder of ["f", "a/app-1"]) {
      expect((await fetch(readUrl.replace(/\/scan\/([^/]+)\/\d+/, `/${folder}/$1`))).status).toBe(404)
    }
    expect((await fetch(readUrl)).status).toBe(200)
  })

  it("opens nothing with an app's key, however the app signs", async () => {
    const { ingest, hold } = await start()
    const { file } = await hold("hello")
    const { file: record } = (await ingest.catalog.get(file.key))!
    // What an app could make, had it this code.
    for (const secret of [apiKey, Buffer.from(apiKey).toString("hex")]) {
      const url = await createHeldUrls(Buffer.from(secret)).sign("read", ingest.url, record, Date.now() + 60_000)
      expect((await fetch(url)).status).toBe(403)
      const signed = await signUrl(url.slice(0, url.indexOf("&signature=")), createSigner(secret))
      expect((await fetch(signed)).status).toBe(403)
    }
    const good = await createHeldUrls(key).sign("read", ingest.url, record, Date.now() + 60_000)
    expect((await fetch(good)).status).toBe(200)
  })

  it("expires", async () => {
    const { ingest, hold } = await start()
    const { file } = await hold("hello")
    const { file: record } = (await ingest.catalog.get(file.key))!
    const late = await createHeldUrls(key).sign("read", ingest.url, record, Date.now() - 1)
    const answer = await fetch(late)
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: "EXPIRED_URL" }])
  })

  it("is cut off where the file is deleted, or rejected, meanwhile", async () => {
    for (const way of ["deleteFiles", "rejectFiles"] as const) {
      const { ingest, api, hold } = await start()
      const { readUrl, file } = await hold(randomContent(20_000_000))
      const answer = await fetch(readUrl)
      const reader = answer.body!.getReader()
      await reader.read()
      await api[way](file.key)
      const rest = (async () => {
        let length = 0
        for (let read = await reader.read(); !read.done; read = await reader.read()) length += read.value.length
        return length
      })()
      await expect(rest, way).rejects.toThrow()
      await ingest.close()
    }
  })

  it("shares the places of its app's readers", async () => {
    const { ingest, hold } = await start({ maxConcurrentReads: 1 })
    const { readUrl } = await hold(randomContent(20_000_000))
    const first = await fetch(readUrl)
    const second = await fetch(readUrl)
    expect([first.status, second.status]).toEqual([200, 429])
    await first.body?.cancel()
    await ingest.close()
  })

  it("is there for a file that no app has registered yet", async () => {
    const { ingest, asked } = await start()
    const { grant, signed } = await signHeld(ingest, { slug: "avatar", registrationId: "r1" })
    const answer = putRaw(signed, "hello")
    const { readUrl, verdictUrl } = await asked(grant.key)
    expect(await (await fetch(readUrl)).text()).toBe("hello")
    expect((await judge(verdictUrl, { verdict: "release" })).status).toBe(200)
    await register(ingest.url, { id: "r1", fileKeys: [grant.key], awaitServerData: false })
    expect((await answer).status).toBe(200)
  })
})

describe("the URL by which a scanner judges a file", () => {
  it.each([
    ["nothing", "", 400],
    ["no JSON", "{", 400],
    ["no verdict", "{}", 400],
    ["another word", '{"verdict":"clean"}', 400],
    ["two verdicts", '{"verdict":"reject","verdict":"release"}', 400],
    ["a reason that is none", '{"verdict":"reject","reason":{}}', 400],
    ["too much", JSON.stringify({ verdict: "release", more: "x".repeat(20_000) }), 413],
  ])("refuses what is no verdict: %s", async (_, body, status) => {
    const lines = captureConsole()
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const ingest = await startIngest({ scan: { url: scanner.url, secret: scanSecret }, logLevel: "Warning" })
    const { key: held } = await sendHeld(ingest, "hello")
    await eventually(() => scanner.asked.length === 1)
    const { verdictUrl } = scanner.asked[0]!.message
    const answer = await fetch(verdictUrl, { method: "POST", body })
    expect([answer.status, await answer.json()]).toMatchObject([status, { code: "BAD_REQUEST" }])
    expect((await ingest.catalog.get(held))?.file.hold).toBe(true)
    expect(lines).toEqual([])
    expect((await judge(verdictUrl, { verdict: "release" })).status).toBe(200)
  })

  it("cuts the reason and keeps it on one line", async () => {
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const ingest = await startIngest({ scan: { url: scanner.url, secret: scanSecret } })
    const { key: held } = await sendHeld(ingest, "hello")
    await eventually(() => scanner.asked.length === 1)
    const reason = `a\u0000\r\nb می\u200cخواهم ${"😀".repeat(600)}`
    await judge(scanner.asked[0]!.message.verdictUrl, { verdict: "reject", reason })
    const { failure } = (await ingest.catalog.get(held))!.file
    expect(failure?.message).toMatch(/^a b می\u200cخواهم (?:😀)+…$/u)
    expect(failure!.message.length).toBeLessThanOrEqual(500)
    expect(failure!.message.isWellFormed()).toBe(true)
  })

  it("says that it does not count where somebody decides at the same moment", async () => {
    const inner = createMemoryCatalog()
    const catalog: Catalog = {
      ...inner,
      judgeHeld: async (judgement) => {
        await inner.judgeHeld({ ...judgement, verdict: { kind: "release" } })
        return inner.judgeHeld(judgement)
      },
    }
    const scanner = await startUrlScanner((asked) => asked.answer(202, {}))
    const ingest = await startIngest({ scan: { url: scanner.url, secret: scanSecret }, catalog })
    const { key: held } = await sendHeld(ingest, "hello")
    await eventually(() => scanner.asked.length === 1)
    expect((await judge(scanner.asked[0]!.message.verdictUrl, { verdict: "reject" })).status).toBe(404)
    expect((await catalog.get(held))?.file).toMatchObject({ status: "Uploaded", hold: false })
  })
})

describe("an ingest without a scanner that has a URL", () => {
  it.each(["none", "clamd"])("has no such addresses: %s", async (which) => {
    const clamd = await startFakeClamd(() => {})
    const ingest = await startIngest(which === "none" ? {} : { scan: { clamd: clamd.text } })
    const { key: held } = await sendHeld(ingest, "hello")
    const { file } = (await ingest.catalog.get(held))!
    for (const secret of [Buffer.alloc(32), Buffer.from(apiKey), Buffer.alloc(0)]) {
      const urls = createHeldUrls(secret)
      const [read, verdict] = [
        await urls.sign("read", ingest.url, file, Date.now() + 60_000),
        await urls.sign("judge", ingest.url, file, Date.now() + 60_000),
      ]
      expect((await fetch(read)).status).toBe(404)
      expect((await judge(verdict, { verdict: "release" })).status).toBe(404)
    }
    expect((await ingest.catalog.get(held))?.file.hold).toBe(true)
  })
})

describe.each(catalogs)("the URL by which an app looks at a file that is held (%s)", (_, create) => {
  const start = async () => {
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read" })
    return { ingest, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
  }
  const readAt = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  it("reads it as it will be read, for nobody to keep; then as any other, until it is rejected", async () => {
    const { ingest, api } = await start()
    const sent = { name: "a.png", type: "image/png", cache: "immutable" } as const
    const { key: held } = await sendHeld(ingest, "hello", sent)
    const urls = [
      await api.generateSignedURL(held, { held: true }),
      await api.getSignedURL(held, { held: true, download: "b.png" }),
    ]
    for (const url of urls) {
      const { status, text, headers } = await readAt(url)
      expect([status, text, headers.get("cache-control")]).toEqual([200, "hello", "private, no-store"])
      expect(headers.get("content-type")).toBe("image/png")
      expect((await readAt(url, { method: "HEAD" })).status).toBe(200)
      const part = await readAt(url, { headers: { range: "bytes=1-2" } })
      expect([part.status, part.text, part.headers.get("cache-control")]).toEqual([206, "el", "private, no-store"])
    }
    expect((await readAt(urls[1]!)).headers.get("content-disposition")).toBe("attachment; filename=b.png")
    await api.releaseFiles(held)
    const released = await readAt(urls[0]!)
    expect([released.status, released.text]).toEqual([200, "hello"])
    expect(released.headers.get("cache-control")).not.toContain("no-store")
    const { key: refused } = await sendHeld(ingest, "other", sent)
    const url = await api.generateSignedURL(refused, { held: true })
    expect((await readAt(url)).status).toBe(200)
    await api.rejectFiles(refused)
    expect((await readAt(url)).status).toBe(404)
  })

  it("has to say so, signed by its app, and of its key: to everybody else there is no such file", async () => {
    const { ingest, api } = await start()
    const { key: held } = await sendHeld(ingest, "hello")
    const { key: other } = await sendHeld(ingest, "other")
    const good = await api.generateSignedURL(held, { held: true })
    const plain = await api.generateSignedURL(held)
    const address = `${ingest.url}/f/${held}`
    const at = (parameters: string) => signUrl(`${address}?expires=${Date.now() + 60_000}${parameters}`, signer)
    const wrong = [
      address,
      plain,
      `${address}?x-sluice-held=true`,
      plain.replace("&signature", "&x-sluice-held=true&signature"),
      `${plain}&x-sluice-held=true`,
      good.replace(/.$/, (c) => (c === "0" ? "1" : "0")),
      good.replace(held, other),
      good.replace("/f/", `/a/${appId}/`),
      await at("&x-sluice-held=1"),
      await at("&x-sluice-held=true1"),
      await at("&x-sluice-file-name=&x-sluice-held%3Dtrue"),
      await signUrl(`${address}?x-sluice-held=true&expires=${Date.now() + 60_000}`, signer),
      await signUrl(good.replace(/&signature.*/, ""), createSigner("sk_another_0123456789abcdef")),
    ]
    for (const url of wrong) expect((await readAt(url)).status, url).toBe(404)
    expect((await readAt(await at("&x-sluice-held=true"))).status).toBe(200)
    const late = await signUrl(`${address}?expires=1&x-sluice-held=true`, signer)
    expect((await readAt(late)).text).toContain("EXPIRED_URL")
  })

  it("is no upload URL, needs a key, and is not given where none is held", async () => {
    const { ingest, api } = await start()
    const { key: held } = await sendHeld(ingest, "hello", { customId: "c1" })
    const url = await api.generateSignedURL(held, { held: true })
    expect((await fetch(url.replace("/f/", "/"), { method: "PUT", body: "hello" })).status).toBe(400)
    for (const ask of [
      api.getSignedURL("c1", { held: true, keyType: "customId" }),
      api.generateSignedURL("c1", { held: true, keyType: "customId" }),
    ]) {
      await expect(ask).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("by its key") })
    }
    await expect(api.getSignedURL(held, { held: "yes" as never })).rejects.toMatchObject({ code: "BAD_REQUEST" })
    const posted = await fetch(`${ingest.url}/v6/requestFileAccess`, {
      method: "POST",
      headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
      body: JSON.stringify({ customId: "c1", held: true }),
    })
    expect([posted.status, await posted.text()]).toEqual([400, expect.stringContaining("by its key")])
    await expect(api.getSignedURL(held)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(api.getSignedURL(held, { held: false })).rejects.toMatchObject({ code: "NOT_FOUND" })
    const unsent = await signHeld(ingest)
    await expect(api.getSignedURL(unsent.grant.key, { held: true })).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect((await fetch(await api.generateSignedURL(unsent.grant.key, { held: true }))).status).toBe(404)
    // One that no app has registered belongs to no app yet.
    const { grant, signed } = await signHeld(ingest, { slug: "avatar", registrationId: "r1" })
    const answer = putRaw(signed, "hello")
    await eventually(async () => (await ingest.catalog.get(grant.key))?.file.hold === true)
    const early = await api.generateSignedURL(grant.key, { held: true })
    expect((await fetch(early)).status).toBe(404)
    await register(ingest.url, { id: "r1", fileKeys: [grant.key], awaitServerData: false })
    expect((await answer).status).toBe(200)
    expect((await fetch(early)).status).toBe(200)
  })
})
