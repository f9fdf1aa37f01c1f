import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { token } from "../circle.ts"
import { labelled } from "../labelled.ts"
import { type Double, startDouble } from "../storage/s3/start-double.ts"
import { bytesOf, follow, keep, makePicture, redirectCases, signRead, startRedirecting } from "./redirect-cases.ts"

let double: Double
beforeEach(async () => {
  double = await startDouble()
})
afterEach(async () => {
  vi.useRealTimers()
  await double.close()
})

describe("reads by redirect, over the double", () => {
  it.each(redirectCases)("$name", ({ run }) => run(double.settings))

  it("the URL is the same for five minutes and good for fifteen, by the clock", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T09:59:00Z") })
    const ingest = await startRedirecting(double.settings)
    const { url } = await keep(ingest, makePicture())
    const at = async (time: string) => {
      vi.setSystemTime(Date.parse(`2030-01-01T${time}Z`))
      return (await follow(url)).to!
    }
    const first = await at("10:00:00")
    expect(await at("10:04:59.999")).toBe(first)
    expect(await at("10:05:00")).not.toBe(first)
    const statusAt = async (time: string) => {
      vi.setSystemTime(Date.parse(`2030-01-01T${time}Z`))
      return (await follow(first)).status
    }
    expect([await statusAt("10:14:59"), await statusAt("10:15:00")]).toEqual([200, 403])
  })

  it("a URL ends with the file's own end", async () => {
    const ingest = await startRedirecting(double.settings)
    const content = makePicture()
    const named = { name: "a.png", type: "image/png", size: content.length }
    const { url } = await keep(ingest, content, await labelled({ keepFor: 120_000 }, named))
    const { searchParams } = new URL((await follow(url)).to!)
    expect(Number(searchParams.get("X-Amz-Expires"))).toBeLessThanOrEqual(420)
    const most = new URL((await follow((await keep(ingest, makePicture())).url)).to!)
    expect(most.searchParams.get("X-Amz-Expires")).toBe("900")
  })

  it("a file that is held is nobody's, and one that waits to be claimed is private, until its time has passed", async () => {
    const ingest = await startRedirecting(double.settings)
    const content = makePicture()
    const named = { name: "a.png", type: "image/png", size: content.length, acl: "public-read" } as const
    const held = await keep(ingest, content, await labelled({ hold: true }, named))
    expect((await follow(held.url)).status).toBe(404)
    expect((await follow(await signRead(held.url, Date.now() + 60_000))).status).toBe(404)
    const pending = await keep(ingest, content, await labelled({ claimWithin: 120_000 }, named))
    expect((await follow(pending.url)).status).toBe(403)
    const { status, to } = await follow(await signRead(pending.url, Date.now() + 3_600_000))
    expect(status).toBe(302)
    expect(Number(new URL(to!).searchParams.get("X-Amz-Expires"))).toBeLessThanOrEqual(420)
  })

  it("a URL ends with the credentials that sign it, and a short one is not handed out", async () => {
    const { credentials } = double.settings
    let left = 180_000
    const ending = () => ({ ...credentials, expiresAt: Date.now() + left })
    const ingest = await startRedirecting({ ...double.settings, credentials: ending })
    const { url } = await keep(ingest, makePicture(), { cache: "immutable" })
    const { status, headers } = await follow(url)
    expect(status).toBe(302)
    expect(Number(/max-age=(\d+)/.exec(headers.get("cache-control")!)?.[1])).toBeLessThanOrEqual(120)
    left = 5000
    const short = await startRedirecting({ ...double.settings, credentials: ending })
    expect((await follow((await keep(short, makePicture())).url)).status).toBe(200)
  })

  it("a name that makes the URL too long has its file sent by the ingest", async () => {
    const ingest = await startRedirecting(double.settings)
    const statusOf = async (name: string) => (await follow((await keep(ingest, makePicture(), { name })).url)).status
    expect(await statusOf(`${"日".repeat(80)}.png`)).toBe(302)
    expect(await statusOf(`${"日".repeat(300)}.png`)).toBe(200)
  })

  it("a store that has no URL of a file has it sent by the ingest, and one that fails is 503", async () => {
    const ingest = await startRedirecting(double.settings, {}, (store) => ({ ...store, urlOf: async () => null }))
    const content = makePicture()
    const { url } = await keep(ingest, content)
    const sent = await fetch(url, { redirect: "manual" })
    expect([sent.status, await bytesOf(sent)]).toEqual([200, content])
    const failing = await startRedirecting(double.settings, {}, (store) => ({
      ...store,
      urlOf: () => Promise.reject(new Error("the credentials are gone")),
    }))
    const kept = await keep(failing, content)
    expect((await follow(kept.url)).status).toBe(500)
    expect((await follow(kept.url, { method: "HEAD" })).status).toBe(200)
  })

  it("the ingest sends everything itself unless it is told to redirect", async () => {
    const ingest = await startRedirecting(double.settings, { reads: undefined })
    expect((await follow((await keep(ingest, makePicture())).url)).status).toBe(200)
  })

  it("an ingest whose store has no URLs does not start with it", () => {
    const start = (reads: "redirect") =>
      createIngest({ token, reads, store: createMemoryBlobStore(), catalog: createMemoryCatalog() })
    expect(() => start("redirect")).toThrow(/reads is "redirect", and its store has no URLs/)
    expect(() => start("elsewhere" as "redirect")).toThrow('reads is "elsewhere"; it must be "proxy" or "redirect"')
  })
})
