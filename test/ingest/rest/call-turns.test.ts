import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { createCallTurns } from "../../../src/ingest/rest/call-turns.ts"
import { names } from "../../../src/protocol.ts"
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
  expect((await ask("1000")).status).toBe(200)
})

it("what a call means is counted by the files that it names or asks for", () => {
  const sizeOf = (name: string, body: unknown) => {
    let size: number | undefined
    const turns = { take: (_: string, means: number) => ((size = means), Effect.void) }
    operations.get(name)!.perform({ app: { id: "a" }, service: { turns } } as never, body)
    return size
  }
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
