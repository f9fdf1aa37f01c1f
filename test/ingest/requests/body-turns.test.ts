import * as Effect from "effect/Effect"
import { expect, it, onTestFinished } from "vitest"
import { createBodyRoom } from "../../../src/ingest/requests/body-room.ts"
import { createCallTurns } from "../../../src/ingest/requests/call-turns.ts"
import { performInTurn } from "../../../src/ingest/requests/perform-in-turn.ts"
import { readBytes } from "../../../src/server-kit/read-body.ts"

const size = 1024 * 1024
const piece = 64 * 1024

/** JSON of a mebibyte that says which call it is. */
const jsonOf = (call: number) => {
  const start = `{"call":${call},"filler":"`
  return new TextEncoder().encode(start + "x".repeat(size - start.length - 2) + '"}')
}

/** A body all of which has arrived, but for what comes after `held`. */
const bodyOf = (bytes: Uint8Array, held?: Promise<void>) => {
  const taken = { bytes: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (taken.bytes === bytes.length) return controller.close()
        // All but the end of it.
        if (held !== undefined && taken.bytes + piece >= bytes.length) await held
        const next = bytes.slice(taken.bytes, taken.bytes + piece)
        taken.bytes += next.length
        controller.enqueue(next)
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, taken }
}

const open = () => {
  const service = { turns: createCallTurns(), bodies: createBodyRoom(() => true), settings: { bodyTimeout: 60_000 } }
  let turn = 0
  let timer = setImmediate(function count() {
    turn++
    timer = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(timer))
  /** What was parsed, in its order, and in which turn of the event loop. */
  const parsed: Array<{ readonly app: string; readonly call: number; readonly turn: number }> = []
  const ask = (app: string, call: number, held?: Promise<void>, bytes = jsonOf(call)) => {
    const { stream, taken } = bodyOf(bytes, held)
    const headers = { "content-length": String(bytes.length) }
    const request = new Request("http://ingest.example", {
      method: "POST",
      body: stream,
      headers,
      duplex: "half",
    } as RequestInit)
    const answered = Effect.runPromise(
      performInTurn(service as never, { id: app } as never, request, {
        line: app,
        maximum: size,
        values: 100,
        size: {
          ofBody: () => {
            parsed.push({ app, call, turn })
            return 1
          },
        },
        perform: () => Effect.succeed(call),
      }),
    )
    return { answered, taken }
  }
  return { ask, parsed, turns: () => turn }
}

const callsOf = (parsed: ReadonlyArray<{ readonly app: string; readonly call: number }>, of: string) =>
  parsed.filter(({ app }) => app === of).map(({ call }) => call)

it("the large bodies of an app are read in the order in which they came, and other apps get their answers between them", async () => {
  const { ask, parsed } = open()
  const flood = Array.from({ length: 20 }, (_, call) => ask("a", call))
  const large = ask("b", 0)
  await ask("b", 1, undefined, new TextEncoder().encode("{}")).answered
  // What is small waits for none of them.
  expect(callsOf(parsed, "a")).toEqual([])
  await large.answered
  expect(callsOf(parsed, "a").length).toBeLessThanOrEqual(2)
  expect(flood.filter(({ taken }) => taken.bytes > 0).length).toBeLessThanOrEqual(4)
  await Promise.all(flood.map(({ answered }) => answered))
  expect(callsOf(parsed, "a")).toEqual(flood.map((_, call) => call))
})

it("large bodies of an app that all end at once are parsed one in a turn of the event loop", async () => {
  const { ask, parsed } = open()
  const { promise, resolve } = Promise.withResolvers<void>()
  const flood = Array.from({ length: 20 }, (_, call) => ask("a", call, promise))
  await expect.poll(() => flood.every(({ taken }) => taken.bytes === size - piece)).toBe(true)
  expect(parsed).toEqual([])
  resolve()
  await Promise.all(flood.map(({ answered }) => answered))
  expect(new Set(parsed.map(({ turn }) => turn)).size).toBe(20)
})

it("a body of which nothing more comes keeps no other one waiting", async () => {
  const { ask, parsed } = open()
  const { promise, resolve } = Promise.withResolvers<void>()
  const stalled = ask("a", 0, promise)
  expect(await ask("a", 1).answered).toBe(1)
  resolve()
  expect(await stalled.answered).toBe(0)
  expect(callsOf(parsed, "a")).toEqual([1, 0])
})

it("does not count what a body waits for its turn towards the time its client has", async () => {
  // Each turn takes two milliseconds: those that come last are read long after the time is over.
  let timer = setImmediate(function work() {
    for (const end = performance.now() + 2; performance.now() < end;);
    timer = setImmediate(work)
  })
  onTestFinished(() => clearImmediate(timer))
  const bodies = createBodyRoom(() => true)
  const read = (call: number) => {
    const bytes = jsonOf(call)
    const request = new Request("http://ingest.example", {
      method: "POST",
      body: bodyOf(bytes).stream,
      headers: { "content-length": String(bytes.length) },
      duplex: "half",
    } as RequestInit)
    return Effect.runPromise(bodies.hold("a", request, size, (paced) => readBytes(paced, size, 50)))
  }
  const all = await Promise.all(Array.from({ length: 30 }, (_, call) => read(call)))
  expect(all.map(({ length }) => length)).toEqual(all.map(() => size))
})
