import { describe, expect, it } from "vitest"
import { mount, servers, startServer } from "./node-servers.ts"
import { sendRaw } from "./production-app.ts"

const query = "?actionType=upload&slug=avatar"
const body = JSON.stringify({ files: [{ name: "a.bin", size: 5, type: "application/octet-stream" }] })

/** Nobody tells a handler of the Fetch API what `Host` was beside the URL: the target's host alone counts. */
const withoutHost = "toNodeListener and sluice/server"

/** A status of a refusal, or of a page that is not Sluice's: h3 answers 200 for what it has no route for. */
const isRefusal = (became: unknown): boolean => typeof became === "number"

const start = async (name: string, more?: object) => {
  const { origin, callbackUrls } = await startServer(name, more)
  const ask = (target: string, host: string, ...headers: ReadonlyArray<string>) =>
    sendRaw(origin, [`POST ${target} HTTP/1.1`, `host: ${host}`, "content-type: application/json", ...headers], body)
  return { callbackUrls, ask }
}

/** What becomes of a request: where its callbacks would go, or the status of the refusal. */
const judge = async ({ ask, callbackUrls }: Awaited<ReturnType<typeof start>>, ...request: Parameters<typeof ask>) => {
  const before = callbackUrls.length
  const { status } = await ask(...request)
  return callbackUrls[before] ?? status
}

describe.each(Object.keys(servers))("the callback URL that a request target gives an app on %s", (name) => {
  it("has the scheme of the connection, whatever an absolute target says", async () => {
    const app = await start(name)
    for (const scheme of ["https", "http"]) {
      expect(await judge(app, `${scheme}://app.example${mount}${query}`, "app.example")).toBe(
        `http://app.example${mount}`,
      )
    }
  })

  it("has the scheme that a trusted proxy says, and no other one", async () => {
    const app = await start(name, { trustProxy: true })
    const forwarded = ["x-forwarded-proto: https", "x-forwarded-host: app.example"]
    for (const target of [mount, `http://app.example${mount}`, `https://other.example${mount}`]) {
      expect(await judge(app, target + query, "app.example", ...forwarded)).toBe(`https://app.example${mount}`)
    }
    expect(await judge(app, `https://app.example${mount}${query}`, "app.example")).toBe(`http://app.example${mount}`)
  })

  it("has the host of an absolute target, which must be allowed", async () => {
    const app = await start(name)
    expect(await judge(app, `http://other.example${mount}${query}`, "app.example")).toBe(`http://other.example${mount}`)
    expect(await judge(app, `http://attacker.test${mount}${query}`, "app.example")).toBe(403)
    for (const target of [
      `http://app.example@attacker.test${mount}`,
      `http://app.example\\.attacker.test${mount}`,
      `http://attacker.test?http://app.example${mount}`,
    ]) {
      expect([target, await judge(app, target + query, "app.example")]).toEqual([target, expect.toSatisfy(isRefusal)])
    }
  })

  it("goes by no absolute target whose Host is not allowed as well", async (context) => {
    if (name === withoutHost) context.skip("a handler of the Fetch API is not told `Host` beside the URL")
    const app = await start(name)
    const target = `http://app.example${mount}${query}`
    expect(await judge(app, target, "attacker.test")).toBe(403)
    expect(await judge(app, target, "app.example:80")).toBe(`http://app.example${mount}`)
    expect(await judge(app, target, "other.example")).toBe(`http://app.example${mount}`)
  })

  it("has the path that was routed, and nothing a URL makes of it", async () => {
    const app = await start(name)
    for (const target of [
      `${mount}/../../evil`,
      `${mount}/..`,
      `${mount}/%2e%2e/%2E./evil`,
      `${mount}/./x/.%2e/../../evil`,
      `${mount}\\..\\..\\evil`,
      `http://app.example${mount}/../../evil`,
      `http://app.example/x\\..${mount}/../../evil`,
      `http://app.example?x${mount}`,
      `http://app.example#${mount}`,
    ]) {
      const became = await judge(app, target + query, "app.example")
      expect([target, became]).toEqual([target, expect.toSatisfy(isRefusal)])
    }
    // In the query they are nobody's path.
    expect(await judge(app, `${mount}${query}&next=/a/../b`, "app.example")).toBe(`http://app.example${mount}`)
  })
})
