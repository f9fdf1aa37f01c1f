import { expect, onTestFinished, test, vi } from "vitest"
import { loadRouteConfigs, readRouteConfig, seedRouteConfig } from "../../../src/ui/controller/route-configs.ts"
import type { RouteConfigInput } from "../../../src/protocol.ts"
import { parseConfig } from "../parse-config.ts"

const config = parseConfig(["image"])
let count = 0
/** An address nobody has asked yet. */
const address = () => `http://app.test/${count++}`

const of = (url: string) => ({ options: { url } })

const answer = (body: unknown) => {
  const asked: Array<string> = []
  const fetch = async (url: string) => {
    asked.push(url)
    return Response.json(body)
  }
  return { asked, fetch }
}

/** As `fetch` does: rejects when its signal aborts. */
const abortable = <A>(answer: Promise<A>, signal: AbortSignal | null | undefined): Promise<A> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  ])

test("a handler is asked once, however many components want to know", async () => {
  const url = address()
  const { asked, fetch } = answer([{ slug: "a", config }])
  await Promise.all([loadRouteConfigs(url, fetch, {}), loadRouteConfigs(url, fetch, {})])
  await loadRouteConfigs(url, fetch, {})
  expect(asked).toEqual([url])
  expect(readRouteConfig(of(url), "a")).toEqual(config)
  expect(readRouteConfig(of(url), "b")).toBeUndefined()
  expect(readRouteConfig(of(address()), "a")).toBeUndefined()
})

test("what was seeded is known at once, and nobody is asked", async () => {
  const url = address()
  const { asked, fetch } = answer([])
  seedRouteConfig([{ slug: "a", config }], url)
  expect(readRouteConfig(of(url), "a")).toBe(config)
  await loadRouteConfigs(url, fetch, {})
  expect(asked).toEqual([])
})

test("an answer that is none is an error, and the next one asks again", async () => {
  const url = address()
  const retry = { attempts: 1 }
  for (const body of [
    { slug: "a" },
    [{ slug: 1, config }],
    [null],
    "<html>",
    ...[null, "x", { image: null }, { image: {} }].map((config) => [{ slug: "a", config }]),
  ]) {
    await expect(loadRouteConfigs(url, answer(body).fetch, retry)).rejects.toMatchObject({ code: "INVALID_CONFIG" })
  }
  await loadRouteConfigs(url, answer([{ slug: "a", config }]).fetch, retry)
  expect(readRouteConfig(of(url), "a")).toEqual(config)
})

test("an answer with a configuration that components cannot show is none", async () => {
  const url = address()
  const kind = config.image!
  const own = { toString: 1 }
  const configs: Array<unknown> = [{}, [], 5, true, "x", [kind, own], { image: kind, pdf: null }]
  for (const maxFileSize of [null, 5, "", "x", "4", "4MB; x", "1e400MB", ["4MB"], own, undefined]) {
    configs.push({ image: { ...kind, maxFileSize } })
  }
  for (const count of [null, 0, -1, 1.5, 1e308, "5", true, [], [1], {}, own, undefined]) {
    configs.push({ image: { ...kind, maxFileCount: count } }, { image: { ...kind, minFileCount: count } })
  }
  for (const noun of [null, 5, true, [], ["x"], {}, own]) configs.push({ image: { ...kind, noun } })
  for (const each of configs) {
    const body = ["b", "a"].map((slug) => ({ slug, config: slug === "a" ? each : config }))
    const loading = loadRouteConfigs(url, answer(body).fetch, { attempts: 1 })
    await expect(loading, JSON.stringify(each)).rejects.toMatchObject({ code: "INVALID_CONFIG" })
  }
  expect(readRouteConfig(of(url), "b")).toBeUndefined()
})

test("all that a handler answers is taken", async () => {
  const most = Number.MAX_SAFE_INTEGER
  for (const each of [
    { image: { maxFileSize: 0 }, blob: { maxFileSize: most, maxFileCount: most, minFileCount: most } },
    { pdf: { maxFileSize: "1.5gb", acl: "private" }, text: { maxFileSize: "2 TB" }, video: { maxFileSize: "3 kb" } },
    { "application/zip": {}, "model/x.y+z": { noun: '27" [drawing], {a}' }, audio: { noun: "true,false" } },
  ]) {
    const url = address()
    const config = parseConfig(each as RouteConfigInput)
    await loadRouteConfigs(url, answer([{ slug: "", config }]).fetch, { attempts: 1 })
    expect(readRouteConfig(of(url), "")).toEqual(config)
  }
  const url = address()
  await loadRouteConfigs(url, answer([]).fetch, { attempts: 1 })
})

test("an answer that never comes is not waited for: the handler is asked again", async () => {
  vi.useFakeTimers()
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), ms)
    return controller.signal
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  const url = address()
  let asked = 0
  const ask = () =>
    ++asked < 3 ? new Promise<never>(() => {}) : Promise.resolve(Response.json([{ slug: "a", config }]))
  const loading = loadRouteConfigs(url, (_, init) => abortable(ask(), init?.signal), { delay: 1 })
  await vi.advanceTimersByTimeAsync(14_000)
  expect(asked).toBe(1)
  await vi.advanceTimersByTimeAsync(2000)
  expect(asked).toBe(2)
  await vi.advanceTimersByTimeAsync(31_000)
  await loading
  expect(readRouteConfig(of(url), "a")).toEqual(config)
})
