import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createClamd } from "../../../src/ingest/scan/clamd.ts"
import { parseClamdAddress } from "../../../src/schema/clamd-address.ts"
import { makeFolder } from "../../make-folder.ts"
import { randomContent } from "../circle.ts"
import { answerAlways, type FakeScan, startFakeClamd } from "./fake-clamd.ts"

const toBytes = async function* (...chunks: ReadonlyArray<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk
}

/** A file without an end, and how much was taken of it. */
const createEndless = () => {
  let pulled = 0
  let isClosed = false
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        pulled += 65_536
        yield new Uint8Array(65_536)
      }
    } finally {
      isClosed = true
    }
  }
  return { bytes: read(), pulled: () => pulled, isClosed: () => isClosed }
}

const never = new AbortController().signal

/** Scans once, by a clamd that does this. */
const scan = async (
  handle: (scan: FakeScan) => unknown,
  bytes: AsyncIterable<Uint8Array> = toBytes("hello"),
  { timeout = 20_000, signal = never, path }: { timeout?: number; signal?: AbortSignal; path?: string } = {},
) => {
  const clamd = await startFakeClamd(handle, path === undefined ? {} : { path })
  const verdict = createClamd(clamd.address, clamd.text, timeout).scan({ read: () => bytes }, signal)
  verdict.catch(() => {})
  return { clamd, verdict }
}

