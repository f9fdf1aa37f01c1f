import type { RequestOptions } from "node:http"
import type { LookupFunction } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createFetchTransport } from "../../../src/api/from-url/fetch-transport.ts"
import { readFromUrlOptions } from "../../../src/api/from-url/from-url-options.ts"
import { createNodeTransport } from "../../../src/api/from-url/node-transport.ts"
import type { Resolve } from "../../../src/server-kit/resolve-host.ts"
import { openRemoteFile } from "../../../src/api/from-url/open-remote-file.ts"
import { local, open, readAll, refusal, startSource } from "./source.ts"

/** Passes for a public address here, and nothing listens there: no test sends anything to an address outside. */
const nobodys = vi.hoisted(() => "127.0.0.2")

vi.mock("../../../src/server-kit/public-address.ts", async (original) => {
  const actual = await original<typeof import("../../../src/server-kit/public-address.ts")>()
  return { ...actual, isPublicAddress: (text: string) => text === nobodys || actual.isPublicAddress(text) }
})

const once = { retry: { attempts: 1 } }
const loopback = [{ address: "127.0.0.1", family: 4 }]
const hello = () => startSource((_, response) => response.end("hello"))
const portOf = (url: string) => new URL(url).port

/** A name whose addresses are told in turn, and how often they were asked for. */
const rebinding = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const resolve: Resolve = async (hostname) => {
    const addresses = answers[Math.min(asked.push(hostname), answers.length) - 1]!
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  }
  return { asked, resolve }
}

describe("a host that is not public", () => {
  it("is not asked, and what it would have answered is not told", async () => {
    const { url, requests } = await hello()
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"]) {
      const error = await refusal(`http://${host}:${portOf(url)}/secret.txt?token=1`, once)
      expect(error).toMatchObject({ code: "FORBIDDEN" })
      expect(error.message).toContain("is not public")
      expect(error.message).not.toContain("token")
    }
    expect(requests).toEqual([])
  })

  it("is not asked under a name of it; whatever its addresses are, they are not told", async () => {
    const { url, requests } = await hello()
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.1.2.3", "fd00::1"]) {
      const { resolve } = rebinding([address])
      const error = await refusal(`http://files.example:${portOf(url)}/a`, once, resolve)
      expect(error).toMatchObject({ code: "FORBIDDEN" })
      expect(error.message).not.toContain(address)
    }
    expect(requests).toEqual([])
  })

  it("is refused as a name that nobody has, so that nobody learns which names a private network knows", async () => {
    const none = Object.assign(new Error("none"), { code: "ENOTFOUND" })
    const unknown = await refusal("http://printer.example/a", once, () => Promise.reject(none))
    const known = await refusal("http://printer.example/a", once, rebinding(["10.0.0.7"]).resolve)
    expect([known.code, known.message]).toEqual([unknown.code, unknown.message])
  })

  it("is not asked by a name that has a public address when it is checked and another when it is used", async () => {
    const { url, requests } = await hello()
    const { asked, resolve } = rebinding(["192.0.2.1"], ["127.0.0.1"])
    const { asked: askedLater, resolve: resolveLater } = rebinding([nobodys], ["127.0.0.1"])
    await refusal(`http://files.example:${portOf(url)}/a`, once, resolve)
    await refusal(`http://files.example:${portOf(url)}/a`, { ...once, timeout: "0.2s" }, resolveLater)
    expect(asked).toHaveLength(1)
    expect(askedLater).toHaveLength(1)
    expect(requests).toEqual([])
  })

  it("is checked again for each try", async () => {
    const { url, requests } = await hello()
    const { asked, resolve } = rebinding([nobodys], ["127.0.0.1"])
    const options = { timeout: "0.2s", retry: { attempts: 3, delay: 1 } } as const
    expect(await refusal(`http://files.example:${portOf(url)}/a`, options, resolve)).toMatchObject({
      code: "FORBIDDEN",
    })
    expect(asked).toHaveLength(2)
    expect(requests).toEqual([])
  })

  it("is not asked by a name that has public addresses beside its own", async () => {
    const { url, requests } = await hello()
    const { resolve } = rebinding(["127.0.0.1", nobodys, "::1"])
    await refusal(`http://files.example:${portOf(url)}/a`, { ...once, timeout: "0.2s" }, resolve)
    expect(requests).toEqual([])
  })

  it("that a runtime asked on its own, passing over the addresses it was given, is not told of", async () => {
    const { url } = await hello()
    const bound = process.getBuiltinModule.bind(process)
    const http = bound("node:http")
    const lookup: LookupFunction = (_, _options, callback) => callback(null, [...loopback])
    const request = (to: URL, options: RequestOptions) => http.request(to, { ...options, lookup })
    vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) =>
      id === "node:http" ? { ...http, request } : bound(id as "node:http"),
    )
    onTestFinished(() => void vi.restoreAllMocks())
    const { resolve } = rebinding([nobodys])
    const error = await refusal(`http://files.example:${portOf(url)}/a`, once, resolve)
    expect(error).toMatchObject({ code: "FORBIDDEN" })
  })

  it("is asked where the call allows it, at the address that was looked up", async () => {
    const { url, requests } = await hello()
    const { resolve } = rebinding(["127.0.0.1"])
    const source = await open(`http://files.example:${portOf(url)}/a.txt`, local, resolve)
    expect(new TextDecoder().decode(await readAll(source))).toBe("hello")
    expect(requests[0]!.headers.host).toBe(`files.example:${portOf(url)}`)
    expect(requests[0]!.headers.connection).toBe("close")
  })
})

