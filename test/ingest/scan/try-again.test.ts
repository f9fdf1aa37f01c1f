import { describe, expect, it, onTestFinished } from "vitest"
import { createChanges } from "../../../src/ingest/delivery/changes.ts"
import { createLimitedLog } from "../../../src/ingest/observe/limited-log.ts"
import { createMetrics } from "../../../src/ingest/observe/metrics.ts"
import type { Pauses } from "../../../src/ingest/scan/postponed.ts"
import { single } from "../../../src/ingest/processes/membership.ts"
import { createScans } from "../../../src/ingest/scan/scan-held.ts"
import { type Scanner, ScannerError, type ScannerReason } from "../../../src/ingest/scan/scanner.ts"
import type { Service } from "../../../src/ingest/service.ts"
import type { BlobStore, Catalog } from "../../../src/ingest.ts"
import { createLogContext, toWrite } from "../../../src/server-kit/logging.ts"
import { captureConsole } from "../capture-console.ts"
import { eventually, startIngest } from "../circle.ts"
import { commitHeld, sendHeld } from "./held.ts"

const readAll = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Files that are held by an ingest without a scanner, and what looks at them with pauses of some ms. */
const start = async (
  contents: ReadonlyArray<string>,
  scan: (content: string, signal: AbortSignal) => Promise<ReturnType<Scanner["scan"]>> | ReturnType<Scanner["scan"]>,
  change: (ports: { readonly store: BlobStore; readonly catalog: Catalog }) => Partial<Service> = () => ({}),
  away: Pauses = { shortest: 10, longest: 100 },
  { look = 20, most }: { readonly look?: number; readonly most?: number } = {},
) => {
  const lines = captureConsole()
  const ingest = await startIngest()
  const keys: Array<string> = []
  for (const content of contents) keys.push((await sendHeld(ingest, content)).key)
  const asked: Array<string> = []
  const scanner: Scanner = {
    address: "test:scanner",
    help: "Help.",
    scan: async (file, signal) => {
      const content = await readAll(file.read())
      asked.push(content)
      return scan(content, signal)
    },
  }
  const service = {
    apps: { isOne: () => true },
    catalog: ingest.catalog,
    store: ingest.store,
    changes: createChanges(),
    devStreams: { wake: () => {} },
    dispatcher: { wake: () => {} },
    membership: single,
    readers: { stop: () => {} },
    limitedLog: createLimitedLog(toWrite(createLogContext("Info", "text")), false),
    wakeHousekeeping: () => {},
    now: Date.now,
    settings: { maxConcurrentScans: 2 },
    ...change(ingest),
  } as unknown as Service
  const times = { look, away, file: { shortest: 10, longest: 10_000 } }
  const scans = createScans(service, scanner, createMetrics(), createLogContext("Info", "text"), times, most)
  onTestFinished(scans.close)
  const isHeld = async (key: string) => (await ingest.catalog.get(key))!.file.hold
  return { ingest, keys, lines, asked, scans, isHeld }
}

const fail = (reason: ScannerReason) => {
  throw new ScannerError(reason, "It fails.")
}

