import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { createCallTurns } from "../../../src/ingest/requests/call-turns.ts"
import { createBodyRoom } from "../../../src/ingest/requests/body-room.ts"
import { performInTurn } from "../../../src/ingest/requests/perform-in-turn.ts"
import { createMemoryCatalog } from "../../../src/ingest.ts"
import { apiKey, createGrant, postResult, register, startIngest } from "../circle.ts"
import { call } from "../rest/rest-app.ts"

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** All bytes of bodies. */
const total = 256 * 1024 * 1024

const open = () => {
  const bodies = createBodyRoom(() => true)
  const service = { turns: createCallTurns(), bodies, settings: { bodyTimeout: 1000 } }
  /** What `size` and `perform` were given, in their order. */
  const counted: Array<unknown> = []
  const performed: Array<unknown> = []
  return {
    counted,
    performed,
    /** Takes so much of the room for bodies until the end of the test. */
    fill: (bytes: number) => Effect.runFork(bodies.keep("a", bytes, Effect.never)),
    /** A request that means a thousand files and is over when it is told to. */
    ask: async (body: string) => {
      const over = Promise.withResolvers<void>()
      const fiber = Effect.runFork(
        performInTurn(
          service as never,
          { id: "a" } as never,
          new Request("http://ingest.example", { method: "POST", body }),
          {
            line: "a",
            maximum: 1000,
            values: 100,
            size: {
              ofBody: (parsed) => {
                counted.push(parsed)
                return 1000
              },
            },
            perform: (parsed) => {
              performed.push(parsed)
              return Effect.promise(() => over.promise)
            },
          },
        ),
      )
      while (fiber.pollUnsafe() === undefined && !counted.some((each) => JSON.stringify(each) === body)) await turn()
      return {
        fiber,
        end: async () => {
          over.resolve()
          await Effect.runPromise(Fiber.await(fiber))
          await turn()
        },
      }
    },
  }
}

it("a request that has to wait keeps what it was sent, not what that was parsed to", async () => {
  const { ask, counted, performed } = open()
  const first = await ask('{"call":1}')
  await ask('{"call":2}')
  expect(performed).toEqual([{ call: 1 }])
  // It was not parsed twice.
  expect(performed[0]).toBe(counted[0])
  await first.end()
  expect(performed).toEqual([{ call: 1 }, { call: 2 }])
  expect(performed[1]).not.toBe(counted[1])
})

it("the bodies of requests that wait count until their turn has come; where there is no room for one, it is refused", async () => {
  const { ask, performed, fill } = open()
  const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((number) => JSON.stringify({ call: number })) as [
    string,
    string,
    string,
    string,
    string,
  ]
  fill(total - one.length)
  const first = await ask(one)
  const second = await ask(two)
  expect(second.fiber.pollUnsafe()).toBeUndefined()
  const refused = await ask(three)
  expect(await Effect.runPromise(Effect.flip(Fiber.join(refused.fiber)))).toMatchObject({ code: "RATE_LIMITED" })
  await first.end()
  expect(performed).toEqual([{ call: 1 }, { call: 2 }])
  // The second one is under way, and its room is there for others.
  const fourth = await ask(four)
  expect(fourth.fiber.pollUnsafe()).toBeUndefined()
  await Effect.runPromise(Fiber.interrupt(fourth.fiber))
  const fifth = await ask(five)
  await second.end()
  await fifth.end()
  expect(performed.slice(2)).toEqual([{ call: 5 }])
})

it("registrations take turns by their keys, beside the calls of the REST API", async () => {
  const catalog = createMemoryCatalog()
  const over = Promise.withResolvers<void>()
  const begun: Array<number> = []
  const { url } = await startIngest({
    catalog: {
      ...catalog,
      register: async (registration) => {
        begun.push(registration.fileKeys.length)
        await over.promise
        return catalog.register(registration)
      },
    },
  })
  const ask = (count: number) => register(url, { fileKeys: Array.from({ length: count }, () => createGrant().key) })
  const answers = [ask(1000)]
  await expect.poll(() => begun).toEqual([1000])
  answers.push(ask(600))
  // What is sent after it is answered before it.
  for (let times = 0; times < 5; times++) {
    expect((await call(url, "listFiles", { limit: 1000 })).status).toBe(200)
  }
  expect(begun).toEqual([1000])
  over.resolve()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  expect(begun).toEqual([1000, 600])
})

it("results take turns by their bytes, beside each other and the calls of the REST API, and are parsed when theirs has come", async () => {
  const catalog = createMemoryCatalog()
  const over = Promise.withResolvers<void>()
  const begun: Array<string> = []
  const { url } = await startIngest({
    catalog: {
      ...catalog,
      recordResult: async (given) => {
        begun.push(given.key)
        await over.promise
        return catalog.recordResult(given)
      },
    },
  })
  const keys = [createGrant().key, createGrant().key]
  const large = "x".repeat(900_000)
  const answers = [postResult(url, { fileKey: keys[0], callbackData: large })]
  await expect.poll(() => begun).toEqual([keys[0]])
  answers.push(postResult(url, { fileKey: keys[1], callbackData: large }))
  for (let times = 0; times < 5; times++) {
    expect((await call(url, "listFiles", { limit: 1000 })).status).toBe(200)
  }
  expect(begun).toEqual([keys[0]])
  over.resolve()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404])
  expect(begun).toEqual(keys)
})

it("a call with a member twice is refused: which of them counts is not for parsers to choose", async () => {
  const { url } = await startIngest()
  const answer = await fetch(`${url}/v6/listFiles`, {
    method: "POST",
    headers: { "x-sluice-api-key": apiKey },
    body: '{"owner":"o1","owner":"zzz"}',
  })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ code: "BAD_REQUEST", detail: "The request's body has a member twice." }),
  ])
})
