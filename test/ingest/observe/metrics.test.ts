import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createMemoryCatalog, createSqliteCatalog } from "../../../src/ingest.ts"
import {
  createGrant,
  eventually,
  listen,
  postResult,
  putRaw,
  randomContent,
  register,
  sign,
  startApp,
  startIngest,
} from "../circle.ts"

const token = "a-token-for-prometheus"

const scrape = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()

/** The value of one line, by name and labels as they are rendered. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe("who may read the metrics", () => {
  it("nobody, unless the operator says so", async () => {
    const { url } = await startIngest()
    const response = await fetch(`${url}/metrics`)
    expect(response.status).toBe(404)
  })

  it("with a token: who sends it as bearer, nobody else", async () => {
    const { url } = await startIngest({ metrics: { token } })
    const ask = (authorization?: string) =>
      fetch(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } })
    expect((await ask(`Bearer ${token}`)).status).toBe(200)
    for (const wrong of [undefined, "Bearer", `Bearer ${token}x`, `Basic ${token}`, token]) {
      const response = await ask(wrong)
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toBe("Bearer")
      expect(await response.text()).not.toContain("process_")
    }
  })

  it("a token that is easily guessed is refused, and not repeated", async () => {
    const error = await startIngest({ metrics: { token: "short-secret" } }).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(/at least 16/)
    expect(String(error)).not.toContain("short-secret")
  })
})

describe("what is counted", () => {
  it("requests by method, route, status and code; keys and unknown methods make no series of their own", async () => {
    const { url } = await startIngest({ metrics: "open" })
    await putRaw(await sign(url, createGrant()), "hello")
    await fetch(`${url}/f/${"k".repeat(40)}`)
    await fetch(`${url}/f/another`)
    await fetch(`${url}/some/path/nobody/knows`)
    await fetch(`${url}/f/x`, { method: "PROPFIND" })
    const text = await scrape(url)
    const requests = "sluice_http_requests_total"
    expect(valueOf(text, `${requests}{method="PUT",route="/{key}",status="200",code=""}`)).toBe(1)
    expect(valueOf(text, `${requests}{method="GET",route="/f/{key}",status="404",code="NOT_FOUND"}`)).toBe(2)
    expect(valueOf(text, `${requests}{method="GET",route="none",status="404",code="NOT_FOUND"}`)).toBe(1)
    expect(valueOf(text, `${requests}{method="OTHER",route="/f/{key}",status="405",code="METHOD_NOT_ALLOWED"}`)).toBe(1)
    expect(valueOf(text, 'sluice_http_request_duration_seconds_count{method="PUT",route="/{key}"}')).toBe(1)
    expect(text).not.toContain("kkkk")
  })

  it("bytes in and out, sizes, and how uploads end; an interrupted one counts once", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const content = randomContent(300_000)
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const signed = await sign(url, grant)
    await putRaw(signed, content.slice(0, 100_000))
    await putRaw(signed, content.slice(100_000), 100_000)
    await (await fetch(`${url}/f/${grant.key}`, { headers: { range: "bytes=0-999" } })).arrayBuffer()
    const lie = createGrant({ type: "image/png", size: 5 })
    await putRaw(await sign(url, lie), "MZ\0\0\0")
    const text = await scrape(url)
    expect(valueOf(text, "sluice_received_bytes_total")).toBeGreaterThanOrEqual(300_000)
    expect(valueOf(text, "sluice_received_bytes_total")).toBeLessThanOrEqual(300_005)
    expect(valueOf(text, "sluice_sent_bytes_total")).toBe(1000)
    expect(valueOf(text, 'sluice_uploads_ended_total{outcome="stored"}')).toBe(1)
    expect(valueOf(text, "sluice_upload_size_bytes_sum")).toBe(300_000)
    expect(valueOf(text, 'sluice_upload_size_bytes_bucket{le="262144"}')).toBe(0)
    expect(valueOf(text, 'sluice_upload_size_bytes_bucket{le="1048576"}')).toBe(1)
    expect(valueOf(text, "sluice_upload_duration_seconds_count")).toBe(1)
    expect(valueOf(text, "sluice_blob_finish_duration_seconds_count")).toBe(1)
    expect(valueOf(text, "sluice_catalog_commit_duration_seconds_count")).toBe(1)
    expect(valueOf(text, "sluice_uploads_active")).toBe(0)
  })

  it("small files that come in one piece, too", async () => {
    for (const createCatalog of [createMemoryCatalog, () => createSqliteCatalog({ file: ":memory:" })]) {
      const { url } = await startIngest({ metrics: "open", catalog: createCatalog() })
      await putRaw(await sign(url, createGrant()), "hello")
      const text = await scrape(url)
      expect(valueOf(text, "sluice_received_bytes_total")).toBe(5)
      expect(valueOf(text, 'sluice_uploads_ended_total{outcome="stored"}')).toBe(1)
      expect(valueOf(text, "sluice_upload_size_bytes_sum")).toBe(5)
      expect(valueOf(text, "sluice_catalog_commit_duration_seconds_count")).toBe(1)
    }
  })

  it("an upload that fails for good, by its code", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const grant = createGrant({ type: "image/png", size: 40 })
    const executable = new Uint8Array(40)
    executable.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    expect((await putRaw(await sign(url, grant), executable)).status).toBe(415)
    expect(valueOf(await scrape(url), 'sluice_uploads_ended_total{outcome="CONTENT_MISMATCH"}')).toBe(1)
  })

  it("uploads under way, while they are", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const body = new TransformStream<Uint8Array>()
    const writer = body.writable.getWriter()
    const upload = putRaw(await sign(url, createGrant()), body.readable)
    const encoder = new TextEncoder()
    await writer.write(encoder.encode("he"))
    await eventually(async () => valueOf(await scrape(url), "sluice_uploads_active") === 1)
    await writer.write(encoder.encode("llo"))
    await writer.close()
    expect((await upload).status).toBe(200)
    expect(valueOf(await scrape(url), "sluice_uploads_active")).toBe(0)
  })

  for (const [name, createCatalog] of [
    ["in memory", createMemoryCatalog],
    ["SQLite", () => createSqliteCatalog({ file: ":memory:" })],
  ] as const) {
    it(`callbacks by what followed, and what is still owed: catalog ${name}`, async () => {
      const { url } = await startIngest({ metrics: "open", callbackRetries: [1], catalog: createCatalog() })
      const refusing = await startApp((_, count) => new Response(null, { status: count > 2 ? 200 : 500 }))
      const upload = async () => {
        const grant = createGrant({ slug: "avatar" })
        await register(url, { fileKeys: [grant.key], callbackUrl: refusing.url, awaitServerData: false })
        await putRaw(await sign(url, grant), "hello")
      }
      await upload()
      await eventually(async () => valueOf(await scrape(url), 'sluice_deliveries{status="dead"}') === 1)
      await upload()
      await eventually(async () => valueOf(await scrape(url), 'sluice_deliveries{status="pending"}') === 0)
      const text = await scrape(url)
      const attempts = (outcome: string) => valueOf(text, `sluice_callback_attempts_total{outcome="${outcome}"}`)
      expect({ failed: attempts("failed"), dead: attempts("dead"), delivered: attempts("delivered") }).toEqual({
        failed: 1,
        dead: 1,
        delivered: 1,
      })
      expect(valueOf(text, "sluice_callback_duration_seconds_count")).toBe(3)
    })
  }

  it("deliveries that wait, while they do", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const silent = await listen(() => {})
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: silent, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    expect(valueOf(await scrape(url), 'sluice_deliveries{status="pending"}')).toBe(1)
  })

  it("development streams, while they are open", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const grant = createGrant({ slug: "avatar" })
    const stream = await register(url, { fileKeys: [grant.key], isDev: true })
    expect(valueOf(await scrape(url), "sluice_dev_streams_open")).toBe(1)
    await postResult(url, { fileKey: grant.key, callbackData: null })
    await stream.body!.cancel()
    await eventually(async () => valueOf(await scrape(url), "sluice_dev_streams_open") === 0)
  })

  it("what housekeeping ends and removes", async () => {
    const ingest = await startIngest({ metrics: "open", sweepInterval: 5, unfinishedTtl: 0 })
    await putRaw(await sign(ingest.url, createGrant({ size: 10, expires: Date.now() + 900 })), "hello")
    await eventually(async () => valueOf(await scrape(ingest.url), "sluice_housekeeping_reclaimed_total") === 1)
    const text = await scrape(ingest.url)
    expect(valueOf(text, "sluice_housekeeping_abandoned_total")).toBe(1)
    expect(valueOf(text, "sluice_housekeeping_last_success_timestamp_seconds")).toBeGreaterThan(1.7e9)
  })

  it("storage that fails; a scrape goes on without what cannot be counted", async () => {
    const catalog = { ...createMemoryCatalog(), countDeliveries: () => Promise.reject(new Error("broken")) }
    const { url } = await startIngest({ metrics: "open", catalog })
    await scrape(url)
    const text = await scrape(url)
    expect(valueOf(text, 'sluice_storage_errors_total{storage="catalog",operation="countDeliveries"}')).toBe(2)
    expect(valueOf(text, 'sluice_deliveries{status="pending"}')).toBeNaN()
  })

  it("the process: memory, processor time, event loop, version", async () => {
    const { url } = await startIngest({ metrics: "open" })
    const text = await scrape(url)
    expect(valueOf(text, "process_resident_memory_bytes")).toBeGreaterThan(1e6)
    expect(valueOf(text, "process_cpu_seconds_total")).toBeGreaterThan(0)
    expect(valueOf(text, "process_start_time_seconds")).toBeGreaterThan(1.7e9)
    expect(valueOf(text, 'sluice_event_loop_delay_seconds{quantile="0.99"}')).toBeDefined()
    expect(text).toMatch(/^sluice_build_info\{version="[\d.]+",runtime="node [\d.]+"\} 1$/m)
  })
})

it("docs/operating.md lists every metric with its type, and no other", async () => {
  const { url } = await startIngest({ metrics: "open" })
  const actual = [...(await scrape(url)).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operating.md"), "utf8")
  const documented = [...page.matchAll(/^\| `([a-z_]+)` +\| (counter|gauge|histogram) +\|/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  )
  expect(documented.toSorted()).toEqual(actual.toSorted())
  expect(actual.length).toBeGreaterThan(10)
})
