import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished, type TestContext } from "vitest"
import { skipLacking } from "../../skip-lacking.ts"
import { awayAnswer, hasCommand, makeProxyFolders, readAway, replaceAll, runCaddy, runNginx } from "../proxies.ts"
import { findPort } from "../set-up-proxy.ts"
import { startUpstreams } from "./upstreams.ts"

/** Sends again until it is answered so, for some seconds; the last answer. */
const sendUntil = async (wanted: number, send: () => Promise<number>): Promise<number> => {
  let status = await send()
  for (let tries = 0; status !== wanted && tries < 20; tries++) {
    await sleep(300)
    status = await send()
  }
  return status
}

/* The proxies of deploy/several, in front of three servers that stand for ingests. */

const MiB = 1024 * 1024

const read = (file: string): Promise<string> =>
  readFile(join(import.meta.dirname, "../../../deploy/several", file), "utf8")

const kinds = [
  { name: "nginx", file: "nginx.conf", run: runNginx, addressOf: (n: number) => `ingest-${n}.internal:4790` },
  { name: "caddy", file: "Caddyfile", run: runCaddy, addressOf: (n: number) => `ingest-${n}:4790` },
] as const

type Kind = (typeof kinds)[number]

const setUp = async (context: TestContext, { name, file, run, addressOf }: Kind) => {
  if (!hasCommand(name)) skipLacking(context, `there is no ${name}: apt-get install ${name}`)
  const made = await startUpstreams()
  const folder = await mkdtemp(join(tmpdir(), "sluice-proxies-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await makeProxyFolders(folder)
  const port = await findPort()
  const origin = `http://127.0.0.1:${port}`
  const text = replaceAll(await read(file), [
    ...made.upstreams.map((upstream, index) => [addressOf(index + 1), `127.0.0.1:${upstream.port}`] as const),
    ...(name === "caddy" ? [["{$SLUICE_URL}", origin] as const] : []),
  ])
  const proxy = await run({ folder, port }, text)
  onTestFinished(proxy.stop)
  const send = async (method: string, path: string, body?: Uint8Array<ArrayBuffer>): Promise<number> => {
    const answer = await fetch(origin + path, { method, body: body ?? null })
    await answer.arrayBuffer()
    return answer.status
  }
  /** A path that goes to an upstream, found by asking for some. */
  const pathOf = async (wanted: number): Promise<string> => {
    for (let tries = 0; tries < 200; tries++) {
      const path = `/key-${tries}`
      await send("HEAD", path)
      const last = made.seen.at(-1)!
      if (last.upstream !== wanted) continue
      made.seen.length = 0
      return path
    }
    throw new Error(`No path goes to ${wanted}.`)
  }
  return { ...made, origin, send, pathOf, proxy }
}

const bytes = new Uint8Array(2 * MiB).fill(7)

describe.each(kinds)("$name in front of three ingests", (kind) => {
  it("sends a path to the same one, also with another signature, and all paths to all of them", async (context) => {
    const { seen, send } = await setUp(context, kind)
    for (let index = 0; index < 60; index++) {
      const first = `/key-${index}?signature=a`
      const others = [`/key-${index}?signature=b`, `/key-${index}`]
      await send("PUT", first, bytes.subarray(0, 100))
      for (const other of others) await send("HEAD", other)
    }
    expect(seen).toHaveLength(180)
    const used = Map.groupBy(seen, ({ url }) => url.split("?")[0])
    for (const [path, all] of used) expect(new Set(all.map(({ upstream }) => upstream)).size, path).toBe(1)
    expect(new Set(seen.map(({ upstream }) => upstream)).size).toBe(3)
    // Nothing of how it was chosen is sent on.
    expect(seen.filter(({ headers }) => "x-sluice-path" in headers)).toEqual([])
  })

  it("takes paths of any bytes", async (context) => {
    const { seen, send } = await setUp(context, kind)
    for (const path of ["/a%0Ab", "/%E2%9C%93", "/a%20b", "/a%00b"]) {
      // What a proxy refuses by itself is no fault of the ingest's.
      const status = await send("GET", path)
      if (path.includes("%00") && status === 400) continue
      expect(status, path).toBe(200)
      expect(seen.at(-1)!.url).toBe(path)
    }
  })

  const sizes = [
    ["PUT", 2 * MiB],
    ["PUT", 200_000],
    ["PUT", 1],
    ["PUT", 0],
    ["POST", 100],
    ["POST", 0],
  ] as const

  it.for([["GET", 0], ["HEAD", 0], ...sizes] as const)(
    "finds another for a %s of %d bytes where one refuses connections",
    async ([method, size], context) => {
      const { seen, send, pathOf, upstreams } = await setUp(context, kind)
      const path = await pathOf(1)
      await upstreams[1]!.refuse()
      const body = size === 0 ? undefined : bytes.subarray(0, size)
      const first = await send(method, path, body)
      // Of a body that the proxy does not hold back nothing may be left after the first attempt.
      const mayFail = kind.name === "caddy" ? method.startsWith("P") : method === "PUT" && size < 100_000
      // As a client does, which is told to wait a second.
      const last = mayFail && first === 503 ? await sendUntil(200, () => send(method, path, body)) : first
      expect(last).toBe(200)
      expect(seen.map((one) => [one.upstream === 1, one.method, one.bytes])).toEqual([[false, method, size]])
    },
  )

  it("keeps all of them where clients leave in the middle of what they send", async (context) => {
    const { origin, send } = await setUp(context, kind)
    for (let index = 0; index < 9; index++) {
      const sent = request(`${origin}/key-${index}`, { method: "PUT", headers: { "content-length": 2 * MiB } })
      sent.on("error", () => {})
      sent.write(bytes.subarray(0, 100_000))
      await sleep(100)
      sent.destroy()
    }
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => send("GET", `/key-${index}`)))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it.for(sizes)("sends a %s of %d bytes once, whatever becomes of it", async ([method, size], context) => {
    const { seen, send, pathOf, upstreams } = await setUp(context, kind)
    const path = await pathOf(1)
    for (const upstream of upstreams) upstream.mode = "cuts"
    expect(await send(method, path, size === 0 ? undefined : bytes.subarray(0, size)).catch(() => 503)).toBe(503)
    // Longer than it waits between two attempts.
    await sleep(600)
    expect(seen.map((one) => [one.upstream, one.method])).toEqual([[1, method]])
  })

  it("sends a PUT once that does not say how large it is", async (context) => {
    const { seen, origin, pathOf, upstreams } = await setUp(context, kind)
    const path = await pathOf(1)
    for (const upstream of upstreams) upstream.mode = "cuts"
    const sent = request(origin + path, { method: "PUT" })
    const answered = once(sent, "response")
    sent.end("hello")
    const [response] = await answered
    response.resume()
    await sleep(600)
    expect([response.statusCode, seen.length]).toEqual([503, 1])
  })

  it.for(["GET", "HEAD"])("asks another where the connection of a %s breaks", async (method, context) => {
    const { seen, send, pathOf, upstreams } = await setUp(context, kind)
    const path = await pathOf(1)
    upstreams[1]!.mode = "cuts"
    expect(await send(method, path)).toBe(200)
    expect(seen[0]!.upstream).toBe(1)
    expect(seen.at(-1)!.upstream).not.toBe(1)
  })

  it("leaves one out that is about to stop", async (context) => {
    const { seen, send, pathOf, upstreams } = await setUp(context, kind)
    const path = await pathOf(1)
    upstreams[1]!.mode = "stops"
    const until = performance.now() + 20_000
    // As a client does: it asks where the stored bytes end before it sends the rest.
    do await sleep(200)
    while (((await send("HEAD", path)) !== 200 || seen.at(-1)!.upstream === 1) && performance.now() < until)
    expect(await send("PUT", path, bytes)).toBe(200)
    expect(seen.at(-1)!.upstream).not.toBe(1)
  })

  const methods = [
    ["GET", 0],
    ["HEAD", 0],
    ["OPTIONS", 0],
    ["PUT", 0],
    ["PUT", 10],
    ["PUT", 2 * MiB],
    ["POST", 100],
  ] as const

  it.for(methods)(
    "tells clients of any origin to wait with a %s of %d bytes where all refuse connections",
    async ([method, size], context) => {
      const { origin, upstreams } = await setUp(context, kind)
      for (const upstream of upstreams) await upstream.refuse()
      const ask = async () =>
        readAway(await fetch(`${origin}/key`, { method, body: size === 0 ? null : bytes.subarray(0, size) }))
      let answer = await ask()
      // Each has to be found out: until then a client is to ask again soon.
      for (let tries = 0; tries < 30 && answer.wait !== 5; tries++) {
        expect(answer).toEqual(awayAnswer(method, 1))
        await sleep(200)
        answer = await ask()
      }
      expect(answer).toEqual(awayAnswer(method, 5))
    },
  )

  it.for(["GET", "PUT"])("passes on how long an ingest says to wait with a %s", async (method, context) => {
    const { origin, upstreams } = await setUp(context, kind)
    for (const upstream of upstreams) upstream.mode = "stops"
    const body = method === "PUT" ? bytes.subarray(0, 10) : null
    const answer = await fetch(`${origin}/key`, { method, body })
    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([503, "7", ""])
    expect(answer.headers.has("x-upstream")).toBe(true)
  })

  it("passes a body on as it comes", async (context) => {
    const { seen, origin } = await setUp(context, kind)
    const sent = request(`${origin}/key`, { method: "PUT", headers: { "content-length": 2 * MiB } })
    const answered = once(sent, "response")
    sent.write(bytes.subarray(0, MiB))
    while ((seen[0]?.bytes ?? 0) < MiB) await sleep(20)
    sent.end(bytes.subarray(MiB))
    const [response] = await answered
    response.resume()
    expect([response.statusCode, seen[0]!.bytes]).toEqual([200, 2 * MiB])
  })
})
