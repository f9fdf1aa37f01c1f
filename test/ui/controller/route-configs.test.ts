import { expect, test } from "vitest"
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
