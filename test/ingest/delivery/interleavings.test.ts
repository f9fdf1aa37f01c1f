import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
} from "../../../src/ingest.ts"
import { createGrant } from "../circle.ts"
import { type Asked, expectedAnswers, type Happening } from "./interleavings/expected-answers.ts"
import {
  type Attempt,
  precision,
  type Put,
  registrationId,
  settings,
  startPlayedIngest,
  type Stream,
} from "./interleavings/played-ingest.ts"

/** What clients, the app and the operator can do; `file` is 0 or 1. */
type Move =
  | { readonly do: "register" | "restart" }
  | { readonly do: "head" | "put" | "put at a wrong offset" | "post data" | "post an error"; readonly file: number }
  | { readonly do: "put a part" | "break off" | "fall silent"; readonly file: number; readonly bytes: number }
  | { readonly do: "answer"; readonly status: number | undefined }
  | { readonly do: "leave a stream"; readonly stream: number }
  | { readonly do: "pass"; readonly duration: number }

const file = fc.constantFrom(0, 1)

const shared = [
  { weight: 3, arbitrary: fc.record({ do: fc.constant("register" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), file }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("head", "put at a wrong offset"), file }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("post data", "post an error"), file }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("put a part", "break off", "fall silent"),
      file,
      bytes: fc.constantFrom(0, 1, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("pass" as const), duration: fc.constantFrom(30, 130, 450, 1070) }),
  },
] satisfies ReadonlyArray<fc.WeightedArbitrary<Move>>

const overHttp: fc.Arbitrary<Move> = fc.oneof(...shared, {
  weight: 6,
  arbitrary: fc.record({
    do: fc.constant("answer" as const),
    status: fc.constantFrom(200, 204, 307, 410, 500, undefined),
  }),
})

/** Without errors: what they leave owed goes out when somebody asks, which `dev-stream.test.ts` plays. */
const overStreams: fc.Arbitrary<Move> = fc
  .oneof(...shared, {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("leave a stream" as const), stream: fc.nat(3) }),
  })
  .filter((move) => move.do !== "post an error")

const content = new TextEncoder().encode("hello")

/** One file, and what its clients and its app have seen of it. */
const createStory = () => {
  const expires = Date.now() + 86_400_000
  const grant = createGrant({ slug: "avatar", registrationId, issuedAt: Date.now(), size: content.length, expires })
  const history: Array<Happening> = []
  return {
    grant,
    history,
    /** Stored bytes. */
    offset: 0,
    silent: undefined as Put | undefined,
    /** PUTs of the whole file. */
    asked: [] as Array<Asked & { readonly put: Put }>,
    attempts: [] as Array<Attempt>,
    /** Attempts before its schedule was last begun again. */
    redeliveredAfter: 0,
    /** By a PUT, and no attempt has begun since. */
    isAskedAgain: false,
    unanswered: undefined as Attempt | undefined,
    has: (kind: Happening["kind"]) => history.some((happening) => happening.kind === kind),
  }
}

type Story = ReturnType<typeof createStory>

type Open = Parameters<typeof startPlayedIngest>[0]

