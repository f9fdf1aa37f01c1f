import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createFaultLog } from "../../src/server-kit/fault-log.ts"
import { createLogContext } from "../../src/server-kit/logging.ts"
import { Rejected } from "../../src/server-kit/rejected.ts"
import type { ProblemCode } from "../../src/protocol.ts"

const lines: Array<string> = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] })
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => {
  lines.length = 0
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const hour = 60 * 60 * 1000

const start = () => {
  const log = createFaultLog()
  return (code: ProblemCode, detail: string, cause?: unknown, format: "json" | "text" = "json") =>
    Effect.runPromiseWith(createLogContext("Error", format))(log(new Rejected({ code, detail, cause })))
}

test("a wrong set-up is logged once an hour, with how often it was met since", async () => {
  const log = start()
  for (let i = 0; i < 5; i++) await log("INVALID_CONFIG", "No hosts.")
  await log("MISSING_TOKEN", "No token.")
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(["No hosts.", "No token."])
  vi.advanceTimersByTime(hour)
  await log("INVALID_CONFIG", "No hosts.")
  expect(JSON.parse(lines[2]!)).toMatchObject({ message: "No hosts.", again: 4 })
})

test("what a stranger chose fills the log with a hundred entries at most", async () => {
  const log = start()
  for (let i = 0; i < 150; i++) await log("INVALID_CONFIG", `There is no room for ${i}.`)
  expect(lines).toHaveLength(100)
  vi.advanceTimersByTime(hour)
  await log("INVALID_CONFIG", "There is no room for another one.")
  expect(lines).toHaveLength(101)
})

test("all other faults are logged each time; what the app's own code threw is not, it was", async () => {
  const log = start()
  for (let i = 0; i < 3; i++) await log("INGEST_UNAVAILABLE", "No answer.")
  await log("ROUTE_FAILED", "The app's middleware failed.")
  await log("FORBIDDEN", "Sign in.")
  expect(lines).toHaveLength(3)
})

/** As `fetch` rejects. */
const refused = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }) })

test("a fault that has a name of its own is one line: its stack is nobody's", async () => {
  const log = start()
  await log("INGEST_UNAVAILABLE", "No ingest.", refused(), "text")
  expect(lines).toEqual([expect.stringMatching(/No ingest\..* cause="fetch failed connect ECONNREFUSED"$/)])
  await log("INGEST_UNAVAILABLE", "No ingest.", refused())
  expect(JSON.parse(lines[1]!)).toMatchObject({ message: "No ingest.", cause: "fetch failed connect ECONNREFUSED" })
})

test("an error of some code keeps the stack that leads there", async () => {
  const log = start()
  await log("INTERNAL_ERROR", "It failed.", new RangeError("too deep"))
  expect(JSON.parse(lines[0]!).cause).toMatch(/^RangeError: too deep\n +at .*fault-log\.test\.ts/)
})
