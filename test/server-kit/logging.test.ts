import * as Effect from "effect/Effect"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  createLogContext,
  logDebug,
  logError,
  logInfo,
  type LogTime,
  logWarning,
} from "../../src/server-kit/logging.ts"
import { type LogFormat, type LogLevel, logLevels } from "../../src/protocol/log-level.ts"

let lines: Array<readonly [sink: string, line: string]> = []
beforeEach(() => {
  lines = []
  for (const sink of ["error", "warn", "log", "debug", "info", "trace"] as const) {
    vi.spyOn(console, sink).mockImplementation((...args: Array<unknown>) => void lines.push([sink, args.join("|")]))
  }
})
afterEach(() => vi.restoreAllMocks())

const write = (effect: Effect.Effect<void>, format: LogFormat, level: LogLevel = "All"): string => {
  lines = []
  Effect.runSync(Effect.provideContext(effect, createLogContext(level, format)))
  return lines.map(([, line]) => line).join("\n---\n")
}

describe("levels", () => {
  const everything = Effect.all([logDebug("d"), logInfo("i"), logWarning("w"), logError("e")], { discard: true })

  it.each([
    ["All", ["d", "i", "w", "e"]],
    ["Trace", ["d", "i", "w", "e"]],
    ["Debug", ["d", "i", "w", "e"]],
    ["Info", ["i", "w", "e"]],
    ["Warning", ["w", "e"]],
    ["Error", ["e"]],
    ["Fatal", []],
    ["None", []],
  ] as const)("%s lets through %j", (level, expected) => {
    write(everything, "json", level)
    expect(lines.map(([, line]) => (JSON.parse(line) as { message: string }).message)).toEqual(expected)
  })

  it("are all covered above", () => {
    expect([...logLevels].sort()).toEqual(["All", "Debug", "Error", "Fatal", "Info", "None", "Trace", "Warning"])
  })

  it("go to the console's method of their severity", () => {
    write(everything, "text")
    expect(lines).toEqual([
      ["debug", "[sluice] debug: d"],
      ["log", "[sluice] info: i"],
      ["warn", "[sluice] warning: w"],
      ["error", "[sluice] error: e"],
    ])
  })

  it("without a context warnings and errors are written: nothing goes wrong in silence", () => {
    Effect.runSync(everything)
    expect(lines.map(([, line]) => line)).toEqual(["[sluice] warning: w", "[sluice] error: e"])
  })
})

describe("json", () => {
  it("is one object a line, with attributes beside the message", () => {
    const entry = JSON.parse(write(logWarning("Slow.", { key: "k", tries: 2 }, "again"), "json")) as object
    expect(entry).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "warning",
      service: "sluice",
      message: "Slow. again",
      key: "k",
      tries: 2,
    })
  })

  it("keeps stacks and causes, in attributes too", () => {
    const error = new Error("outer", { cause: new Error("inner") })
    const entry = JSON.parse(write(logError("x", { id: 1, failure: error }, error), "json")) as Record<string, string>
    for (const field of [entry["cause"], entry["failure"]]) {
      expect(field).toContain("outer")
      expect(field).toContain("inner")
      expect(field).toContain("logging.test.ts")
    }
  })

  it("ends a stack with the app's own code, and leaves one whole that has none of it", () => {
    const throwAt = (...frames: ReadonlyArray<string>) =>
      Object.assign(new Error("no"), { stack: ["Error: no", ...frames].join("\n    at ") })
    const library = "query (/app/node_modules/driver/index.js:1:2)"
    const own = "onUploadComplete (/app/router.ts:3:4)"
    const runtime = "process.processTicksAndRejections (node:internal/process/task_queues:103:5)"
    const read = (error: Error) => JSON.parse(write(logError("x", error), "json")).cause
    expect(read(throwAt(library, own, library, runtime))).toBe(`Error: no\n    at ${library}\n    at ${own}`)
    expect(read(throwAt(library, runtime))).toBe(`Error: no\n    at ${library}\n    at ${runtime}`)
  })

  it("lets no attribute forge the fixed fields", () => {
    const forged = { level: "info", message: "all is well", time: "never", service: "other" }
    expect(JSON.parse(write(logError("real", forged), "json"))).toMatchObject({
      level: "error",
      message: "real",
      service: "sluice",
    })
  })
})