/** Plays the moves, and after each compares what everybody sees with what the protocol says. */
const play = async (
  open: Open,
  isDev: boolean,
  awaitServerData: boolean,
  moves: ReadonlyArray<Move>,
): Promise<void> => {
  const stories = [createStory(), createStory()] as const
  const fileKeys = stories.map(({ grant }) => grant.key)
  const streams: Array<Stream> = []
  let isRegistered = false
  let results = 0
  const storyOf = (key: string) => stories.find(({ grant }) => grant.key === key)!

  const ingest = startPlayedIngest(open, (attempt, { ended }) => {
    const story = storyOf(attempt.event.file.key)
    const { history, attempts } = story
    expect(attempt.isSigned).toBe(true)
    expect(story.unanswered, "two attempts at once").toBeUndefined()
    expect(story.has("delivered"), "an attempt after delivery").toBe(false)
    expect(attempt.event.id).toBe(attempts[0]?.event.id ?? attempt.event.id)
    expect(attempt.event.attempt).toBeGreaterThan(attempts.at(-1)?.event.attempt ?? 0)
    attempts.push(attempt)
    history.push({ at: Date.now(), kind: "attempt began" })
    story.unanswered = attempt
    story.isAskedAgain = false
    void ended.then((how) => {
      if (story.unanswered !== attempt) return
      story.unanswered = undefined
      if (how === "timeout") history.push({ at: Date.now(), kind: "attempt failed", isLast: isLast(attempt) })
    })
  })
  const isLast = ({ event }: Attempt) =>
    event.attempt - storyOf(event.file.key).redeliveredAfter > settings.callbackRetries.length

  /** Whether a PUT now makes the callback due at once, or as soon as the attempt under way has ended. */
  const isRenewing = ({ history, attempts, unanswered, offset }: Story): boolean => {
    if (!awaitServerData || offset < content.length || attempts.length === 0) return false
    const results = history.filter((happening) => happening.kind === "result")
    if (results.some(({ result }) => "data" in result)) return false
    if (history.some((one) => one.kind === "delivered" || (one.kind === "attempt failed" && one.isLast))) return false
    const began = history.findLastIndex(({ kind }) => kind === "attempt began")
    return unanswered === undefined || history.findLastIndex(({ kind }) => kind === "result") > began
  }

  const answer = (story: Story, status: number | undefined): void => {
    const attempt = story.unanswered!
    story.unanswered = undefined
    attempt.answer(status)
    const at = Date.now()
    if (status === 200 || status === 204) story.history.push({ at, kind: "delivered" })
    else story.history.push({ at, kind: "attempt failed", isLast: status === 410 || isLast(attempt) })
  }

  /** Another request has come for the key: a client that fell silent is told, its bytes are kept. */
  const supersede = async (story: Story, expected: RegExp): Promise<void> => {
    await ingest.settle()
    if (story.silent === undefined) return
    expect(story.silent.answer).toMatch(expected)
    story.silent = undefined
  }

  const put = (story: Story, start: number, end: number, after: "end" | "cut" | "silence"): Promise<Put> =>
    ingest.put(story.grant, start, content.slice(start, end), after)

  const moved: { readonly [M in Move as M["do"]]: (move: M) => Promise<void> } = {
    register: async () => {
      if (isDev) streams.push(await ingest.openStream(fileKeys, awaitServerData))
      else expect((await ingest.register(fileKeys, awaitServerData)).status).toBe(200)
      if (!isRegistered) for (const { history } of stories) history.push({ at: Date.now(), kind: "registered" })
      isRegistered = true
    },
    restart: async () => {
      for (const { history } of stories) history.push({ at: Date.now(), kind: "ingest stopped" })
      await ingest.restart()
      for (const story of stories) await supersede(story, /^(423|503) /)
    },
    head: async ({ file }) => {
      const story = stories[file]!
      expect(await ingest.head(story.grant)).toBe(story.offset)
      await supersede(story, /^423 LOCKED$/)
    },
    put: async ({ file }) => {
      const story = stories[file]!
      if (!isDev && !story.isAskedAgain && isRenewing(story)) {
        story.redeliveredAfter = story.attempts.length
        story.isAskedAgain = true
      }
      const sent = await put(story, story.offset, content.length, "end")
      story.offset = content.length
      // Stored or stored again: from now on it waits for the app.
      story.asked.push({ at: Date.now(), position: story.history.length, put: sent })
      await supersede(story, /^423 LOCKED$/)
    },
    "put at a wrong offset": async ({ file }) => {
      const story = stories[file]!
      if (story.offset === content.length) return
      const sent = await put(story, story.offset + 1, content.length, "end")
      await supersede(story, /^423 LOCKED$/)
      expect(sent).toMatchObject({ answer: "409 RANGE_MISMATCH", offset: story.offset })
    },
    "put a part": async ({ file, bytes }) => {
      const story = stories[file]!
      const end = Math.min(story.offset + bytes, content.length - 1)
      if (story.offset === content.length) return
      const sent = await put(story, story.offset, end, "end")
      story.offset = end
      await supersede(story, /^423 LOCKED$/)
      expect(sent).toMatchObject({ answer: "409 RANGE_MISMATCH", offset: end })
    },
    "break off": async ({ file, bytes }) => {
      const story = stories[file]!
      const end = Math.min(story.offset + bytes, content.length - 1)
      if (story.offset === content.length) return
      const sent = await put(story, story.offset, end, "cut")
      story.offset = end
      await supersede(story, /^423 LOCKED$/)
      expect(sent).toMatchObject({ answer: "409 RANGE_MISMATCH", offset: end })
    },
    "fall silent": async ({ file, bytes }) => {
      const story = stories[file]!
      const end = Math.min(story.offset + bytes, content.length - 1)
      if (story.offset === content.length) return
      const sent = await put(story, story.offset, end, "silence")
      story.offset = end
      await supersede(story, /^423 LOCKED$/)
      expect(sent.answer).toBeUndefined()
      story.silent = sent
    },
    "post data": async ({ file }) => postResult(file, { data: ++results }),
    "post an error": async ({ file }) => postResult(file, { error: `refused ${++results}` }),
    answer: async ({ status }) => {
      const story = stories.find(({ unanswered }) => unanswered !== undefined)
      if (story !== undefined) answer(story, status)
    },
    "leave a stream": async ({ stream }) => {
      const opened = streams.filter(({ state }) => state === "open")
      opened[stream % opened.length]?.leave()
    },
    pass: ({ duration }) => ingest.pass(duration),
  }

  const postResult = async (file: number, result: { data: unknown } | { error: string }): Promise<void> => {
    const { grant, history, asked } = stories[file]!
    const body = "data" in result ? { callbackData: result.data } : result
    const { status } = await ingest.post({ fileKey: grant.key, ...body })
    if (asked.length === 0) return
    expect(status).toBe(200)
    const at = Date.now()
    history.push({ at, kind: "result", result })
    if (isDev && isRegistered) history.push({ at, kind: "delivered" })
  }

  const rules = { awaitServerData, callbackWait: settings.callbackWait }
  const check = (): void => {
    for (const { asked, history, attempts, unanswered, has, grant } of stories) {
      for (const one of asked) {
        const expected = expectedAnswers(history, one, rules, Date.now(), precision)
        expect(expected.length === 0 ? ["waits"] : expected).toContain(one.put.answer ?? "waits")
      }
      const isOwed = isRegistered && asked.length > 0
      if (!isOwed || isDev) expect(attempts, "no callback is owed").toEqual([])
      else if (attempts.length === 0) expect(has("delivered"), "a callback is owed").toBe(true)
      if (!isDev) continue
      const opened = streams.filter(({ state }) => state === "open")
      const ids = streams.flatMap(({ events }) =>
        events.filter(({ file }) => file.key === grant.key).map(({ id }) => id),
      )
      expect(new Set(ids).size).toBeLessThanOrEqual(1)
      const holders = opened.filter(({ events }) => events.some(({ file }) => file.key === grant.key))
      if (isOwed && !has("delivered") && opened.length > 0) expect(holders.length, "in one stream's hands").toBe(1)
      expect(unanswered).toBeUndefined()
    }
    for (const { isSigned } of streams) expect(isSigned).toBe(true)
  }

  try {
    for (const move of moves) {
      await (moved[move.do] as (move: Move) => Promise<void>)(move)
      await ingest.settle()
      check()
    }
    // From here on all goes well: whatever was done before, every event arrives.
    await moved.register({ do: "register" })
    for (const file of [0, 1]) if (stories[file]!.asked.length === 0) await moved.put({ do: "put", file })
    const isOpen = ({ has }: Story) => !has("delivered")
    for (let round = 0; round < 8 && stories.some(isOpen); round++) {
      await ingest.settle()
      check()
      for (const [index, story] of stories.entries()) {
        if (isDev && isOpen(story)) await postResult(index, { data: "at last" })
        if (story.unanswered !== undefined) answer(story, 200)
      }
      await ingest.pass(150)
      check()
    }
    await ingest.pass(settings.callbackWait + 2 * precision)
    check()
    for (const { has, history } of stories) {
      const isDead = history.some((happening) => happening.kind === "attempt failed" && happening.isLast)
      expect(has("delivered") || isDead, "every event is delivered, or given up after the last attempt").toBe(true)
    }
    for (const { state } of streams) expect(state).not.toBe("open")
  } finally {
    for (const { silent } of stories) silent?.leave()
    await ingest.close()
  }
}