describe("a file about which the scanner does not decide", () => {
  it.each(["refused", "hungUp", "silent"] as const)("is tried again, and logged once: %s", async (reason) => {
    let left = 4
    const { keys, lines, asked, isHeld } = await start(["a"], async () =>
      left-- > 0 ? fail(reason) : { kind: "clean" },
    )
    await eventually(async () => !(await isHeld(keys[0]!)))
    expect(asked).toHaveLength(5)
    expect(lines.filter((line) => line.includes("does not decide"))).toHaveLength(1)
  })

  it("is not waited for once somebody has judged it, also where another process was told", async () => {
    let isAborted = false
    const { ingest, keys, asked } = await start(["a"], (_content, signal) => {
      signal.addEventListener("abort", () => (isAborted = true))
      return new Promise<never>(() => {})
    })
    await eventually(() => asked.length === 1)
    const { file } = (await ingest.catalog.get(keys[0]!))!
    await ingest.catalog.judgeHeld({
      appId: file.appId,
      files: [{ key: file.key }],
      verdict: { kind: "release" },
      now: Date.now(),
      createEventId: () => "evt_judged",
    })
    await eventually(() => isAborted)
  })

  it("does not keep the others from their turn, also where it ends the scanner", async () => {
    const { keys, isHeld } = await start(["poison", "a", "b"], async (content) =>
      content === "poison" ? fail("silent") : { kind: "clean" },
    )
    await eventually(async () => !(await isHeld(keys[1]!)) && !(await isHeld(keys[2]!)))
    expect(await isHeld(keys[0]!)).toBe(true)
  })

  it("does not keep another app's from their turn, however many of them there are", async () => {
    const { ingest, lines, asked, scans, isHeld } = await start(
      Array.from({ length: 30 }, () => "poison"),
      async (content) => (content === "poison" ? fail("refused") : { kind: "clean" }),
      () => ({ apps: { isOne: () => false } }) as Partial<Service>,
      undefined,
      { look: 60_000, most: 20 },
    )
    await eventually(() => lines.some((line) => line.includes("of an app")))
    const before = asked.length
    await commitHeld(ingest, { appId: "other", key: "other-file" }, "clean")
    scans.wake()
    await eventually(async () => !(await isHeld("other-file")))
    // Those beyond the app's share are not tried again at once.
    expect(asked.length - before).toBeLessThan(30)
  })

  it("is silent about as many as it likes: those of others are looked at as ever, however long it takes for them", async () => {
    const { ingest, keys, asked, scans, isHeld } = await start(
      Array.from({ length: 20 }, () => "poison"),
      (content) => (content === "poison" ? new Promise<never>(() => {}) : Promise.resolve({ kind: "clean" as const })),
      () => ({ apps: { isOne: () => false }, settings: { maxConcurrentScans: 4 } }) as Partial<Service>,
      undefined,
      { look: 60_000 },
    )
    await eventually(() => asked.length === 2)
    for (const key of ["other-1", "other-2", "other-3"]) {
      await commitHeld(ingest, { appId: "other", key }, "clean")
      scans.wake()
      await eventually(async () => !(await isHeld(key)))
    }
    expect(await isHeld(keys[0]!)).toBe(true)
  })

  it("is silent about as many of a user as it likes: those of the app's other users are looked at as ever", async () => {
    const { ingest, asked, scans, isHeld } = await start(
      [],
      async (content, signal) => {
        if (content === "clean") return { kind: "clean" }
        // It is given up after a time.
        await new Promise((resolve) => setTimeout(resolve, 300, signal))
        return fail("silent")
      },
      () => ({ settings: { maxConcurrentScans: 4 } }) as Partial<Service>,
      undefined,
      { look: 60_000 },
    )
    const commit = (owner: string, key: string, content: string) => commitHeld(ingest, { key }, content, owner)
    for (let count = 0; count < 100; count++) await commit("eve", `eve-${count}`, "toxic")
    scans.wake()
    await eventually(() => asked.length > 4)
    for (const key of ["ada-1", "ada-2"]) {
      await commit("ada", key, "clean")
      scans.wake()
      const before = asked.length
      await eventually(async () => !(await isHeld(key)))
      // Not one round of those that hang was waited for.
      expect(asked.length - before).toBeLessThan(8)
    }
  })

  it("about which it promises a verdict keeps none of an app waiting about whose files it decides at once", async () => {
    const { ingest, scans, asked, isHeld } = await start(
      [],
      async (content) =>
        content === "later" ? { kind: "later", until: Date.now() + 60_000 } : { kind: "clean" as const },
      () => ({ apps: { isOne: () => false }, settings: { maxConcurrentScans: 4 } }) as Partial<Service>,
      undefined,
      { look: 60_000 },
    )
    const commit = (appId: string, key: string, content: string) => commitHeld(ingest, { appId, key }, content)
    await commit("good", "good-0", "clean")
    scans.wake()
    await eventually(async () => !(await isHeld("good-0")))
    for (let count = 0; count < 5; count++) for (const app of ["a", "b"]) await commit(app, `${app}-${count}`, "later")
    scans.wake()
    await eventually(() => asked.filter((content) => content === "later").length === 3)
    await commit("good", "good-1", "clean")
    scans.wake()
    await eventually(async () => !(await isHeld("good-1")))
    expect(asked.filter((content) => content === "later")).toHaveLength(3)
  })

  it("about which it promises a verdict, and gives none, is as one about which it is silent", async () => {
    let promised = 0
    const { ingest, scans, isHeld } = await start(
      [],
      // The first three are over soon, and all others never.
      async () => ({ kind: "later", until: Date.now() + (++promised > 3 ? 60_000 : 30) }),
      () => ({ apps: { isOne: () => false }, settings: { maxConcurrentScans: 4 } }) as Partial<Service>,
      undefined,
      { look: 60_000 },
    )
    const keys: Array<string> = []
    for (const appId of ["a", "b"]) {
      for (let count = 0; count < 5; count++) {
        const key = `${appId}-${count}`
        keys.push(key)
        await commitHeld(ingest, { appId, key }, "later")
      }
    }
    scans.wake()
    // Both apps together have half of the four places by then.
    await eventually(() => promised === 5)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(promised).toBe(5)
    for (const key of keys) expect(await isHeld(key)).toBe(true)
  })

  it("that is tried again has half of the places, those that come after it are looked at first", async () => {
    const hung = new Map<string, number>()
    const { ingest, asked, scans, isHeld } = await start(["poison 1", "poison 2", "poison 3"], async (content) => {
      if (!content.startsWith("poison")) return { kind: "clean" }
      const count = hung.get(content) ?? 0
      hung.set(content, count + 1)
      // The second time it hangs.
      return count === 0 ? fail("silent") : new Promise<never>(() => {})
    })
    await eventually(() => [...hung.values()].some((count) => count === 2))
    for (const name of ["a", "b", "c"]) {
      const { key } = await sendHeld(ingest, name)
      scans.wake()
      await eventually(async () => !(await isHeld(key)))
    }
    expect([...hung.values()].filter((count) => count === 2)).toHaveLength(1)
    expect(asked.slice(-3)).toEqual(["a", "b", "c"])
  })

  it("stays held where its bytes cannot be read, or are not all there", async () => {
    let isBroken = true
    const { keys, lines, asked, isHeld } = await start(
      ["hello"],
      async () => ({ kind: "clean" }),
      ({ catalog }) => ({
        catalog: {
          ...catalog,
          readContent: async (id: number) => (await catalog.readContent(id))!.subarray(0, isBroken ? 4 : 5),
        },
      }),
    )
    await eventually(() => lines.length > 0)
    expect(lines).toEqual([expect.stringMatching(/error: A file that is held could not be scanned.*4 bytes of 5/s)])
    expect([asked, await isHeld(keys[0]!)]).toEqual([[], true])
    isBroken = false
    await eventually(async () => !(await isHeld(keys[0]!)))
  })
})