describe("text", () => {
  it("begins with the time, of the world or of the day here, where that is wanted", () => {
    const zone = process.env["TZ"]
    process.env["TZ"] = "Asia/Kolkata"
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 20, 34, 5, 678) })
    try {
      const say = (time?: LogTime, format: LogFormat = "text") => {
        lines = []
        Effect.runSync(Effect.provideContext(logInfo("i"), createLogContext("All", format, time)))
        return lines[0]![1]
      }
      expect(say()).toBe("[sluice] info: i")
      expect(say(true)).toBe("2026-01-02T20:34:05.678Z [sluice] info: i")
      expect(say("clock")).toBe("02:04:05 [sluice] info: i")
      expect(JSON.parse(say("clock", "json"))).toMatchObject({ time: "2026-01-02T20:34:05.678Z" })
    } finally {
      vi.useRealTimers()
      if (zone === undefined) delete process.env["TZ"]
      else process.env["TZ"] = zone
    }
  })

  it("is one line, attributes as key=value, quoted where they hold spaces", () => {
    expect(write(logInfo("Stored.", { key: "k", size: 3, name: 'a "b".png', more: { a: [1] } }), "text")).toBe(
      '[sluice] info: Stored. key=k size=3 name="a \\"b\\".png" more={"a":[1]}',
    )
  })

  it("indents stacks below the line", () => {
    const [first, ...rest] = write(logError("x", new Error("disk\nfull")), "text").split("\n")
    expect(first).toBe("[sluice] error: x")
    expect(rest.slice(0, 2)).toEqual(["    Error: disk", "    full"])
    for (const line of rest) expect(line).toMatch(/^ {4}/)
  })

  it("lets no value, and no error's message, pass for an entry of its own or move the cursor", () => {
    const forged = "a\n[sluice] error: forged\r\u001b[2J\u2028\u0085"
    const text = write(logInfo(forged, forged, { name: forged }, new Error(forged)), "text")
    expect(text.match(/^\[sluice\]/gm)).toHaveLength(1)
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
  })
})

describe.each(["json", "text"] as const)("an entry as %s", (format) => {
  it("is one line whatever is logged, and nothing makes logging fail", () => {
    const circle: Record<string, unknown> = { n: 1n }
    circle["self"] = circle
    const selfCaused = new Error("x")
    selfCaused.cause = selfCaused
    const odd = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true, withTypedArray: true }),
      fc.constantFrom<unknown>(
        circle,
        Symbol("s"),
        () => 1,
        {
          toJSON: () => {
            throw new Error("no")
          },
        },
        Object.create(null),
      ),
    )
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(odd), odd, (message, details, value) => {
        const text = write(logError(message, ...details, { value }), format)
        expect(lines).toHaveLength(1)
        expect(text).not.toMatch(/[\n\r]/)
        if (format === "json") expect(JSON.parse(text)).toMatchObject({ level: "error" })
      }),
    )
    write(logError("x", selfCaused, { selfCaused }), format)
    expect(lines).toHaveLength(1)
  })

  it.each([
    ["a stack that is a list", Object.assign(new Error("out of tea"), { stack: [1] })],
    ["a cause whose stack is none", new Error("out of tea", { cause: Object.assign(new Error("y"), { stack: {} }) })],
    [
      "a cause that cannot be read",
      Object.defineProperty(new Error("out of tea"), "cause", {
        get: () => {
          throw new Error("no")
        },
      }),
    ],
    ["a cause that is a revoked proxy", new Error("out of tea", { cause: revoked() })],
  ])("names an error with %s", (_, error) => {
    expect(write(logError("thrown", error), format)).toContain("out of tea")
  })

  it("shows no secret, wherever it stands", () => {
    const secret = "sk_live_3f9a81c2"
    const error = new Error(`refused ${secret}`, { cause: new Error(`because of ${secret}`) })
    const text = write(
      logError(`key ${secret}`, secret, { key: secret, nested: { deep: [secret] }, error, [secret]: 1 }, error),
      format,
    )
    expect(text).toContain("sk_<redacted>")
    expect(text).not.toContain("3f9a81c2")
  })
})

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
