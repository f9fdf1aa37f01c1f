import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter, type UploadProgress } from "../../src/client.ts"
import { createProgress } from "../../src/client/progress.ts"
import { startPeer } from "./peer.ts"

/** What must hold for any sequence of events over any files. */
const expectSound = (events: ReadonlyArray<UploadProgress>, names: ReadonlyArray<string>) => {
  let total = { totalLoaded: 0, totalProgress: 0 }
  const last = new Map(names.map((name) => [name, { loaded: 0, progress: 0 }]))
  for (const event of events) {
    const before = last.get(event.file.name)!
    for (const percent of [event.progress, event.totalProgress]) {
      expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
    }
    expect(event.progress).toBeGreaterThanOrEqual(before.progress)
    expect(event.loaded - before.loaded).toBe(event.delta)
    expect(event.delta).toBeGreaterThanOrEqual(0)
    expect(event.loaded).toBeLessThanOrEqual(event.file.size)
    expect(event.totalLoaded).toBe(total.totalLoaded + event.delta)
    expect(event.totalProgress).toBeGreaterThanOrEqual(total.totalProgress)
    last.set(event.file.name, event)
    total = event
  }
}

test("whatever is reported, progress is sound: whole, 0…100, never back, 100 only when confirmed", () => {
  const sizes = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.nat(1000),
      fc.maxSafeNat().map((n) => n % 2 ** 45),
    ),
    { minLength: 1, maxLength: 5 },
  )
  const reports = fc.array(fc.record({ pick: fc.nat(), loaded: fc.maxSafeNat(), isDone: fc.boolean() }))
  fc.assert(
    fc.property(sizes, reports, (sizes, reports) => {
      const files = sizes.map((size, i) => ({ name: String(i), size, type: "", slice: () => new Blob() }))
      const events: Array<UploadProgress> = []
      const report = createProgress(files, (event) => events.push(event))
      const done = new Set<number>()
      for (const { pick, loaded, isDone } of reports) {
        const index = pick % files.length
        const file = files[index]!
        if (done.has(index)) continue
        if (isDone) done.add(index)
        const count = events.length
        report(index, isDone ? file.size : loaded % (file.size * 2 + 1), isDone)
        const event = events[count]
        if (event) expect(event.progress === 100).toBe(isDone)
        if (event) expect(event.totalProgress === 100).toBe(done.size === files.length)
      }
      expectSound(
        events,
        files.map(({ name }) => name),
      )
    }),
  )
})

describe("of real uploads", () => {
  const run = async (files: ReadonlyArray<File>, faults: (peer: Awaited<ReturnType<typeof startPeer>>) => void) => {
    const peer = await startPeer()
    try {
      faults(peer)
      const events: Array<UploadProgress> = []
      const uploader = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
      const outcomes = await uploader.uploadFiles("any", { files, onUploadProgress: (event) => events.push(event) })
      expectSound(
        events,
        files.map(({ name }) => name),
      )
      return { events, outcomes }
    } finally {
      await peer.close()
    }
  }

  test("an empty file goes from nothing to 100, alone and among others", async () => {
    const alone = await run([new File([], "empty")], () => {})
    expect(alone.outcomes).toMatchObject([{ status: "done" }])
    expect(alone.events).toMatchObject([{ progress: 100, loaded: 0, delta: 0, totalLoaded: 0, totalProgress: 100 }])
    const both = await run([new File([], "empty"), new File(["abc"], "full")], () => {})
    expect(both.events.at(-1)).toMatchObject({ progress: 100, totalLoaded: 3, totalProgress: 100 })
  })

  test("a sent file that the server has not confirmed stays below 100", async () => {
    const answer = Promise.withResolvers<void>()
    const seen: Array<number> = []
    const peer = await startPeer()
    peer.fail("PUT", "a", { hold: answer.promise })
    const upload = generateUploader<TypedFileRouter>({ url: peer.url }).uploadFiles("any", {
      files: [new File([new Uint8Array(200_000)], "a")],
      onUploadProgress: ({ progress }) => seen.push(progress),
    })
    await peer.until(() => peer.storedOf("a") === 200_000)
    expect(seen.at(-1)).toBe(99)
    answer.resolve()
    await upload
    expect(seen.at(-1)).toBe(100)
    await peer.close()
  })

  test("bytes sent twice are counted once", async () => {
    const { events, outcomes } = await run([new File([new Uint8Array(randomBytes(500_000))], "a")], (peer) => {
      peer.fail("PUT", "a", { cutAfter: 200_000 }, { cutAfter: 0 }, { cutAfter: 100_000 })
    })
    expect(outcomes).toMatchObject([{ status: "done" }])
    expect(events.reduce((sum, { delta }) => sum + delta, 0)).toBe(500_000)
  })

  test("a failed file keeps itself and the total below 100", async () => {
    const { events } = await run([new File(["abc"], "a"), new File(["def"], "b")], (peer) => {
      peer.fail("PUT", "a", { status: 415 })
    })
    expect(Math.max(...events.map(({ totalProgress }) => totalProgress))).toBeLessThan(100)
    expect(Math.max(...events.filter(({ file }) => file.name === "a").map(({ progress }) => progress))).toBeLessThan(
      100,
    )
  })
})
