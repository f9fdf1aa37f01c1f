import { describe, expect, test, vi } from "vitest"
import { defineAdapter, UploadError } from "../../src/server.ts"
import { token } from "./app-token.ts"
import { appUrl, png, presigned, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, errorEvent, hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
useConsoleLines()

/** A framework as there might be one: its handlers take a message and a context, and return a frame. */
interface Message {
  readonly web: Request
  readonly session: string
}
interface Context {
  readonly keepAlive?: (work: Promise<unknown>) => void
}
interface Frame {
  readonly code: number
  readonly text: string
}

const adapter = defineAdapter<[message: Message, context: Context], { message: Message }, Frame>({
  name: "framework",
  request: ({ web }) => web,
  native: (message) => ({ message }),
  respond: async (response, message) => ({
    code: response.status,
    text: `${message.session}: ${await response.text()}`,
  }),
  waitUntil: (_, { keepAlive }) => keepAlive,
})
const f = adapter.createSluice()
const options = { token, isDev: false, allowedHosts: "app.test" }

describe("an adapter", () => {
  test("shows all user code the framework's own request beside the web one", async () => {
    const seen: Array<ReadonlyArray<unknown>> = []
    const note = (where: string) => (args: { message: Message; request: Request }) =>
      void seen.push([where, args.message.session, args.request === args.message.web, "req" in args])
    const router = {
      a: f({ image: {} })
        .middleware(note("middleware"))
        .file(note("file"))
        .onUploadError(note("onUploadError"))
        .onUploadComplete(note("onUploadComplete")),
    }
    const handle = adapter.createRouteHandler({ router, ...options })
    for (const web of [
      uploadRequest("a", { files: [png] }),
      hookRequest(callbackEvent()),
      hookRequest(errorEvent(), { hook: "error" }),
    ]) {
      expect((await handle({ web, session: "s" }, {})).code).toBe(200)
    }
    expect(seen).toEqual(
      ["middleware", "file", "onUploadComplete", "onUploadError"].map((where) => [where, "s", true, false]),
    )
  })

  test("answers through respond, problems too, and gives it the framework's arguments", async () => {
    const handle = adapter.createRouteHandler({ router: {}, ...options })
    expect(await handle({ web: new Request(appUrl), session: "s7" }, {})).toEqual({ code: 200, text: "s7: []" })
    const { code, text } = await handle({ web: uploadRequest("x", {}), session: "s8" }, {})
    expect([code, text.startsWith("s8: {")]).toEqual([404, true])
  })

  test("gives the platform the work that outlives the answer", async () => {
    const work: Array<Promise<unknown>> = []
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const handle = adapter.createRouteHandler({ router, ...options })
    const message = { web: uploadRequest("a", { files: [png] }), session: "" }
    await handle(message, { keepAlive: (promise) => void work.push(promise) })
    expect(work).toHaveLength(1)
    await work[0]
    expect(ingest.registrations).toHaveLength(1)
  })

  test("lets the option waitUntil win over the platform's", async () => {
    const [own, platform] = [vi.fn(), vi.fn()]
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const handle = adapter.createRouteHandler({ router, ...options, waitUntil: own })
    await handle({ web: uploadRequest("a", { files: [png] }), session: "" }, { keepAlive: platform })
    expect([own.mock.calls.length, platform.mock.calls.length]).toEqual([1, 0])
    await own.mock.calls[0]![0]
  })

  test("without a way to keep the platform alive waits for the registration", async () => {
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const handle = adapter.createRouteHandler({ router, ...options })
    await handle({ web: uploadRequest("a", { files: [png] }), session: "" }, {})
    expect(ingest.registrations).toHaveLength(1)
  })
})

describe("an adapter whose request", () => {
  const failing = (parts: Partial<Parameters<typeof defineAdapter<[], object>>[0]>) => {
    const { createRouteHandler } = defineAdapter<[], object>({
      name: "framework",
      request: () => new Request(appUrl),
      native: () => ({}),
      ...parts,
    })
    return createRouteHandler({ router: {}, ...options })
  }
  const throwing = (thrown: unknown) => () => {
    throw thrown
  }

  test("throws an UploadError answers it", async () => {
    const error = new UploadError({ code: "INTERNAL_ERROR", message: "Put it before the body parser", status: 503 })
    const problem = await refused(await failing({ request: throwing(error) })(), "INTERNAL_ERROR", 503)
    expect(problem.detail).toBe("Put it before the body parser")
  })

  test.each(["request", "native", "waitUntil"])(
    "throws anything else in %s answers a bad request without its text",
    async (part) => {
      const problem = await refused(await failing({ [part]: throwing(new TypeError("hunter2")) })(), "BAD_REQUEST", 400)
      expect(problem.detail).toContain("framework")
      expect(problem.detail).not.toContain("hunter2")
    },
  )

  test("cannot be answered rejects as respond does", async () => {
    await expect(failing({ respond: throwing(new Error("socket closed")) })()).rejects.toThrow("socket closed")
  })
})

test("the Fetch adapter keeps its answer a Response", async () => {
  const { createRouteHandler, createSluice } = await import("../../src/server.ts")
  const router = { a: createSluice()({ image: {} }).onUploadComplete(() => 1) }
  const response = await createRouteHandler({ router, ...options })(uploadRequest("a", { files: [png] }))
  expect(response).toBeInstanceOf(Response)
  expect(await presigned(response)).toHaveLength(1)
})
