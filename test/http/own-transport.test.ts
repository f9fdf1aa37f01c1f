import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { createTransport } from "../../src/http/own-transport.ts"
import { readWhole } from "../../src/http/read-answer.ts"
import { listen } from "../ingest/circle.ts"

/** Where Node keeps what its `fetch` sends through. */
const place = Symbol.for("undici.globalDispatcher.1")
const dispatchers = globalThis as { [key: symbol]: unknown }

let url = ""
beforeEach(async () => {
  url = await listen((request, response) => response.end(request.headers["user-agent"]))
})
afterEach(() => vi.unstubAllGlobals())

/** Who has sent a request: Node's `fetch` is "node", and we are "sluice". */
const askWho = async (transport = createTransport(undefined)) => {
  onTestFinished(transport.close)
  const answer = await transport.send({ url, method: "POST", headers: {}, signal: new AbortController().signal })
  return readWhole(answer, 100)
}

/** Puts something in the place of what Node's `fetch` sends through. */
const dispatchBy = async (dispatcher: unknown) => {
  // Node makes its own with the first request.
  if (dispatchers[place] === undefined) await fetch(url)
  const before = dispatchers[place]
  dispatchers[place] = dispatcher
  onTestFinished(() => {
    dispatchers[place] = before
  })
}

describe("requests go out", () => {
  it("over node:http, also where fetch was used before", async () => {
    expect(await askWho()).toBe("sluice")
    await fetch(url)
    expect(await askWho()).toBe("sluice")
  })

  it("by the fetch that was given", async () => {
    expect(await askWho(createTransport(async () => new Response("given")))).toBe("given")
  })

  it("by what has replaced the global fetch, then and now", async () => {
    const transport = createTransport(undefined)
    expect(await askWho(transport)).toBe("sluice")
    const original = fetch
    vi.stubGlobal("fetch", async () => new Response("mock"))
    expect([await askWho(transport), await askWho()]).toEqual(["mock", "mock"])
    vi.stubGlobal("fetch", (input: string, init: RequestInit) => original(input, init))
    expect(await askWho(transport)).toBe("node")
    vi.unstubAllGlobals()
    expect(await askWho(transport)).toBe("sluice")
  })

  it("by fetch where undici was told of a proxy, of certificates or of more to do", async () => {
    const asked: Array<string> = []
    const refuse = () => {
      throw new Error("Nobody is asked here.")
    }
    const options: unique symbol = Symbol("options")
    class Agent {
      [options]: object = {}
      dispatch() {
        asked.push(this.constructor.name)
        return refuse()
      }
    }
    class ProxyAgent extends Agent {}
    const certain = new Agent()
    certain[options] = { connect: { ca: "" } }
    const composed = Object.assign(new Agent(), { dispatch: refuse })
    for (const dispatcher of [new ProxyAgent(), certain, composed]) {
      await dispatchBy(dispatcher)
      await expect(askWho()).rejects.toThrow("fetch failed")
    }
    await dispatchBy(new Agent())
    expect(await askWho()).toBe("sluice")
    expect(asked).toEqual(["ProxyAgent", "Agent"])
  })

  it("by fetch where the runtime is not Node", async () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" })
    expect(await askWho()).toBe("node")
  })
})
