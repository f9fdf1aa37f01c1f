import { expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, problemOf, refused, toRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { sign } from "./signed-event.ts"

useMockIngest()
useConsoleLines()

const f = createSluice()
const whole = 1024 * 1024

/** A handler whose middleware waits until it is let go. */
const open = () => {
  const gate = Promise.withResolvers<void>()
  const reached = { count: 0 }
  const route = f({ blob: { maxFileCount: 1000 } })
    .middleware(async () => {
      reached.count++
      await gate.promise
      return {}
    })
    .onUploadComplete(() => null)
  return { handle: handlerOf({ a: route, free: f({ blob: {} }).onUploadComplete(() => null) }), gate, reached }
}

/** A body that sends so many bytes and then nothing, and may break off. */
const stalled = (size = 1) => {
  const seen = { reads: 0 }
  let stop = () => {}
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.reads++
        if (seen.reads === 1) return controller.enqueue(new Uint8Array(size))
        const { promise, reject } = Promise.withResolvers<never>()
        stop = () => reject(new Error("The client left."))
        return promise
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen, stop: () => stop() }
}

const actions = {
  upload: ["?actionType=upload&slug=a", {}],
  renew: ["?actionType=renew&slug=a", {}],
  callback: ["?slug=a", { "sluice-hook": "callback", "x-sluice-signature": sign("") }],
} as const

const post = (action: keyof typeof actions, body: BodyInit, headers: Record<string, string> = {}) => {
  const [query, own] = actions[action]
  return toRequest(query, body, {
    headers: { "content-type": "application/json", ...own, ...headers },
    duplex: "half",
  } as RequestInit)
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A request whose body lacks its last byte. */
const begin = (handle: ReturnType<typeof open>["handle"], action: keyof typeof actions, size: number) => {
  const body = stalled(size - 1)
  const held: { answer?: Response } = {}
  const answered = handle(post(action, body.stream, { "content-length": String(size) })).then(
    (answer) => (held.answer = answer),
  )
  return { ...body, held, answered }
}

test.each(Object.keys(actions) as Array<keyof typeof actions>)(
  "large bodies of %s that do not come to an end are bounded",
  async (action) => {
    const { handle } = open()
    await handle(uploadRequest("free", { files: [png] }))
    const all = Array.from({ length: 70 }, () => begin(handle, action, whole))
    for (let i = 0; i < 20; i++) await turn()
    const late = all.filter(({ held }) => held.answer !== undefined)
    expect(late).toHaveLength(6)
    for (const { answered } of late) {
      const answer = await answered
      expect(answer.headers.get("retry-after")).toBe("1")
      await refused(answer, "RATE_LIMITED", 429)
    }
    // What is small gets in all the same.
    await presigned(await handle(uploadRequest("free", { files: [png] })))
    // A client that leaves gives its room back, and no more than that.
    const leaver = all.find(({ held }) => held.answer === undefined)!
    leaver.stop()
    expect((await problemOf(await leaver.answered)).code).toBe("BAD_REQUEST")
    const next = [begin(handle, action, whole), begin(handle, action, whole)]
    for (let i = 0; i < 20; i++) await turn()
    expect(next.map(({ held }) => held.answer?.status)).toEqual([undefined, 429])
    for (const each of [...all, ...next]) each.stop()
    await Promise.all([...all, ...next].map(({ answered }) => answered))
  },
)

/** A complete body of so many bytes. */
const fullBody = (size: number) => {
  const [start, end] = [`{"files":[${JSON.stringify(png)}],"input":"`, '"}']
  return start + "x".repeat(size - start.length - end.length) + end
}

test("what is announced and does not come keeps nobody out", async () => {
  const { handle, gate } = open()
  const headers = { "content-length": String(whole) }
  const all = Array.from({ length: 70 }, () => {
    const body = stalled()
    return { ...body, answered: handle(post("upload", body.stream, headers)) }
  })
  for (let i = 0; i < 20; i++) await turn()
  gate.resolve()
  expect((await handle(post("upload", fullBody(whole)))).status).toBe(200)
  for (const each of all) each.stop()
  await Promise.all(all.map(({ answered }) => answered))
})

test("a body without a length counts by what has come of it, for as long as its request is not answered", async () => {
  const { handle, gate, reached } = open()
  const streamed = (size: number) => new Blob([fullBody(size)]).stream() as unknown as BodyInit
  const within = Array.from({ length: 64 }, () => handle(post("upload", streamed(whole))))
  await expect.poll(() => reached.count).toBe(64)
  await refused(await handle(post("upload", streamed(whole))), "RATE_LIMITED", 429)
  const small = handle(post("upload", streamed(64 * 1024)))
  await expect.poll(() => reached.count).toBe(65)
  gate.resolve()
  for (const answer of await Promise.all([...within, small])) expect(answer.status).toBe(200)
  // All of it was given back.
  const again = await Promise.all(Array.from({ length: 64 }, () => handle(post("upload", streamed(whole)))))
  expect(again.map(({ status }) => status)).toEqual(again.map(() => 200))
})

test("another handler has room of its own", async () => {
  const { handle } = open()
  const all = Array.from({ length: 64 }, () => begin(handle, "upload", whole))
  const { handle: other, gate } = open()
  gate.resolve()
  expect((await other(post("upload", fullBody(whole)))).status).toBe(200)
  for (const each of all) each.stop()
})

test.each([
  ["missing", undefined],
  ["too short", "hmac-sha256=00"],
  ["a list of none", "hmac-sha256=00, x,,hmac-sha512=1"],
])("the body of a callback is not read where its signature is %s", async (_, signature) => {
  const { handle } = open()
  const { stream, seen } = stalled()
  const headers = { "content-type": "application/json", "sluice-hook": "callback", "content-length": String(whole) }
  const request = toRequest("?slug=a", stream, {
    headers: signature === undefined ? headers : { ...headers, "x-sluice-signature": signature },
    duplex: "half",
  } as RequestInit)
  await refused(await handle(request), "INVALID_SIGNATURE", 403)
  expect(seen.reads).toBe(0)
})
