import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { generateUploader, type TypedFileRoute, type TypedFileRouter, type UploadEvent } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await peer.close()
})

const size = 400_000
const file = (name: string) => new File([new Uint8Array(size)], name)
const never = new Promise<never>(() => {})
const uploader = () => generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })

type Event = UploadEvent<TypedFileRoute>

/** Events of a file in short: progress only where the kind before was another. */
const brief = (events: ReadonlyArray<Event>, name: string): Array<string> => {
  const words = events
    .filter(({ file }) => file.name === name)
    .map((event) => {
      if (event.type === "begin") return `begin ${event.offset}`
      if (event.type === "wait") return `wait ${event.reason} ${event.error?.code}`
      return event.type === "end" ? `end ${event.outcome.status}` : "progress"
    })
  return words.filter((word, i) => word !== words[i - 1])
}

test("come in their order, for each file begin, progress, end; the last progress says 100", async () => {
  const events: Array<Event> = []
  await uploader().uploadFiles("any", { files: [file("a"), file("b")], onEvent: (event) => events.push(event) })
  for (const name of ["a", "b"]) expect(brief(events, name)).toEqual(["begin 0", "progress", "end done"])
  const last = events.findLast((event) => event.type === "progress")
  expect(last).toMatchObject({ progress: 100, totalProgress: 100, totalLoaded: 2 * size })
})

test("tell of waits before a retry: why, and how long", async () => {
  const events: Array<Event> = []
  peer.fail("POST", "any", { status: 503 })
  peer.fail("PUT", "a", { cutAfter: 100_000 })
  await uploader().uploadFiles("any", { files: [file("a")], onEvent: (event) => events.push(event) })
  expect(brief(events, "a")).toEqual([
    "wait retry INTERNAL_ERROR",
    "begin 0",
    "progress",
    "wait retry NETWORK_ERROR",
    "begin 100000",
    "progress",
    "end done",
  ])
  const waits = events.filter((event) => event.type === "wait")
  for (const { delay } of waits) expect(delay).toBeGreaterThan(0)
})

test("begin once more after a pause, with the offset that is known; nothing comes between end and begin", async () => {
  peer.fail("PUT", "a", { stallAfter: 100_000, until: never })
  const events: Array<Event> = []
  const upload = uploader().createUpload("any", { files: [file("a")], onEvent: (event) => events.push(event) })
  await peer.until(() => peer.storedOf("a") >= 100_000)
  upload.pauseUpload()
  upload.resumeUpload()
  await upload.done()
  const offset = peer.trace("a").at(-1)!.replace(/\D/g, "")
  const words = brief(events, "a")
  const second = words.indexOf("end paused") + 1
  expect(words.slice(second, second + 1)).toEqual([`begin ${offset}`])
  expect(words.at(-1)).toBe("end done")
  expect(words.filter((word) => word.startsWith("begin"))).toHaveLength(2)
})

test("end without begin where the route refuses", async () => {
  peer.fail("POST", "any", { status: 403 })
  const events: Array<Event> = []
  await uploader().uploadFiles("any", { files: [file("a")], onEvent: (event) => events.push(event) })
  expect(brief(events, "a")).toEqual(["end failed"])
})

test("do not touch the upload when a listener throws: it is an uncaught error like any listener's", async () => {
  const uncaught = vi.fn()
  const others = process.listeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  process.on("uncaughtException", uncaught)
  try {
    const [outcome] = await uploader().uploadFiles("any", {
      files: [file("a")],
      onEvent: ({ type }) => {
        throw new Error(type)
      },
    })
    expect(outcome).toMatchObject({ status: "done" })
    await vi.waitFor(() => expect(uncaught.mock.calls.flat()).toContainEqual(new Error("end")))
    expect(uncaught.mock.calls.flat()).toContainEqual(new Error("begin"))
  } finally {
    process.removeAllListeners("uncaughtException")
    for (const other of others) process.on("uncaughtException", other)
  }
})

/** What a browser has, and Node has not: whether it is online, and events of it. */
const stubConnection = (onLine: boolean) => {
  const connection = new EventTarget()
  const navigator = { onLine, userAgent: globalThis.navigator.userAgent }
  vi.stubGlobal("navigator", navigator)
  for (const method of ["addEventListener", "removeEventListener"] as const) {
    vi.stubGlobal(method, connection[method].bind(connection))
  }
  return (isOnline: boolean) => {
    navigator.onLine = isOnline
    if (isOnline) connection.dispatchEvent(new Event("online"))
  }
}

test("offline is waited for, and no failure", async () => {
  const setOnline = stubConnection(false)
  peer.fail("PUT", "a", ...Array.from({ length: 4 }, () => ({ cutAfter: 0 })))
  const events: Array<Event> = []
  const [outcome] = await generateUploader<TypedFileRouter>({
    url: peer.url,
    retry: { attempts: 2, delay: 60_000 },
  }).uploadFiles("any", {
    files: [file("a")],
    onEvent: (event) => {
      events.push(event)
      // a connection that comes and goes
      if (event.type === "wait") queueMicrotask(() => (setOnline(true), setOnline(false)))
    },
  })
  expect(outcome).toMatchObject({ status: "done" })
  const waits = events.filter((event) => event.type === "wait")
  expect(waits.map(({ reason, delay }) => [reason, delay])).toEqual(
    Array.from({ length: 4 }, () => ["offline", undefined]),
  )
})

test("a connection that comes back cuts short the wait before a retry, but not one the server asked for", async () => {
  const setOnline = stubConnection(true)
  const upload = (onWait: () => void) =>
    generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 600_000, maxDelay: 600_000 } }).createUpload(
      "any",
      { files: [file("a")], onEvent: ({ type }) => type === "wait" && onWait() },
    )
  peer.fail("PUT", "a", { cutAfter: 1000 })
  const [outcome] = await upload(() => queueMicrotask(() => setOnline(true))).done()
  expect(outcome).toMatchObject({ status: "done" })

  peer.fail("POST", "any", { status: 429, headers: { "retry-after": "500" } })
  const asked = peer.trace("any").length
  const waiting = Promise.withResolvers<void>()
  const patient = upload(waiting.resolve)
  await waiting.promise
  setOnline(true)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(peer.trace("any")).toHaveLength(asked + 1)
  patient.abortUpload()
})
