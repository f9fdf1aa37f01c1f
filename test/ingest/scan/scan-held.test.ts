import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { type Catalog, createDiskBlobStore, createSqliteCatalog } from "../../../src/ingest.ts"
import { createFileKey, encodeAppId, encodeToken } from "../../../src/protocol.ts"
import { makeFolder } from "../../make-folder.ts"
import { captureConsole } from "../capture-console.ts"
import {
  answerWith,
  appId,
  catalogs,
  createApp,
  eventually,
  putRaw,
  randomContent,
  register,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { answerAlways, answerByContent, type FakeScan, startFakeClamd } from "./fake-clamd.ts"
import { bad, sendHeld, signHeld } from "./held.ts"

/** A clamd whose scans wait until the test lets them go on. */
const startPausedClamd = async (answer: (scan: FakeScan) => unknown = answerByContent(bad)) => {
  const gate = Promise.withResolvers<void>()
  const clamd = await startFakeClamd(async (scan) => {
    await gate.promise
    await answer(scan)
  })
  return { clamd, go: () => gate.resolve() }
}

const statusesOf = async (api: SluiceApi) =>
  Object.fromEntries((await api.listFiles()).files.map(({ key, status }) => [key, status]))

describe.each(catalogs)("a scanner (%s)", (_, create) => {
  const start = async (clamd: string, options: Parameters<typeof startIngest>[0] = {}) => {
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", scan: { clamd }, ...options })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const statusOf = async (key: string) => (await statusesOf(api))[key]
    return { ingest, api, statusOf }
  }

  it.each([0, 5, 300_000])("releases a file that is clean, and sees all of it: %d bytes", async (size) => {
    const { clamd, go } = await startPausedClamd()
    const { ingest, statusOf } = await start(clamd.text)
    const content = randomContent(size)
    const { key } = await sendHeld(ingest, content)
    expect(await statusOf(key)).toBe("Held")
    go()
    await eventually(async () => (await statusOf(key)) === "Uploaded")
    expect(clamd.scans).toHaveLength(1)
    expect(clamd.scans[0]!.read().equals(content)).toBe(true)
    expect((await fetch(`${ingest.url}/f/${key}`)).status).toBe(200)
  })

  it("rejects a file in which it finds something: its app and its sender are told what", async () => {
    const app = await startApp()
    const clamd = await startFakeClamd(answerByContent(bad))
    const { ingest, statusOf } = await start(clamd.text)
    const { grant, signed } = await signHeld(ingest, { slug: "avatar", size: bad.length })
    await register(ingest.url, { fileKeys: [grant.key], awaitServerData: true, callbackUrl: app.url })
    const answer = await putRaw(signed, bad)
    const message = "The file was rejected: the scanner found Test.Signature."
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: "REJECTED", detail: message }])
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ status: "failed", error: { code: "REJECTED", message } })
    expect(await statusOf(grant.key)).toBe("Failed")
  })

  it("lets the app's own code run only once the file is clean", async () => {
    const app = await startApp(answerWith("kept"))
    const { clamd, go } = await startPausedClamd()
    const { ingest } = await start(clamd.text)
    const { grant, signed } = await signHeld(ingest, { slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], awaitServerData: true, callbackUrl: app.url })
    const answer = putRaw(signed, "hello")
    await eventually(() => clamd.scans.length === 1)
    expect(app.received).toEqual([])
    go()
    expect(await (await answer).json()).toMatchObject({ serverData: "kept" })
    expect(app.received).toHaveLength(1)
  })

  it("is waited for where nobody reads the file, at any address", async () => {
    const { clamd, go } = await startPausedClamd()
    const { ingest, api, statusOf } = await start(clamd.text)
    const { key } = await sendHeld(ingest, "hello", { customId: "mine" })
    const signed = await api.generateSignedURL(key, { expiresIn: "1 hour" })
    const addresses = [
      `${ingest.url}/f/${key}`,
      `${ingest.url}/a/${appId}/${key}`,
      `${ingest.url}/a/${appId}/mine`,
      signed,
    ]
    const ask = () =>
      Promise.all(
        addresses.flatMap((address) =>
          [{}, { method: "HEAD" }, { headers: { range: "bytes=0-1" } }].map(
            async (init) => (await fetch(address, init)).status,
          ),
        ),
      )
    expect(new Set(await ask())).toEqual(new Set([404]))
    await expect(api.getSignedURL(key)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(api.getSignedURL("mine", { keyType: "customId" })).rejects.toMatchObject({ code: "NOT_FOUND" })
    go()
    await eventually(async () => (await statusOf(key)) === "Uploaded")
    expect(new Set(await ask())).toEqual(new Set([200, 206]))
    expect((await fetch(await api.getSignedURL(key))).status).toBe(200)
  })

  it("that is not there releases nothing, is asked less and less, and looks at what waits once it is back", async () => {
    const lines = captureConsole()
    const gone = await startFakeClamd(() => {})
    await gone.stop()
    const { ingest, api, statusOf } = await start(gone.text, { logLevel: "Info" })
    const { key } = await sendHeld(ingest, "hello")
    const { key: other } = await sendHeld(ingest, bad)
    const ofScanner = () => lines.filter((line) => line.includes("scanner"))
    await eventually(() => ofScanner().length > 0)
    // Asked again after a second.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(Object.values(await statusesOf(api))).toEqual(["Held", "Held"])
    const port = "port" in gone.address ? gone.address.port : 0
    await startFakeClamd(answerByContent(bad), { port })
    await eventually(async () => (await statusOf(key)) === "Uploaded" && (await statusOf(other)) === "Failed")
    expect(ofScanner()).toEqual([
      expect.stringMatching(/warning: The scanner is away.*tcp:\/\/127\.0\.0\.1.*ECONNREFUSED/),
      expect.stringMatching(/info: The scanner answers again\..*waiting=1/),
    ])
    expect((await fetch(`${ingest.url}/health/ready`)).status).not.toBe(503)
  })

  it("that refuses a file keeps it held, says so once, and goes on with the others", async () => {
    const lines = captureConsole()
    const clamd = await startFakeClamd(async (scan) => {
      await scan.whole
      const isLarge = scan.read().length > 100
      scan.socket.end(isLarge ? "INSTREAM size limit exceeded. ERROR\0" : "stream: OK\0")
    })
    const { ingest, statusOf } = await start(clamd.text, { logLevel: "Warning", maxConcurrentScans: 1 })
    const { key } = await sendHeld(ingest, "x".repeat(101))
    const others = [await sendHeld(ingest, "a"), await sendHeld(ingest, "b")]
    for (const other of others) await eventually(async () => (await statusOf(other.key)) === "Uploaded")
    expect(await statusOf(key)).toBe("Held")
    expect(clamd.scans.filter((scan) => scan.read().length === 101)).toHaveLength(1)
    expect(lines).toEqual([expect.stringMatching(`${key}.*size limit exceeded.*StreamMaxLength.*releaseFiles`)])
  })

  it("that says nothing in time decides nothing, and is asked about others meanwhile", async () => {
    const lines = captureConsole()
    const clamd = await startFakeClamd(async (scan) => {
      await scan.whole
      if (!scan.read().includes("slow")) scan.socket.end("stream: OK\0")
    })
    const { ingest, statusOf } = await start(clamd.text, { logLevel: "Warning", scanTimeout: 2000 })
    const { key } = await sendHeld(ingest, "slow")
    await eventually(() => lines.some((line) => line.includes(key)))
    expect(lines.join("\n")).toMatch(/did not answer within 2 s/)
    const { key: other } = await sendHeld(ingest, "fast")
    await eventually(async () => (await statusOf(other)) === "Uploaded")
    expect(await statusOf(key)).toBe("Held")
    await clamd.scans[0]!.closed
  })

  it("is interrupted when the file is deleted, or judged by hand, and nothing is logged", async () => {
    const lines = captureConsole()
    const { clamd, go } = await startPausedClamd(answerAlways("stream: Test FOUND"))
    const { ingest, api, statusOf } = await start(clamd.text, { logLevel: "Warning" })
    const files = [await sendHeld(ingest, "a"), await sendHeld(ingest, "b"), await sendHeld(ingest, "c")] as const
    await eventually(() => clamd.scans.length === 3)
    await api.deleteFiles(files[0].key)
    await api.releaseFiles(files[1].key)
    await api.rejectFiles(files[2].key, { reason: "It is not wanted." })
    for (const scan of clamd.scans) await scan.closed
    go()
    expect(await statusOf(files[1].key)).toBe("Uploaded")
    expect((await ingest.catalog.get(files[2].key))?.file.failure).toEqual({
      code: "REJECTED",
      message: "It is not wanted.",
    })
    expect(lines).toEqual([])
  })

  it("gives no verdict to a newer file of the same key", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const clamd = await startFakeClamd(async (scan) => {
      await scan.whole
      if (scan.read().includes("first")) scan.socket.end("stream: OK\0")
    })
    const inner = create()
    const judged = Promise.withResolvers<ReadonlyArray<unknown>>()
    let meanwhile = async (): Promise<void> => {}
    const catalog: Catalog = {
      ...inner,
      // What happens between the answer of the scanner and the verdict.
      judgeHeld: async (judgement) => {
        await meanwhile().catch(judged.reject)
        const uploads = await inner.judgeHeld(judgement)
        judged.resolve(uploads)
        return uploads
      },
    }
    const { ingest, api, statusOf } = await start(clamd.text, { catalog })
    const { grant, signed } = await signHeld(ingest)
    meanwhile = async () => {
      await api.deleteFiles(grant.key)
      // Its key is taken again once no URL of before can mean it.
      vi.setSystemTime(Date.now() + 10 * 60_000)
      await sendHeld(ingest, "again", { key: grant.key })
    }
    expect((await putRaw(signed, "first")).status).toBe(200)
    expect(await judged.promise).toEqual([])
    expect(await statusOf(grant.key)).toBe("Held")
    await eventually(() => clamd.scans.some((scan) => scan.read().includes("again")))
  })

  it("looks at the file of a small app at once, however many a large one has, and however long its scans take", async () => {
    const gate = Promise.withResolvers<void>()
    const asked: Array<string> = []
    const clamd = await startFakeClamd(async (scan) => {
      await scan.whole
      asked.push(scan.read().toString())
      await gate.promise
      scan.socket.end("stream: OK\0")
    })
    const catalog = create()
    await createApp(catalog, { id: "acme", keys: ["sk_acme"] })
    const { ingest, api } = await start(clamd.text, { catalog })
    for (let n = 0; n < 50; n++) await sendHeld(ingest, `many ${n}`)
    // Of the four places an app has half, until the scanner was prompt about one of its files.
    await eventually(() => asked.length === 2)
    const grant = { appId: "acme", key: createFileKey(encodeAppId("acme")) }
    await sendHeld(ingest, "one", grant, "sk_acme")
    await eventually(() => asked.length === 3)
    expect(asked.at(-1)).toBe("one")
    expect(asked.slice(0, 2).toSorted()).toEqual(["many 0", "many 1"])
    gate.resolve()
    await eventually(async () => Object.values(await statusesOf(api)).every((status) => status === "Uploaded"))
    expect(asked).toHaveLength(51)
    const acme = new SluiceApi({
      token: encodeToken({ apiKey: "sk_acme", appId: "acme", regions: ["local"] }),
      ingestUrl: ingest.url,
    })
    expect((await acme.listFiles()).files).toMatchObject([{ status: "Uploaded" }])
  })

  it("is counted in the metrics", async () => {
    const clamd = await startFakeClamd(answerByContent(bad))
    const { ingest, statusOf } = await start(clamd.text, { metrics: "open" })
    const [good, evil] = [await sendHeld(ingest, "good"), await sendHeld(ingest, bad)]
    await eventually(async () => (await statusOf(good.key)) === "Uploaded" && (await statusOf(evil.key)) === "Failed")
    const metrics = await (await fetch(`${ingest.url}/metrics`)).text()
    expect(metrics).toContain('sluice_scans_total{verdict="clean"} 1')
    expect(metrics).toContain('sluice_scans_total{verdict="found"} 1')
    expect(metrics).toContain("sluice_scans_active 0")
  })
})