describe("the loop", () => {
  it("asks a scanner that is away one file at a time, and says so once", async () => {
    let isAway = true
    let isKnown = false
    let [most, now] = [0, 0]
    const { keys, lines, asked, isHeld } = await start(["a", "b", "c", "d"], async () => {
      const isCounted = isKnown
      if (isCounted) most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (isCounted) now--
      return isAway ? fail("away") : { kind: "clean" }
    })
    await eventually(() => lines.length > 0)
    isKnown = true
    const before = asked.length
    await eventually(() => asked.length > before + 4)
    expect(most).toBe(1)
    isAway = false
    for (const key of keys) await eventually(async () => !(await isHeld(key)))
    expect(lines).toEqual([
      expect.stringMatching(/warning: The scanner is away.*test:scanner.*It fails/),
      expect.stringMatching(/info: The scanner answers again/),
    ])
  })

  it.each(["away", "silent"] as const)("leaves a scanner alone that is %s, whoever wakes it", async (reason) => {
    const away = { shortest: 60_000, longest: 60_000 }
    const { lines, asked, scans } = await start(["a", "b", "c", "d"], async () => fail(reason), undefined, away)
    await eventually(() => lines.some((line) => line.includes("The scanner is away")))
    const before = asked.length
    for (let turn = 0; turn < 10; turn++) {
      scans.wake()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(asked).toHaveLength(before)
  })

  it("goes on after a catalog that failed", async () => {
    let failures = 2
    const { keys, lines, isHeld } = await start(
      ["a"],
      async () => ({ kind: "clean" }),
      ({ catalog }) => ({
        catalog: {
          ...catalog,
          listHeld: async (list) => {
            if (failures-- > 0) throw new Error("The catalog fails.")
            return catalog.listHeld(list)
          },
        },
      }),
    )
    await eventually(async () => !(await isHeld(keys[0]!)))
    expect(lines).toHaveLength(2)
  })

  it("ends though a scanner does not, and takes no verdict after that", async () => {
    const verdict = Promise.withResolvers<{ readonly kind: "clean" }>()
    const { keys, asked, scans, isHeld } = await start(["a"], () => verdict.promise)
    await eventually(() => asked.length === 1)
    await scans.close()
    verdict.resolve({ kind: "clean" })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([asked.length, await isHeld(keys[0]!)]).toEqual([1, true])
  })
})
