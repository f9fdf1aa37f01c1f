import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { createCallTurns } from "../../../src/ingest/requests/call-turns.ts"
import { names } from "../../../src/protocol.ts"
import { Rejected } from "../../../src/server-kit/rejected.ts"
import { apiKey, startIngest } from "../circle.ts"
import { operations } from "../../../src/ingest/rest/operations.ts"

const turn = () => new Promise((resolve) => setImmediate(resolve))

const open = () => {
  const { take } = createCallTurns()
  const begun: Array<string> = []
  return {
    begun,
    /** A call that ends when it is told to; `name` begins with that of its app. */
    call: (name: string, size: number) => {
      const over = Promise.withResolvers<void>()
      const work = Effect.promise(() => {
        begun.push(name)
        return over.promise
      })
      const fiber = Effect.runFork(take(name[0]!, size, work))
      return {
        fiber,
        end: async () => {
          over.resolve()
          await Effect.runPromise(Fiber.await(fiber))
          await turn()
          await turn()
        },
      }
    },
  }
}

it("large calls of an app are performed one after the other, small ones of others at once", async () => {
  const { begun, call } = open()
  const first = call("a1", 1000)
  const second = call("a2", 1000)
  call("a3", 1)
  call("b1", 1)
  call("b2", 20)
  await turn()
  expect(begun).toEqual(["a1", "b1", "b2"])
  await first.end()
  expect(begun.slice(3)).toEqual(["a2"])
  await second.end()
  expect(begun.slice(4)).toEqual(["a3"])
})

it("of very many calls that arrive in one turn of the event loop most wait, and then begin one a turn", async () => {
  const { begun, call } = open()
  for (let i = 1; i <= 30; i++) void call(`a${i}`, 1).end()
  call("b1", 1)
  // Neither has the event loop turned, nor has any of them ended.
  await Promise.resolve()
  expect(begun).toEqual([...Array.from({ length: 16 }, (_, i) => `a${i + 1}`), "b1"])
  const after: Array<number> = []
  while (begun.length < 31) {
    await turn()
    after.push(begun.length)
  }
  expect(Math.max(...after.map((count, i) => count - (after[i - 1] ?? 17)))).toBe(1)
  expect(begun.slice(17)).toEqual(Array.from({ length: 14 }, (_, i) => `a${i + 17}`))
  // The next turn is a new one.
  call("a31", 1)
  expect(begun).toHaveLength(32)
})

it("apps with large calls take turns", async () => {
  const { begun, call } = open()
  const calls = ["a1", "b1", "a2", "a3", "b2", "c1"].map((name) => call(name, 1000))
  await turn()
  expect(begun).toEqual(["a1", "b1"])
  await calls[0]!.end()
  await calls[1]!.end()
  expect(begun.slice(2)).toEqual(["a2", "c1"])
  await calls[2]!.end()
  expect(begun.slice(4)).toEqual(["b2"])
})

it("a large call that does not fit is not passed by others for ever, and small ones of others do not wait for it", async () => {
  const { begun, call } = open()
  const b1 = call("b1", 500)
  await turn()
  const c1 = call("c1", 500)
  await turn()
  const whole = call("a1", 2000)
  call("a2", 1)
  await turn()
  // They would fit, and came later.
  const later = ["b2", "c2", "d1"].map((name) => call(name, 400))
  call("e1", 1)
  await turn()
  await turn()
  expect(begun).toEqual(["b1", "c1", "e1"])
  await b1.end()
  expect(begun.slice(3)).toEqual([])
  await c1.end()
  expect(begun.slice(3)).toEqual(["a1"])
  await whole.end()
  for (const { end } of later) await end()
  expect(begun.slice(4).toSorted()).toEqual(["a2", "b2", "c2", "d1"])
})

it("who waits for calls of its own app bars nobody", async () => {
  const { begun, call } = open()
  call("a1", 600)
  await turn()
  call("a2", 600)
  await turn()
  call("b1", 600)
  await turn()
  expect(begun).toEqual(["a1", "b1"])
})

it("where a large call that does not fit is interrupted those behind it begin", async () => {
  const { begun, call } = open()
  call("b1", 500)
  await turn()
  const whole = call("a1", 2000)
  call("a2", 1)
  call("c1", 500)
  await turn()
  expect(begun).toEqual(["b1"])
  await Effect.runPromise(Fiber.interrupt(whole.fiber))
  await turn()
  await turn()
  expect(begun.slice(1).toSorted()).toEqual(["a2", "c1"])
})

it("what a call does that has to wait may keep it from waiting; it leaves no place behind", async () => {
  const { take } = createCallTurns()
  const over = Promise.withResolvers<void>()
  const first = Effect.runFork(
    take(
      "a",
      1000,
      Effect.promise(() => over.promise),
    ),
  )
  const full = new Rejected({ code: "RATE_LIMITED", detail: "Full." })
  const refused = take("a", 1000, Effect.void, () => Effect.fail(full))
  expect(await Effect.runPromise(Effect.flip(refused))).toBe(full)
  over.resolve()
  await Effect.runPromise(Fiber.await(first))
  await turn()
  await Effect.runPromise(take("a", 1000, Effect.void, () => Effect.die("It does not wait.")))
})

