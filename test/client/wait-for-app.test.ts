import { afterEach, beforeEach, expect, test } from "vitest"
import { generateUploader, type TypedFileRoute, type TypedFileRouter, type UploadEvent } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const size = 400_000
const start = (name: string, bytes = size) => {
  const events: Array<string> = []
  const waits: Array<UploadEvent<TypedFileRoute> & { type: "wait" }> = []
  const asked = Promise.withResolvers<void>()
  const upload = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } }).createUpload("any", {
    files: [new File([new Uint8Array(bytes)], name)],
    onEvent: (event) => {
      const word = event.type === "wait" ? `wait ${event.reason}` : event.type
      if (events.at(-1) !== word) events.push(word)
      if (event.type !== "wait") return
      waits.push(event)
      if (event.reason === "app") asked.resolve()
    },
  })
  return { upload, events, waits, asked: asked.promise }
}

test.each([
  ["of many bytes", size],
  ["of few bytes", 3],
  ["without a byte", 0],
])("a file %s that is sent and not answered waits for the app", async (_, bytes) => {
  const answer = Promise.withResolvers<void>()
  peer.fail("PUT", "a", { hold: answer.promise })
  const { upload, events, waits, asked } = start("a", bytes)
  await asked
  expect(peer.storedOf("a")).toBe(bytes)
  answer.resolve()
  expect(await upload.done()).toMatchObject([{ status: "done" }])
  const before = bytes > 0 ? ["begin", "progress", "wait app"] : ["begin", "wait app"]
  expect(events).toEqual([...before, "progress", "end"])
  expect(waits).toEqual([{ type: "wait", file: expect.anything(), reason: "app" }])
})

test("so does one that went on, with nothing left to send", async () => {
  const answer = Promise.withResolvers<void>()
  peer.fail("PUT", "a", "lose-answer", { hold: answer.promise })
  const { upload, events, asked } = start("a")
  await asked
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${size}-`])
  expect(events).toEqual(["begin", "progress", "wait retry", "wait app"])
  answer.resolve()
  expect(await upload.done()).toMatchObject([{ status: "done" }])
})

test("one that is not sent to its end does not", async () => {
  const rest = Promise.withResolvers<void>()
  // The other file says when a second has passed.
  peer.fail("PUT", "a", { stallAfter: 100_000, until: rest.promise })
  peer.fail("PUT", "b", { hold: rest.promise })
  const large = start("a", 40_000_000)
  await peer.until(() => peer.storedOf("a") >= 100_000)
  await start("b").asked
  expect(large.events).toEqual(["begin", "progress"])
  large.upload.abortUpload()
  rest.resolve()
})

test("a pause and an abort end it: nothing comes after the end", async () => {
  for (const stop of ["pauseUpload", "abortUpload"] as const) {
    peer.fail("PUT", stop, { hold: new Promise(() => {}) })
    const { upload, events } = start(stop)
    await peer.until(() => peer.storedOf(stop) === size)
    upload[stop]()
    peer.fail("PUT", `${stop} other`, { hold: new Promise(() => {}) })
    const other = start(`${stop} other`)
    await other.asked
    other.upload.abortUpload()
    expect(events.at(-1)).toBe("end")
    expect(events).not.toContain("wait app")
  }
})
