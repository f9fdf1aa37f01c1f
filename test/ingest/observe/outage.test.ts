import { describe, expect, it } from "vitest"
import {
  BlobStoreError,
  type Catalog,
  CatalogError,
  createMemoryBlobStore,
  createMemoryCatalog,
} from "../../../src/ingest.ts"
import { createOutageWatch } from "../../../src/ingest/observe/outage.ts"
import { captureConsole } from "../capture-console.ts"
import { createGrant, eventually, putRaw, sign, startIngest } from "../circle.ts"

const away = () => new CatalogError("io", "The catalog could not be used (ECONNREFUSED).")

const watching = () => {
  const entries: Array<readonly [severity: string, message: string, details: ReadonlyArray<unknown>]> = []
  const clock = { now: 0 }
  const watch = createOutageWatch(
    "The catalog",
    (...entry) => entries.push(entry),
    () => clock.now,
  )
  const count = (message: string) => entries.filter((entry) => entry[1].includes(message)).length
  return { ...watch, entries, clock, count }
}

describe("the watch of a port", () => {
  it("says once that it fails, with the first cause, and once that it works again", () => {
    const { failed, succeeded, entries, clock } = watching()
    const first = away()
    failed("begin", first)
    for (clock.now = 250; clock.now <= 20_000; clock.now += 250) failed("look", away())
    clock.now = 30_000
    succeeded()
    succeeded()
    expect(entries).toEqual([
      ["Error", expect.stringMatching(/^The catalog fails: /), [{ operation: "begin" }, first]],
      ["Info", "The catalog works again.", [{ seconds: 20, failed: 81 }]],
    ])
  })

  it("says once of each reason that it still fails, and which one it is", () => {
    const { failed, succeeded, entries, clock } = watching()
    const because = (code: string) => new CatalogError("io", `SQLSTATE ${code}`, Object.assign(new Error(), { code }))
    failed("begin", away())
    // All of a server that goes, and comes back.
    for (const code of ["57P01", "ECONNRESET", "ECONNREFUSED", "57P03", "08006"]) failed("begin", because(code))
    expect(entries).toHaveLength(1)
    for (let count = 0; count < 3; count++) failed("commit", because("25006"))
    failed("look", because("ECONNREFUSED"))
    failed("look", new CatalogError("full", "No room", Object.assign(new Error(), { code: "53100" })))
    expect(entries.slice(1)).toEqual([
      ["Error", "The catalog still fails, for another reason.", [{ operation: "commit" }, because("25006")]],
      ["Error", "The catalog still fails, for another reason.", [{ operation: "look" }, expect.any(CatalogError)]],
    ])
    for (let count = 0; count < 100; count++) failed("look", because(`XX${count}`))
    expect(entries).toHaveLength(11)
    clock.now = 3_600_000
    succeeded()
    failed("begin", because("25006"))
    expect(entries.at(-1)).toMatchObject([
      "Error",
      expect.stringMatching(/^The catalog fails: /),
      [{ operation: "begin" }, {}],
    ])
  })

  it("goes on while a part of it works", () => {
    const { failed, succeeded, entries, clock } = watching()
    for (clock.now = 0; clock.now < 60_000; clock.now += 5000) {
      failed("begin", away())
      succeeded()
    }
    expect(entries).toHaveLength(1)
  })

  it("says ever less often that it fails again and again", () => {
    const { failed, succeeded, count, clock } = watching()
    for (clock.now = 0; clock.now < 24 * 3_600_000; clock.now += 60_000) {
      failed("expire", away())
      clock.now += 59_000
      succeeded()
    }
    expect(count("fails")).toBeLessThan(8)
    clock.now += 3_600_000
    succeeded()
    clock.now += 3_600_000
    failed("expire", away())
    clock.now += 10_000
    succeeded()
    expect(count("fails")).toBe(count("works again"))
  })

  it("says nothing of a port that is closed", () => {
    const { failed, end, entries } = watching()
    end()
    failed("get", away())
    expect(entries).toEqual([])
  })

  it("knows refusals from outages", () => {
    const { failed, entries } = watching()
    failed("append", new BlobStoreError("fenced", "A newer writer has taken over."))
    failed("read", new BlobStoreError("missing", "There are no such bytes."))
    failed("begin", new CatalogError("busy", "Another process holds it."))
    failed("begin", new TypeError("a fault of ours"))
    expect(entries).toEqual([])
    failed("append", new BlobStoreError("full", "No room is left."))
    expect(entries).toHaveLength(1)
  })
})