describe("redirects", () => {
  /** Seen as public: the guard is what is tested, not the network. */
  const redirectTo = (location: string) =>
    startSource((_, response) => response.writeHead(302, { location, "content-length": 0 }).end())

  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:1/",
    "http://[::1]:1/",
    "http://2130706433:1/",
    "//169.254.169.254/",
    "http://localhost:1/",
  ])("to %s are refused", async (location) => {
    const settings = readFromUrlOptions(once, async ({ url }) => ({
      status: 302,
      headers: new Headers(url.hostname === "files.example" ? { location } : {}),
      body: new Blob(["secret"]).stream() as unknown as AsyncIterable<Uint8Array>,
      isDecoded: false,
    }))
    const opened = openRemoteFile({ url: "http://files.example/a" }, settings)
    await expect(opened).rejects.toMatchObject({ code: "FORBIDDEN" })
  })

  it("to a name that has no public address are refused", async () => {
    const { requests, url } = await hello()
    const source = await redirectTo(`http://inside.example:${portOf(url)}/`)
    const visible = createNodeTransport(async () => loopback)
    const guarded = createNodeTransport(async () => loopback)
    const settings = readFromUrlOptions(once, (request) =>
      request.url.hostname === "files.example"
        ? visible({ ...request, rules: { ...request.rules, allowPrivateNetwork: true } })
        : guarded(request),
    )
    const opened = openRemoteFile({ url: `http://files.example:${portOf(source.url)}/a` }, settings)
    await expect(opened).rejects.toMatchObject({ code: "FORBIDDEN" })
    expect(source.requests).toHaveLength(1)
    expect(requests).toEqual([])
  })

  it("out of the allowed hosts are refused", async () => {
    const { url, requests } = await hello()
    const source = await redirectTo(`http://other.example:${portOf(url)}/`)
    const options = { ...local, allowedHosts: ["files.example"] }
    const error = await refusal(`http://files.example:${portOf(source.url)}/`, options, async () => loopback)
    expect(error).toMatchObject({ code: "FORBIDDEN" })
    expect(error.message).toContain("other.example")
    expect(requests).toEqual([])
  })

  it("are followed five times, not a sixth", async () => {
    const { url, requests } = await startSource((request, response) => {
      const left = Number(request.url!.slice(1))
      if (left === 0) response.end("there")
      else response.writeHead(307, { location: `./${left - 1}` }).end("moved")
    })
    const source = await open(`${url}/5`)
    expect(new TextDecoder().decode(await readAll(source))).toBe("there")
    expect(requests).toHaveLength(6)
    const error = await refusal(`${url}/6`)
    expect(error).toMatchObject({ code: "BAD_REQUEST" })
    expect(error.message).toContain("redirects more than 5 times")
    expect(requests).toHaveLength(12)
  })

  it("to what is no web page, or has credentials in it, are refused", async () => {
    for (const location of ["file:///etc/passwd", "http://user:s3cret@127.0.0.1/", "data:text/plain,a", "http://"]) {
      const error = await refusal((await redirectTo(location)).url)
      expect(error).toMatchObject({ code: "BAD_REQUEST" })
      expect(error.message).not.toContain("s3cret")
    }
  })

  it("from https to http are refused", async () => {
    const settings = readFromUrlOptions(local, async () => ({
      status: 301,
      headers: new Headers({ location: "http://files.example/a" }),
      body: new Blob([]).stream() as unknown as AsyncIterable<Uint8Array>,
      isDecoded: false,
    }))
    const opened = openRemoteFile({ url: "https://files.example/a" }, settings)
    await expect(opened).rejects.toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining("to http") })
  })

  it("do not take the headers to another origin, nor back again", async () => {
    const headers = { authorization: "Bearer s3cret", cookie: "a=b", "x-api-key": "s3cret", host: "evil.example" }
    const target: { url: string } = { url: "" }
    const home = await startSource((request, response) => {
      if (request.url === "/start") response.writeHead(302, { location: "/same" }).end()
      else if (request.url === "/same") response.writeHead(302, { location: `${target.url}/away` }).end()
      else response.end("back")
    })
    const away = await startSource((_, response) => response.writeHead(302, { location: `${home.url}/back` }).end())
    target.url = away.url
    const source = await open({ url: `${home.url}/start`, headers })
    await source.close!()
    const [start, same, back] = home.requests.map((request) => request.headers)
    expect(start).toMatchObject({ authorization: "Bearer s3cret", cookie: "a=b", "x-api-key": "s3cret" })
    expect(start!.host).toBe(new URL(home.url).host)
    expect(same).toMatchObject({ authorization: "Bearer s3cret" })
    for (const request of [away.requests[0]!.headers, back!]) {
      expect(JSON.stringify(request)).not.toContain("s3cret")
      expect(request).not.toHaveProperty("cookie")
    }
  })
})

describe("a runtime with nothing but fetch", () => {
  const openByFetch = (url: string, options: Parameters<typeof readFromUrlOptions>[0] = {}) =>
    openRemoteFile({ url }, readFromUrlOptions({ ...once, ...options }, createFetchTransport()))

  it("refuses what can be seen in the URL, in redirects too", async () => {
    const { url, requests } = await hello()
    await expect(openByFetch(url)).rejects.toMatchObject({ code: "FORBIDDEN" })
    expect(requests).toEqual([])
    const allowed = await startSource((_, response) => response.writeHead(302, { location: `${url}/a` }).end())
    const local = { allowPrivateNetwork: true, allowedHosts: ["localhost"] }
    await expect(openByFetch(`http://localhost:${portOf(allowed.url)}/`, local)).rejects.toMatchObject({
      code: "FORBIDDEN",
    })
    expect(requests).toEqual([])
  })

  it("streams a file", async () => {
    const { url } = await hello()
    const source = await openByFetch(`${url}/a.txt`, { allowPrivateNetwork: true })
    expect(source).toMatchObject({ name: "a.txt", size: 5, type: "text/plain" })
    expect(new TextDecoder().decode(await readAll(source))).toBe("hello")
  })
})
