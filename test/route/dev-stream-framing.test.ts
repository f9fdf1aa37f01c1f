import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { useConsoleLines } from "./console-lines.ts"
import { line, openStream, until, uploadInDevelopment } from "./dev-upload.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, errorEvent, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()

describe("the framing of the stream", () => {
  const events = [
    callbackEvent({ file: { ...storedFile, name: "ünï 👩‍👧.png" } }),
    errorEvent(),
    callbackEvent({ id: "evt_3" }),
  ]
  const whole = `\n${line(events[0]!)}\n\n${line(events[1]!, "error")}${line(events[2]!)}\n`
  const expected = events.map((event) => JSON.stringify(event)).toSorted()
  // Not through MSW, which joins chunks: these arrive as they are cut.
  const receive = async (...chunks: ReadonlyArray<string | Uint8Array>) => {
    const stream = openStream()
    let opened = 0
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (url !== "http://ingest.test/route-metadata") return globalThis.fetch(url, init)
      opened++
      return stream.answer()
    }
    const { deliveries, over } = await uploadInDevelopment(ingest, { fetch })
    stream.write(...chunks)
    stream.end()
    await over
    await until(() => expect(deliveries).toHaveLength(events.length))
    expect(opened).toBe(1)
    return deliveries.map(({ text }) => text).toSorted()
  }

  test("may be joined: several events, heartbeats between them, in one chunk", async () => {
    expect(await receive(whole)).toEqual(expected)
  })

  test("may be split: every byte a chunk of its own", async () => {
    expect(await receive(...[...new TextEncoder().encode(whole)].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  test("may be cut anywhere, inside a character too", async () => {
    const bytes = new TextEncoder().encode(whole)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 8 }),
        async (cuts) => {
          const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
          expect(await receive(...edges.slice(1).map((end, i) => bytes.slice(edges[i], end)))).toEqual(expected)
        },
      ),
      { numRuns: 15 },
    )
  })

  test("may lack the newline at its end", async () => {
    expect(await receive(whole.trimEnd())).toEqual(expected)
  })

  test.each([
    ["an event of an unknown kind is skipped with a warning", line(callbackEvent(), "virus-scan"), "virus-scan"],
    ["a line that is no event is skipped with a warning", '{"ok":true}\n', "not an event"],
    ["a line that is no object is skipped with a warning", "7\n", "not an event"],
  ])("%s, and the rest goes on", async (_, stranger, words) => {
    expect(await receive(line(events[0]!), stranger, line(events[1]!, "error"), line(events[2]!))).toEqual(expected)
    expect(linesWith("warn", words)).toHaveLength(1)
  })
})