/** A memory catalog whose every answer fails as long as `isAway` says so. */
const createUnsteadyCatalog = () => {
  const state = { isAway: false, calls: 0 }
  const catalog = createMemoryCatalog()
  const unsteady = Object.fromEntries(
    Object.entries(catalog).map(([name, member]: [string, unknown]) => [
      name,
      typeof member !== "function" || name === "close"
        ? member
        : (...args: ReadonlyArray<unknown>): unknown => {
            if (!state.isAway) return member.apply(catalog, args)
            state.calls++
            return Promise.reject(away())
          },
    ]),
  ) as unknown as Catalog
  return { state, catalog: unsteady }
}

describe("an ingest whose catalog is away", () => {
  it("logs that once, though every request and its own work fail", async () => {
    const printed = captureConsole()
    const { state, catalog } = createUnsteadyCatalog()
    const { url } = await startIngest({ catalog, logLevel: "Info", logFormat: "json" })
    state.isAway = true
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await putRaw(await sign(url, createGrant()), "hello")).status),
    )
    expect(new Set(statuses)).toEqual(new Set([503]))
    // As a load balancer asks.
    for (let asked = 0; asked < 5; asked++) expect((await fetch(`${url}/ready`)).status).toBe(503)
    await eventually(() => state.calls > 31)
    const lines = printed.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      { message: expect.stringMatching(/^The catalog fails: /), cause: expect.stringContaining("ECONNREFUSED") },
    ])
    const refused = lines.filter(({ level }) => level === "warning")
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(10)
    for (const line of refused) expect(line).not.toHaveProperty("cause")
    state.isAway = false
    await eventually(async () => (await fetch(`${url}/ready`)).status === 200)
  })

  it("logs once that it is not ready, and again when it no longer is", async () => {
    const printed = captureConsole()
    const { state, catalog } = createUnsteadyCatalog()
    const { url } = await startIngest({ catalog, logLevel: "Info", logFormat: "json" })
    const countWarnings = () => printed.filter((line) => line.includes('"route":"/ready"')).length
    for (let times = 1; times <= 2; times++) {
      state.isAway = true
      await eventually(async () => (await fetch(`${url}/ready`)).status === 503)
      for (let asked = 0; asked < 5; asked++) expect((await fetch(`${url}/ready`)).status).toBe(503)
      expect(countWarnings()).toBe(times)
      state.isAway = false
      await eventually(async () => (await fetch(`${url}/ready`)).status === 200)
    }
    expect(countWarnings()).toBe(2)
  })

  it("logs each cause at Debug", async () => {
    const printed = captureConsole()
    const { state, catalog } = createUnsteadyCatalog()
    const { url } = await startIngest({ catalog, logLevel: "Debug", logFormat: "json" })
    state.isAway = true
    await putRaw(await sign(url, createGrant()), "hello")
    const lines = printed.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ level }) => level === "warning")).toMatchObject([
      { message: "A request could not be served.", cause: expect.stringContaining("ECONNREFUSED") },
    ])
  })
})

describe("an ingest whose disk is full", () => {
  it("says once how much is free and what to do, though every upload is refused for it", async () => {
    const printed = captureConsole()
    const store = { ...createMemoryBlobStore(), free: async () => 2 * 1024 ** 2 }
    const { url } = await startIngest({ store, minimumFree: 3 * 1024 ** 2, logLevel: "Error", logFormat: "json" })
    for (let times = 0; times < 5; times++) {
      expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(503)
    }
    expect(printed.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        message: expect.stringMatching(/^The store fails: /),
        cause: expect.stringMatching(/2MB are free .+ 3MB are held in reserve. Free space there/),
      },
    ])
  })
})

describe("an ingest whose store is away while nobody uploads", () => {
  it("says why, once, however often a load balancer asks", async () => {
    const printed = captureConsole()
    const probe = () => Promise.reject(new BlobStoreError("io", "The bucket could not be used (ECONNREFUSED)."))
    const store = { ...createMemoryBlobStore(), probe }
    const { url } = await startIngest({ store, logLevel: "Error", logFormat: "json" })
    for (let asked = 0; asked < 5; asked++) expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect(printed.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { message: expect.stringMatching(/^The store fails: /), cause: expect.stringContaining("ECONNREFUSED") },
    ])
  })
})
