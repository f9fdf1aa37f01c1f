import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../../adapters/node/to-node-listener.ts"
import type { Respond } from "../../../src/http/answer.ts"
import {
  type BlobStore,
  type Catalog,
  createIngest,
  createMemoryBlobStore,
  type IngestOptions,
} from "../../../src/ingest.ts"
import { createIngest as createTimedIngest } from "../../../src/ingest/ingest.ts"
import { processTimes, type ProcessTimes } from "../../../src/ingest/processes/membership.ts"
import { createPostgresCatalog } from "../../../src/postgres.ts"
import { type CallbackEvent, type DevStreamEvent, names, readJsonLines } from "../../../src/protocol.ts"
import { startPostgres, type TestPostgres } from "../../start-postgres.ts"
import {
  answerWith,
  apiKey,
  createGrant,
  eventually,
  listen,
  offsetOf,
  postResult,
  putRaw,
  randomContent,
  register,
  sign,
  startApp,
  token,
} from "../circle.ts"

let postgres: TestPostgres
let pool: pg.Pool
let schemas = 0

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 12 })
})

afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

const fast: ProcessTimes = { lease: 1500, beat: 100, look: 50, cutOff: 1000 }

/** Ingests on one catalog and one store, that all sign for the first one's URL, as behind a load balancer. */
const createSeveral = () => {
  const schema = `several ${++schemas}`
  const store = createMemoryBlobStore()
  let publicUrl: string | undefined
  const open = (): Catalog => createPostgresCatalog({ pool, schema })
  return {
    open,
    store,
    start: async (given: Partial<IngestOptions> = {}, times = fast) => {
      let respond: Respond = async () => ({ status: 503, headers: {}, body: null })
      const url = await listen(toNodeListener({ respond: (request) => respond(request) }))
      publicUrl ??= url
      const catalog = given.catalog ?? open()
      const options = { token, url: publicUrl, logLevel: "None", store, ...given, catalog } as const
      const ingest = createTimedIngest(options, times)
      respond = ingest.fetch.respond
      onTestFinished(ingest.close)
      // It is known to the others.
      await catalog.processes!.look({ lease: times.lease, active: {} })
      /** The same request, as the load balancer sends it here. */
      const here = (signed: string): string => url + signed.slice(publicUrl!.length)
      return { url, catalog, here, close: ingest.close }
    },
  }
}

/** A store that keeps nothing of a body before it ends or breaks off, as one in a bucket keeps what fills no part. */
const keepAtEnd = (store: BlobStore): BlobStore => ({
  ...store,
  append: async (key, append) => {
    const chunks: Array<Uint8Array> = []
    let brokenOff: { readonly cause: unknown } | undefined
    try {
      for await (const chunk of append.body) chunks.push(Uint8Array.from(chunk))
    } catch (cause) {
      brokenOff = { cause }
    }
    async function* pieces() {
      yield* chunks
    }
    const appended = await store.append(key, { ...append, body: pieces() })
    return brokenOff === undefined ? appended : { ...appended, brokenOff }
  },
})

/** A body that sends a piece, and then nothing until it is ended. */
const createSlowBody = (piece: Uint8Array) => {
  let end = (): void => {}
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(piece)
      end = () => {
        try {
          controller.close()
        } catch {
          // It was cancelled.
        }
      }
    },
  })
  return { stream, end: () => end() }
}

/** Begins an upload that sends the first bytes and waits; resolves, when the ingest has the key, with its answer to come. */
const beginSlowly = async (signed: string, content: Uint8Array, catalog: Catalog, key: string) => {
  const { stream, end } = createSlowBody(content)
  onTestFinished(end)
  const answer = putRaw(signed, stream)
  answer.catch(() => {})
  await eventually(async () => (await catalog.get(key)) !== null)
  return { answer, end }
}

const deleteFiles = (ingestUrl: string, key: string): Promise<Response> =>
  fetch(`${ingestUrl}/v6/deleteFiles`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify({ fileKeys: [key] }),
  })