describe("whatever the order of register, PUT, HEAD, callback, result, time and restarts", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] }),
  )
  afterEach(() => void vi.useRealTimers())

  /** 0: every file goes to the blob store; 100: whole ones stay in the catalog. */
  const largestContent = fc.constantFrom(0, 100)

  const inMemory = (limit: number): Open => {
    const drivers = { store: createMemoryBlobStore(), catalog: createMemoryCatalog({ largestContent: limit }) }
    return () => drivers
  }

  /** Drivers of a new process over the same data. */
  const onDisk = async (limit: number): Promise<Open & AsyncDisposable> => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-interleavings-"))
    const open = () => ({
      store: createDiskBlobStore({ folder: join(folder, "files") }),
      catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite"), largestContent: limit }),
    })
    return Object.assign(open, { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) })
  }

  describe.each([
    ["callbacks over HTTP", false, overHttp],
    ["a development stream", true, overStreams],
  ])("with %s, each PUT is answered as the protocol says and each event arrives", (_what, isDev, move) => {
    const given = [largestContent, fc.boolean(), fc.array(move, { maxLength: 25 })] as const

    it("in memory", async () => {
      const property = fc.asyncProperty(...given, (limit, awaitServerData, moves) =>
        play(inMemory(limit), isDev, awaitServerData, moves),
      )
      await fc.assert(property, { numRuns: 300 })
    })

    it("on disk and SQLite, opened anew at each restart", async () => {
      const property = fc.asyncProperty(...given, async (limit, awaitServerData, moves) => {
        await using open = await onDisk(limit)
        await play(open, isDev, awaitServerData, moves)
      })
      await fc.assert(property, { numRuns: 15 })
    })
  })

  it("an ingest that starts while its catalog fails delivers as soon as it works", async () => {
    const attempts: Array<Attempt> = []
    const store = createMemoryBlobStore()
    const catalog = createMemoryCatalog()
    let failures = 0
    const broken = {
      ...catalog,
      releaseClaims: (now: number) =>
        ++failures === 2 ? Promise.reject(new Error("The disk is full.")) : catalog.releaseClaims(now),
    }
    const ingest = startPlayedIngest(
      () => ({ store, catalog: broken }),
      (attempt) => void attempts.push(attempt),
    )
    const { grant } = createStory()
    await ingest.register([grant.key], true)
    await ingest.put(grant, 0, content, "end")
    await ingest.settle()
    expect(attempts).toHaveLength(1)
    await ingest.restart()
    await ingest.pass(6000)
    expect(failures).toBeGreaterThan(1)
    expect(attempts.length).toBeGreaterThan(1)
    await ingest.close()
  })
})