describe("an ingest that is closed", () => {
  it("aborts its scans, and the next one makes them again", async () => {
    const folder = await makeFolder()
    const open = () => ({
      store: createDiskBlobStore({ folder: `${folder}/blobs` }),
      catalog: createSqliteCatalog({ file: `${folder}/catalog.sqlite` }),
    })
    const { clamd } = await startPausedClamd()
    const first = await startIngest({ ...open(), scan: { clamd: clamd.text } })
    const large = randomContent(300_000)
    const keys = [(await sendHeld(first, "small")).key, (await sendHeld(first, large)).key]
    await eventually(() => clamd.scans.length === 2)
    await first.close()
    for (const scan of clamd.scans) await scan.closed
    const next = await startFakeClamd(answerAlways("stream: OK"))
    const second = await startIngest({ ...open(), scan: { clamd: next.text } })
    const api = new SluiceApi({ token, ingestUrl: second.url })
    await eventually(async () => Object.values(await statusesOf(api)).every((status) => status === "Uploaded"))
    expect(Object.keys(await statusesOf(api)).toSorted()).toEqual(keys.toSorted())
    expect(next.scans.some((scan) => scan.read().equals(large))).toBe(true)
  })
})

describe("the settings of a scanner", () => {
  it.each([
    [{ clamd: "localhost" }, /INVALID_CONFIG: .*scan\.clamd.*"localhost".*unix:/],
    [{ clamav: "tcp://localhost:3310" }, /INVALID_CONFIG: .*scan.*clamav/],
    [{}, /INVALID_CONFIG: .*scan\.clamd/],
  ])("are checked: %o", async (scan, message) => {
    await expect(startIngest({ scan: scan as never })).rejects.toThrow(message)
  })
})