const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${((await response.json()) as { readonly code: string }).code}`

const openStream = async (ingestUrl: string, fileKeys: ReadonlyArray<string>) => {
  const response = await register(ingestUrl, { fileKeys, isDev: true })
  expect(response.status).toBe(200)
  const ended = new AbortController()
  const lines = readJsonLines(response.body!.pipeThrough(new TransformStream(), { signal: ended.signal }))
  const leave = () => ended.abort()
  onTestFinished(leave)
  const next = async (): Promise<DevStreamEvent | undefined> => {
    try {
      return (await lines.next()).value as DevStreamEvent | undefined
    } catch {
      return undefined
    }
  }
  return { next, leave }
}

const keyOf = ({ payload }: DevStreamEvent): string => (JSON.parse(payload) as CallbackEvent).file.key

describe("of several ingests on one catalog", () => {
  it("one that is asked to go on with an upload has the other one let it go, and names all that was received", async () => {
    const { start, store } = createSeveral()
    const [one, other] = [await start({ store: keepAtEnd(store) }), await start()]
    const content = randomContent(300_000)
    const grant = createGrant({ size: content.length })
    const signed = await sign(one.url, grant)
    const { answer } = await beginSlowly(signed, content.subarray(0, 200_000), one.catalog, grant.key)
    expect(await offsetOf(other.here(signed))).toBe(200_000)
    expect(await codeOf(await answer)).toBe("423 LOCKED")
    const rest = await putRaw(other.here(signed), content.subarray(200_000), 200_000)
    expect(rest.status).toBe(200)
    const got = await fetch(`${one.url}/f/${grant.key}`)
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true)
  })

  it("a PUT goes on where the other one has let go, too, and none is refused because of one that is dead", async () => {
    const { start, open } = createSeveral()
    const [one, other] = [await start(), await start()]
    const content = randomContent(300_000)
    const grant = createGrant({ size: content.length })
    const signed = await sign(one.url, grant)
    await beginSlowly(signed, content.subarray(0, 200_000), one.catalog, grant.key)
    const wrong = await putRaw(other.here(signed), content)
    expect([wrong.status, wrong.headers.get(names.header.rangeStart)]).toEqual([409, "200000"])
    // A process that has begun it, and is heard of no more.
    const dead = open()
    onTestFinished(dead.close)
    await dead.processes!.look({ lease: 1, active: {} })
    expect((await dead.begin({ grant, origin: one.url, now: Date.now() })).kind).toBe("granted")
    const before = performance.now()
    expect((await putRaw(other.here(signed), content.subarray(200_000), 200_000)).status).toBe(200)
    expect(performance.now() - before).toBeLessThan(1900)
  })

  it("one that deletes a file stops its upload in the other one", async () => {
    const { start } = createSeveral()
    const [one, other] = [await start(), await start()]
    const grant = createGrant({ size: 300_000 })
    const { answer } = await beginSlowly(await sign(one.url, grant), randomContent(200_000), one.catalog, grant.key)
    expect((await deleteFiles(other.url, grant.key)).status).toBe(200)
    expect(await codeOf(await answer)).toBe("404 NOT_FOUND")
  })

  it("one that deletes a file ends its downloads in the other one", async () => {
    const several = createSeveral()
    const [first, second] = [await several.start(), await several.start()]
    const content = randomContent(20_000_000)
    const grant = createGrant({ size: content.length })
    expect((await putRaw(await sign(first.url, grant), content)).status).toBe(200)
    const response = await fetch(`${second.url}/f/${grant.key}`)
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    await reader.read()
    expect((await deleteFiles(first.url, grant.key)).status).toBe(200)
    // Longer than between two looks at what is being sent.
    await new Promise((resolve) => setTimeout(resolve, 5000))
    let received = 0
    const readOn = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) received += next.value.length
    }
    await expect(readOn()).rejects.toThrow()
    expect(received).toBeLessThan(content.length / 2)
  })

  it("each hears what the app has said of a file to another one", async () => {
    const { start } = createSeveral()
    const [one, other] = [await start(), await start()]
    const app = await startApp()
    const grant = createGrant({ slug: "avatar" })
    await register(other.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true })
    const answer = putRaw(await sign(one.url, grant), "hello")
    await app.until(1)
    await postResult(other.url, { fileKey: grant.key, callbackData: { id: 7 } })
    expect(await (await answer).json()).toMatchObject({ serverData: { id: 7 } })
  })

  it("a development stream gets the event of a file that went to another one, and ends with what was posted there", async () => {
    const { start } = createSeveral()
    const [one, other] = [await start(), await start()]
    const grant = createGrant({ slug: "avatar" })
    const stream = await openStream(one.url, [grant.key])
    const answer = putRaw(other.here(await sign(one.url, grant)), "hello")
    const event = (await stream.next())!
    expect(keyOf(event)).toBe(grant.key)
    await postResult(other.url, { fileKey: grant.key, callbackData: 1 })
    expect(await (await answer).json()).toMatchObject({ serverData: 1 })
    expect(await stream.next()).toBeUndefined()
  })

  it("development streams of one app get each event once, and the second one what the first one leaves", async () => {
    const { start } = createSeveral()
    const [one, other] = [await start(), await start()]
    const grants = Array.from({ length: 6 }, () => createGrant({ slug: "avatar" }))
    const keys = grants.map(({ key }) => key)
    const streams = [await openStream(one.url, keys), await openStream(other.url, keys)] as const
    const seen: Array<string> = []
    const left: Array<string> = []
    const read = async (stream: (typeof streams)[number], into: Array<string>) => {
      for (let event = await stream.next(); event !== undefined; event = await stream.next()) into.push(keyOf(event))
    }
    const reading = read(streams[1], seen)
    const first = read(streams[0], left)
    const answers = grants.map(async (grant) => putRaw(await sign(one.url, grant), "hello"))
    await eventually(() => seen.length + left.length >= keys.length)
    expect([...seen, ...left].toSorted()).toEqual([...keys].toSorted())
    expect(left.length).toBeGreaterThan(0)
    streams[0].leave()
    await first
    await eventually(() => new Set(seen).size === keys.length)
    for (const key of keys) await postResult(one.url, { fileKey: key, callbackData: null })
    for (const answer of answers) expect((await answer).status).toBe(200)
    await reading
    expect(seen).toHaveLength(keys.length)
  })

  it("one sends what another one had claimed that is dead, or has left", async () => {
    const { start, open } = createSeveral()
    const one = await start()
    const app = await startApp(answerWith(null))
    const claimed = async (lease: number) => {
      const other = open()
      onTestFinished(other.close)
      await other.processes!.look({ lease, active: {} })
      const grant = createGrant({ slug: "avatar" })
      await register(one.url, { fileKeys: [grant.key], callbackUrl: app.url })
      const now = Date.now()
      const notes = { now, eventId: `evt_${grant.key}`, claimedUntil: now + 3_600_000 }
      const bytes = Buffer.from("hello")
      const committed = await other.commitWhole({ grant, origin: one.url, bytes, fileHash: "", ...notes })
      expect(committed).toMatchObject({ kind: "committed", due: { attempt: 1 } })
      return other
    }
    await claimed(300)
    await app.until(1)
    const other = await claimed(60_000)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(app.received).toHaveLength(1)
    await other.processes!.leave()
    await app.until(2)
  })

  it("one leaves when it stops: what it could not send is sent by another one at once", async () => {
    const { start } = createSeveral()
    const [other, one] = [await start(), await start()]
    let hang = true
    const app = await startApp(async (received) => {
      if (hang) await new Promise((resolve) => setTimeout(resolve, 20_000).unref())
      return answerWith(1)(received)
    })
    const grant = createGrant({ slug: "avatar" })
    await register(one.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true })
    const answer = putRaw(one.here(await sign(other.url, grant)), "hello")
    await app.until(1)
    hang = false
    await one.close()
    expect((await answer).status).toBe(503)
    const again = await putRaw(await sign(other.url, grant), "hello")
    expect(await again.json()).toMatchObject({ serverData: 1 })
    expect(app.received).toHaveLength(2)
  })

  it("one that has lost the catalog cuts its uploads off and claims nothing, and goes on when it is back", async () => {
    const { start, open } = createSeveral()
    let isLost = false
    const catalog = open()
    const { processes } = catalog
    const look: typeof processes = {
      ...processes!,
      look: async (asked) => {
        if (isLost) throw new Error("lost")
        return processes!.look(asked)
      },
    }
    const one = await start({ catalog: { ...catalog, processes: look } })
    const grant = createGrant({ size: 300_000 })
    const signed = await sign(one.url, grant)
    const { answer } = await beginSlowly(signed, randomContent(200_000), one.catalog, grant.key)
    isLost = true
    expect(await codeOf(await answer)).toBe("503 INGEST_UNAVAILABLE")
    const app = await startApp()
    const small = createGrant({ slug: "avatar" })
    await register(one.url, { fileKeys: [small.key], callbackUrl: app.url, awaitServerData: false })
    expect((await putRaw(await sign(one.url, small), "hello")).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(app.received).toHaveLength(0)
    isLost = false
    await app.until(1)
    expect(await offsetOf(signed)).toBe(200_000)
  })

  it("one whose store does not answer for a removal holds up those of no other", async () => {
    const { start, store } = createSeveral()
    let isHung = true
    const hung = createGrant({ size: 20_000 })
    const slow = {
      ...store,
      remove: (name: string) =>
        isHung && name.startsWith(hung.key) ? new Promise<void>(() => {}) : store.remove(name),
    }
    const one = await start({ store: slow })
    const other = await start()
    onTestFinished(() => void (isHung = false))
    const grants = [hung, createGrant({ size: 20_000 })] as const
    for (const grant of grants) await putRaw(await sign(one.url, grant), randomContent(20_000))
    expect((await deleteFiles(one.url, hung.key)).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const [, free] = grants
    expect((await deleteFiles(other.url, free.key)).status).toBe(200)
    await eventually(async () => (await other.catalog.get(free.key)) === null)
  })

  it("what one stores that learns late that the file is gone is removed", async () => {
    const { start, store } = createSeveral()
    const kept = new Set<string>()
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const watched: BlobStore = {
      ...store,
      claim: async (name, epoch) => {
        arrived.resolve()
        await released.promise
        kept.add(name)
        return store.claim(name, epoch)
      },
      append: (name, append) => {
        kept.add(name)
        return store.append(name, append)
      },
      remove: async (name) => {
        kept.delete(name)
        await store.remove(name)
      },
    }
    const one = await start({ store: watched })
    const other = await start({ store: watched })
    const content = randomContent(300_000)
    const grant = createGrant({ size: content.length, type: "application/octet-stream" })
    const signed = await sign(one.url, grant)
    const { end, answer: broken } = await beginSlowly(signed, content.subarray(0, 200_000), one.catalog, grant.key)
    end()
    await broken
    expect(kept.size).toBe(1)
    const answer = putRaw(signed, content.subarray(200_000), 200_000)
    await arrived.promise
    expect((await deleteFiles(other.url, grant.key)).status).toBe(200)
    await eventually(async () => (await other.catalog.get(grant.key)) === null)
    expect(kept.size).toBe(0)
    released.resolve()
    expect([404, 409, 423]).toContain((await answer).status)
    await eventually(() => kept.size === 0)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(kept.size).toBe(0)
  })

  it("all go by one clock, whatever the clock of a machine says", async () => {
    const { start, open } = createSeveral()
    const catalog = open()
    const { processes } = catalog
    const ahead = 90_000
    const one = await start({
      catalog: {
        ...catalog,
        processes: {
          ...processes!,
          look: async (asked) => {
            const told = await processes!.look(asked)
            return { ...told, now: told.now + ahead }
          },
        },
      },
    })
    const signed = await sign(one.url, createGrant({ expires: Date.now() + 60_000 }))
    await eventually(async () => (await fetch(signed, { method: "HEAD" })).status === 403)
  })

  it("an app has as many uploads as it may in all of them together, more or less", async () => {
    const { start } = createSeveral()
    const [one, other] = [await start({ maxConcurrentUploads: 1 }), await start({ maxConcurrentUploads: 1 })]
    const grant = createGrant({ size: 300_000 })
    await beginSlowly(await sign(one.url, grant), randomContent(200_000), one.catalog, grant.key)
    await eventually(async () => (await putRaw(other.here(await sign(one.url, createGrant())), "hello")).status === 429)
  })
})

describe("an ingest without a background", () => {
  it("is none of several: nobody waits for it", async () => {
    const { open, store } = createSeveral()
    const catalog = open()
    const ingest = createIngest({ token, catalog, store, logLevel: "None", background: false })
    onTestFinished(ingest.close)
    await ingest.fetch(new Request("http://ingest.example/ready"))
    expect(await pool.query(`SELECT * FROM "several ${schemas}".processes`)).toMatchObject({ rowCount: 0 })
  })
})

it("looks often enough for the lease that it takes", () => {
  const { lease, beat, look, cutOff } = processTimes
  expect(look).toBeLessThan(beat)
  expect(2 * beat).toBeLessThan(cutOff)
  expect(cutOff).toBeLessThan(lease)
})