describe("what clamd answers", () => {
  it("is clean, or has a name", async () => {
    expect(await (await scan(answerAlways("stream: OK"))).verdict).toEqual({ kind: "clean" })
    const found = await scan(answerAlways("stream: Win.Test.EICAR_HDB-1 FOUND"))
    expect(await found.verdict).toEqual({
      kind: "found",
      name: "Win.Test.EICAR_HDB-1",
      reason: "The file was rejected: the scanner found Win.Test.EICAR_HDB-1.",
    })
  })

  it("may come one byte at a time, over a socket of the machine", async () => {
    const path = join(await makeFolder(), "clamd.ctl")
    const byByte = async ({ socket, whole }: FakeScan) => {
      await whole
      for (const byte of Buffer.from("stream: Eicar FOUND\0 and more")) {
        socket.write(Buffer.of(byte))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const { verdict } = await scan(byByte, toBytes("hello"), { path })
    expect(await verdict).toMatchObject({ kind: "found", name: "Eicar" })
  })

  it("is shown on one line, and short", async () => {
    const name = `A\u001b[31m\nB\u202e${"x".repeat(300)}`
    const { verdict } = await scan(answerAlways(`stream: ${name} FOUND`))
    const found = await verdict
    expect(found).toMatchObject({ kind: "found", name: expect.stringMatching(/^A \[31m B x{80,}…$/) })
    expect("name" in found && found.name?.length).toBe(100)
    const nameless = await scan(answerAlways("stream: \u0001 FOUND"))
    expect(await nameless.verdict).toMatchObject({ kind: "found", name: "something without a name" })
  })

  it.each([
    ["stream: Can't allocate memory ERROR", /Can't allocate memory/],
    ["INSTREAM size limit exceeded. ERROR", /size limit exceeded/],
    ["UNKNOWN COMMAND", /UNKNOWN COMMAND/],
    ["stream: OK and more", /OK and more/],
    ["", /It answers/],
  ])("decides nothing otherwise: %s", async (answer, message) => {
    const { verdict } = await scan(answerAlways(answer))
    await expect(verdict).rejects.toMatchObject({
      name: "ScannerError",
      reason: "refused",
      message: expect.stringMatching(message),
    })
  })

  it("has to end", async () => {
    const { verdict } = await scan(({ socket }) => socket.write("stream: ".padEnd(100_000, "x")))
    await expect(verdict).rejects.toMatchObject({ reason: "refused", message: expect.stringMatching(/no end/) })
    const cut = await scan(async ({ socket, whole }) => {
      await whole
      socket.end("stream: OK")
    })
    await expect(cut.verdict).rejects.toMatchObject({ reason: "silent" })
  })

  it("is not believed where it calls a file clean of which it has only a part", async () => {
    const { bytes } = createEndless()
    const { verdict } = await scan(({ socket }) => socket.write("stream: OK\0"), bytes)
    await expect(verdict).rejects.toMatchObject({
      reason: "refused",
      message: expect.stringMatching(/before it had all/),
    })
  })
})

describe("what clamd gets", () => {
  it.each([
    ["nothing", []],
    ["empty chunks", ["", "a", "", "b", ""]],
    ["chunks of many sizes", [1, 4, 65_535, 65_536, 65_537, 200_000].map((size) => randomContent(size))],
    ["3 MB", [randomContent(3_000_000)]],
  ])("is the file, byte by byte: %s", async (_, chunks) => {
    const { clamd, verdict } = await scan(answerAlways("stream: OK"), toBytes(...chunks))
    expect(await verdict).toEqual({ kind: "clean" })
    const sent = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as Uint8Array)))
    expect(clamd.scans[0]!.read().equals(sent)).toBe(true)
    await clamd.scans[0]!.closed
  })

  it("is no more once it has answered, as where the file is too large for it", async () => {
    const endless = createEndless()
    const { clamd, verdict } = await scan(async ({ socket, read }) => {
      while (read().length < 100_000) await new Promise((resolve) => setTimeout(resolve, 1))
      // As clamd does it: what comes meanwhile is not read.
      socket.pause().end("INSTREAM size limit exceeded. ERROR\0")
      socket.destroySoon()
    }, endless.bytes)
    await expect(verdict).rejects.toMatchObject({
      reason: "refused",
      message: expect.stringMatching(/size limit exceeded/),
    })
    await clamd.scans[0]!.closed
    await expect.poll(endless.isClosed).toBe(true)
  })

  it("may end without an answer that can be read", async () => {
    const hangUp = async ({ socket, read }: FakeScan) => {
      while (read().length < 1_000_000) await new Promise((resolve) => setTimeout(resolve, 1))
      socket.destroy()
    }
    const { verdict } = await scan(hangUp, createEndless().bytes)
    await expect(verdict).rejects.toMatchObject({ reason: "hungUp", message: expect.stringMatching(/too large/) })
  })

  it("is pulled no faster than it is taken", async () => {
    const endless = createEndless()
    const { verdict } = await scan(({ socket }) => socket.pause(), endless.bytes, { timeout: 1000 })
    await expect(verdict).rejects.toMatchObject({ reason: "silent" })
    // What the system keeps of two sockets.
    expect(endless.pulled()).toBeLessThan(20_000_000)
    await expect.poll(endless.isClosed).toBe(true)
  })

  it("ends with an error of the file", async () => {
    const broken = async function* () {
      yield new Uint8Array(10)
      throw new Error("The disk is broken.")
    }
    const { clamd, verdict } = await scan(() => {}, broken())
    await expect(verdict).rejects.toThrow("The disk is broken.")
    await clamd.scans[0]!.closed
  })

  it("ends when nobody wants to know any more", async () => {
    const aborting = new AbortController()
    const endless = createEndless()
    const { clamd, verdict } = await scan(() => {}, endless.bytes, { signal: aborting.signal })
    await expect.poll(() => clamd.scans[0]?.read().length).toBeGreaterThan(0)
    aborting.abort()
    await expect(verdict).rejects.toThrow(/abort/)
    await clamd.scans[0]!.closed
    const late = await scan(() => {}, toBytes("x"), { signal: aborting.signal })
    await expect(late.verdict).rejects.toThrow(/abort/)
  })
})

describe("a clamd", () => {
  it("that is not there is away", async () => {
    const clamd = await startFakeClamd(() => {})
    await clamd.stop()
    const verdict = createClamd(clamd.address, clamd.text, 20_000).scan({ read: () => toBytes("x") }, never)
    await expect(verdict).rejects.toMatchObject({ reason: "away", message: expect.stringMatching(/ECONNREFUSED/) })
    const noSocket = createClamd({ path: join(await makeFolder(), "no.ctl") }, "", 20_000).scan(
      { read: () => toBytes("x") },
      never,
    )
    await expect(noSocket).rejects.toMatchObject({ reason: "away", message: expect.stringMatching(/ENOENT/) })
  })

  it("that hangs up, or says nothing in time, is silent: the file may be the cause", async () => {
    const hangsUp = await scan(({ socket }) => socket.destroy())
    await expect(hangsUp.verdict).rejects.toMatchObject({
      reason: "silent",
      message: expect.stringMatching(/closed the connection/),
    })
    const atOnce = await scan(({ socket }) => socket.destroy(), createEndless().bytes)
    await expect(atOnce.verdict).rejects.toMatchObject({ reason: "silent" })
    const { clamd, verdict } = await scan(() => {}, toBytes("x"), { timeout: 50 })
    await expect(verdict).rejects.toMatchObject({ reason: "silent", message: expect.stringMatching(/within 0\.1 s/) })
    await clamd.scans[0]!.closed
  })

  it("leaves nothing behind in the process", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const before = timers()
    const { verdict } = await scan(answerAlways("stream: OK"))
    await verdict
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

describe("the address of a clamd", () => {
  it.each([
    ["unix:/var/run/clamav/clamd.ctl", { path: "/var/run/clamav/clamd.ctl" }],
    ["tcp://127.0.0.1:3310", { host: "127.0.0.1", port: 3310 }],
    ["tcp://clamd.internal:3310", { host: "clamd.internal", port: 3310 }],
    ["tcp://[::1]:3310", { host: "::1", port: 3310 }],
  ])("%s", (text, value) => {
    expect(parseClamdAddress(text)).toEqual({ ok: true, value })
  })

  it.each([
    "",
    "/var/run/clamav/clamd.ctl",
    "unix:clamd.ctl",
    "localhost:3310",
    "tcp://localhost",
    "tcp://localhost:0",
    "tcp://localhost:65536",
    "tcp://a b:1",
    "http://localhost:3310",
    "tcp://localhost:3310/",
  ])("is refused: %s", (text) => {
    const refused = parseClamdAddress(text)
    // `unix://` is the root folder, which no clamd listens on; the path is the operator's.
    if (text === "unix://") expect(refused).toMatchObject({ ok: true })
    else expect(refused).toMatchObject({ ok: false, code: "INVALID_CONFIG", detail: /unix:.*tcp:/ })
  })
})