it("a call that means more than an app may have at once runs alone", async () => {
  const { begun, call } = open()
  const whole = call("a1", 5000)
  call("a2", 1)
  await turn()
  expect(begun).toEqual(["a1"])
  await whole.end()
  expect(begun).toEqual(["a1", "a2"])
})

it("whoever is interrupted while it waits, or works, keeps no place", async () => {
  const { begun, call } = open()
  const first = call("a1", 1000)
  const second = call("a2", 1000)
  call("a3", 1000)
  await turn()
  await Effect.runPromise(Fiber.interrupt(second.fiber))
  await Effect.runPromise(Fiber.interrupt(first.fiber))
  await turn()
  await turn()
  expect(begun).toEqual(["a1", "a3"])
})

it("an app with too much that waits is told so, others are not", async () => {
  const { call } = open()
  for (let index = 0; index <= 100; index++) call("a", 1000)
  const error = await Effect.runPromise(Effect.flip(Fiber.join(call("a", 1000).fiber)))
  expect(error).toMatchObject({ code: "RATE_LIMITED" })
  expect(call("b", 1000).fiber.pollUnsafe()).toBeUndefined()
})

it("large calls that are over at once let others be served between them", async () => {
  const { take } = createCallTurns()
  const served: Array<string> = []
  const others = (async () => {
    for (let index = 0; index < 3; index++) {
      await turn()
      served.push("others")
    }
  })()
  const calls = Array.from({ length: 3 }, (_, index) =>
    Effect.runPromise(
      take(
        "a",
        1000,
        Effect.sync(() => served.push(`call ${index}`)),
      ),
    ),
  )
  await Promise.all([...calls, others])
  expect(served.filter((each) => each !== "others")).toEqual(["call 0", "call 1", "call 2"])
  expect(served.slice(served.indexOf("call 0"), served.indexOf("call 1"))).toContain("others")
  expect(served.slice(served.indexOf("call 1"), served.indexOf("call 2"))).toContain("others")
})

it("a limit that no number is large enough for holds up nobody", async () => {
  const { url } = await startIngest()
  const ask = (limit: string) =>
    fetch(`${url}/${names.path.api}/listFiles`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
      body: `{"limit":${limit}}`,
    })
  const hostile = await Promise.all(["Infinity", "1e308", "-Infinity", "0.5", "1e308"].map(ask))
  expect(hostile.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
  const noNumbers = await Promise.all(['{"toString":1,"valueOf":1}', '[{"valueOf":1}]', '"9"'].map(ask))
  expect(noNumbers.map(({ status }) => status)).toEqual([400, 400, 400])
  expect((await ask('1,"offset":{"toString":1,"valueOf":1}')).status).toBe(400)
  expect((await ask("1000")).status).toBe(200)
})

it("what a call means is counted by the files that it names or asks for", () => {
  const sizeOf = (name: string, body: unknown) => operations.get(name)!.size(body)
  expect(sizeOf("deleteFiles", { fileKeys: ["a", "b"], owner: "me" })).toBe(2)
  expect(sizeOf("deleteFiles", { customIds: ["a", "b"] })).toBe(200)
  expect(
    sizeOf("moveFiles", {
      updates: [
        { fileKey: "a", path: null },
        { customId: "b", path: null },
      ],
    }),
  ).toBe(101)
  expect(sizeOf("claimFiles", { claims: [{ slug: "x", fileKeys: ["a", "b", "c"] }], replaces: ["d"] })).toBe(4)
  expect(sizeOf("listFiles", {})).toBe(500)
  expect(sizeOf("listFiles", { limit: 7 })).toBe(7)
  expect(sizeOf("listFiles", { limit: 7, offset: 1000 })).toBe(1007)
  expect(sizeOf("listFiles", { offset: 3 })).toBe(503)
  // They are marked before the answer.
  expect(sizeOf("deleteFiles", { owner: "me" })).toBe(500)
  expect(sizeOf("deleteFiles", { prefix: "", owner: "me" })).toBe(500)
  expect(sizeOf("deleteFiles", { customIds: ["a"], owner: "me" })).toBe(100)
  for (const limit of ["a", null, {}, []]) expect(sizeOf("listFiles", { limit })).toEqual(expect.any(Number))
  for (const body of [null, 5, "a", [], [[[]]]]) expect(sizeOf("deleteFiles", body)).toEqual(expect.any(Number))
})

it.each([[[Infinity, -1, 0.1, 1e308, 1e308, "5", 1e15]], [[0.1, 0.2, 0.7, Infinity]]])(
  "whatever a call says that it means, those after it have their turn: %j",
  async (sizes) => {
    const { begun, call } = open()
    const calls = sizes.map((size, index) => call(`a${index}`, size as number))
    for (const { end } of calls) await end()
    for (const name of ["a9", "b9"]) await call(name, 1000).end()
    expect(begun.slice(-2)).toEqual(["a9", "b9"])
  },
)
