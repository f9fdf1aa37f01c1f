import { describe, expect, it } from "vitest"
import { createWriters } from "../../../src/ingest/upload/writers.ts"

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "taken",
    (cause) => cause.code,
  )

describe("the writer of a key", () => {
  it("is told to stop by the next one, which waits until it has let go", async () => {
    const writers = createWriters()
    const first = await writers.take("key")
    expect(first.signal.aborted).toBe(false)
    let isTaken = false
    const second = writers.take("key").then((writer) => {
      isTaken = true
      return writer
    })
    expect(first.signal.aborted).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isTaken).toBe(false)
    first.letGo()
    expect((await second).signal.aborted).toBe(false)
  })

  it("does not hinder those of other keys", async () => {
    const writers = createWriters()
    const first = await writers.take("a")
    await writers.take("b")
    expect(first.signal.aborted).toBe(false)
  })

  it("that does not let go locks the next one out, and the one after it too", async () => {
    const writers = createWriters(10)
    const stuck = await writers.take("key")
    expect(await codeOf(writers.take("key"))).toBe("LOCKED")
    expect(await codeOf(writers.take("key"))).toBe("LOCKED")
    stuck.letGo()
    expect(await codeOf(writers.take("key"))).toBe("taken")
  })

  it("is the newest of several that wait", async () => {
    const writers = createWriters()
    const first = await writers.take("key")
    const outcomes = Promise.all([
      codeOf(writers.take("key")),
      codeOf(writers.take("key")),
      codeOf(writers.take("key")),
    ])
    first.letGo()
    expect(await outcomes).toEqual(["LOCKED", "LOCKED", "taken"])
  })

  it("is told to stop when all are closed", async () => {
    const writers = createWriters()
    const writer = await writers.take("key")
    const closed = writers.close(new Error("closing"))
    expect(writer.signal.aborted).toBe(true)
    writer.letGo()
    await closed
  })
})
