import { expect, onTestFinished, test, vi } from "vitest"
import { loadRouteConfigs, readRouteConfig, seedRouteConfig } from "../../../src/ui/controller/route-configs.ts"
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
