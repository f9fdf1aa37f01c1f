import { expect, it } from "vitest"
import { createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import {
  answerWith,
  createGrant,
  eventually,
  offsetOf,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
} from "./circle.ts"
import { createPacedBody } from "./upload/paced-body.ts"

const codeOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`
const long = 60_000

it("draining ends development streams and those whose app is not at work at once, while an upload goes on to its end", async () => {
  const ingest = await startIngest({ catalog: createMemoryCatalog({ largestContent: 0 }) })
  const app = await startApp(() => new Response(null, { status: 500 }))
  const [dev, waiting, running] = [createGrant({ slug: "dev" }), createGrant({ slug: "avatar" }), createGrant()]
  const stream = await register(ingest.url, { fileKeys: [dev.key], callbackUrl: app.url, isDev: true })
  // Its registration has not come yet.
  const waits = putRaw(await sign(ingest.url, waiting), "hello")
  const { body, end } = createPacedBody("hel")
  const runs = putRaw(await sign(ingest.url, running), body)
  await eventually(async () => (await ingest.catalog.get(running.key)) !== null)
  await eventually(async () => (await ingest.catalog.get(waiting.key))?.file.status === "Uploaded")

  let isDrained = false
  void ingest.drain(long).then(() => (isDrained = true))
  expect(await stream.text()).toBe("\n")
  expect(await codeOf(await waits)).toBe("503 INGEST_UNAVAILABLE")
  expect(await codeOf(await putRaw(await sign(ingest.url, createGrant()), "hello"))).toBe("503 INGEST_UNAVAILABLE")
  expect(isDrained).toBe(false)
  end("lo")
  expect((await runs).status).toBe(200)
})

it("draining begins no callback any more; the next ingest does", async () => {
  const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog({ largestContent: 0 })]
  const ingest = await startIngest({ store, catalog })
  const app = await startApp(answerWith({ ok: 1 }))
  const grant = createGrant({ slug: "avatar" })
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
  const { body, end } = createPacedBody("hel")
  const runs = putRaw(await sign(ingest.url, grant), body)
  await eventually(async () => (await catalog.get(grant.key)) !== null)
  const drained = ingest.drain(long)
  end("lo")
  expect(await codeOf(await runs)).toBe("503 INGEST_UNAVAILABLE")
  await drained
  await ingest.close()
  expect(app.received).toEqual([])
  const next = await startIngest({ store, catalog })
  const again = await putRaw(await sign(next.url, grant), "hello")
  expect([again.status, (await again.json()).serverData]).toEqual([200, { ok: 1 }])
  expect(app.received.map(({ event }) => event.attempt)).toEqual([1])
})

it("draining lets a callback under way come to its end", async () => {
  const catalog = createMemoryCatalog({ largestContent: 0 })
  const ingest = await startIngest({ catalog })
  let answer = () => {}
  const app = await startApp(() => new Promise((resolve) => (answer = () => resolve(new Response()))))
  const grant = createGrant({ slug: "avatar" })
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
  expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
  await app.until(1)
  const drained = ingest.drain(long)
  answer()
  await drained
  expect((await catalog.get(grant.key))?.delivery?.status).toBe("delivered")
  expect(app.received).toHaveLength(1)
})

it("what is not over at the end of the grace is broken off with its bytes kept, and its callback sent by the next ingest", async () => {
  const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog({ largestContent: 0 })]
  const ingest = await startIngest({ store, catalog })
  const app = await startApp((_, count) => (count === 1 ? new Promise(() => {}) : new Response()))
  const [called, running] = [createGrant({ slug: "avatar" }), createGrant()]
  await register(ingest.url, { fileKeys: [called.key], callbackUrl: app.url, awaitServerData: false })
  expect((await putRaw(await sign(ingest.url, called), "hello")).status).toBe(200)
  await app.until(1)
  const runs = putRaw(await sign(ingest.url, running), createPacedBody("hel").body)
  await eventually(async () => (await catalog.get(running.key)) !== null)

  await ingest.drain(10)
  await ingest.close()
  expect(await codeOf(await runs)).toBe("503 INGEST_UNAVAILABLE")

  const next = await startIngest({ store, catalog })
  expect(await offsetOf(await sign(next.url, running))).toBe(3)
  await app.until(2)
  expect(app.received[1]!.event.id).toBe(app.received[0]!.event.id)
})
