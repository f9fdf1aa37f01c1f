import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { UploadError } from "../../../src/protocol/errors/upload-error.ts"
import { createAnnouncer } from "../../../src/ui/announcements/announcer.ts"
import { createUploadItem } from "../../../src/ui/controller/upload-item.ts"
import type { UploadItem } from "../../../src/ui/controller/upload-state.ts"
import { createUploadStore } from "../../../src/ui/controller/upload-store.ts"
import { createFieldValue } from "../../../src/ui/form/field-value.ts"
import { createUploadTexts } from "../../../src/ui/texts/english-texts.ts"
import type { UploadTexts } from "../../../src/ui/texts/upload-texts.ts"
import { idleState } from "../idle-state.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = (own: Partial<UploadTexts> = {}) => {
  const store = createUploadStore(idleState)
  const said: Array<string> = []
  const announcer = createAnnouncer(store.get(), store.get, createUploadTexts(own), (text) => said.push(text))
  store.subscribe(announcer.look)
  /** Lets time pass, and takes what was said meanwhile. */
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    return said.splice(0)
  }
  const list = (names: ReadonlyArray<string>, error?: UploadError) => {
    const items = names.map((name) => createUploadItem(new File([new Uint8Array(100)], name), error))
    store.setFiles([...store.get().files, ...items])
    return items.map(({ id }) => id)
  }
  const send = (ids: ReadonlyArray<string>) => {
    store.count(ids.map((id) => store.find(id)!))
    change(ids, { status: "uploading" })
  }
  const change = (ids: ReadonlyArray<string>, patch: Partial<UploadItem>) =>
    ids.forEach((id) => store.change(id, patch))
  return { store, after, list, send, change }
}

test("a refused file is told with the chosen ones, and with the reason", async () => {
  const { list, after } = start()
  list(["a.png", "b.png", "c.png"])
  list(["d.png"], new UploadError({ code: "TOO_MANY_FILES", message: "Too many." }))
  expect(await after(3000)).toEqual(["3 files chosen, 1 refused. d.png: Too many."])
})

test("a text goes away after 5 s", async () => {
  const { list, after } = start()
  list(["a.png"])
  expect(await after(4000)).toEqual(["1 file chosen"])
  expect(await after(5000)).toEqual([""])
})

test("at most one sentence per second, errors first", async () => {
  const { list, send, change, after } = start()
  const ids = list(["a", "b", "c"])
  await after(10_000)
  send(ids)
  change([ids[0]!], { status: "aborted" })
  change([ids[1]!], { status: "failed", canRetry: true, error: new UploadError("No.") })
  expect(await after(200)).toEqual(["b failed: No."])
  expect(await after(800)).toEqual([])
  expect(await after(200)).toEqual(["a cancelled"])
  expect(await after(1000)).toEqual(["Uploading 3 files"])
})

test("files that are checked are told as that, and a refusal with its reason", async () => {
  const { list, send, change, after } = start()
  const ids = list(["a.png"])
  await after(10_000)
  send(ids)
  await after(10_000)
  change(ids, { status: "processing", isHeld: true })
  expect(await after(200)).toEqual(["Being checked…"])
  await after(10_000)
  change(ids, { status: "failed", error: new UploadError({ code: "REJECTED", message: "No." }) })
  expect(await after(200)).toEqual(["a.png: Rejected: No."])
})

test("forty that fail one after the other are no flood", async () => {
  const { list, send, change, after } = start()
  const ids = list(Array.from({ length: 40 }, (_, index) => `${index}`))
  await after(10_000)
  send(ids)
  await after(10_000)
  const said: Array<string> = []
  for (const id of ids) {
    change([id], { status: "failed", canRetry: true, error: new UploadError("No.") })
    said.push(...(await after(20)))
  }
  said.push(...(await after(3000)))
  expect(said.length).toBeLessThan(4)
  expect(said.at(-1)).toMatch(/^\d+ files failed\. No\.$/)
})

test("a connection that comes and goes is told of once, and again only after a while in which something moved", async () => {
  const { list, send, change, after } = start()
  const ids = list(["a"])
  await after(10_000)
  send(ids)
  await after(10_000)
  const wait = {
    status: "waiting",
    waitingFor: "retry",
    error: new UploadError({ code: "NETWORK_ERROR", message: "" }),
  } as const
  change(ids, wait)
  expect(await after(500)).toEqual(["The server cannot be reached, trying again"])
  for (let again = 0; again < 5; again++) {
    change(ids, { status: "uploading" })
    change(ids, { status: "waiting" })
    expect((await after(10_000)).filter(Boolean)).toEqual([])
  }
  change(ids, { status: "uploading", waitingFor: undefined })
  change(ids, { loaded: 10 })
  change(ids, wait)
  expect(await after(500)).toEqual(["The server cannot be reached, trying again"])
})

test("how far it is, is told with the time that is left, in words", async () => {
  const { list, send, store, after } = start()
  const ids = list(["a"])
  await after(10_000)
  send(ids)
  await after(10_000)
  store.change(ids[0]!, { loaded: 30 })
  store.set({ timeLeft: 118 })
  expect(await after(500)).toEqual(["30 percent, 2 minutes left"])
})

test("an upload that is over at once has one sentence: what became of it", async () => {
  const { list, send, change, after } = start()
  const ids = list(["a", "b"])
  send(ids)
  change(ids, { status: "done", progress: 100 })
  expect((await after(4000)).filter(Boolean)).toEqual(["2 files uploaded"])
})

test("each text can be replaced, and one that is empty is not said", async () => {
  const { list, store, after } = start({ announce: { chosen: (count) => `${count} gewählt`, removed: () => "" } })
  list(["a"])
  expect(await after(500)).toEqual(["1 gewählt"])
  store.setFiles([])
  expect((await after(9000)).filter(Boolean)).toEqual([])
})

test("what was stored before the page was opened is no news", async () => {
  const { store, after } = start()
  const [item] = [createUploadItem(new File([], "old"))]
  store.setFiles([{ ...item, file: undefined, status: "done" }])
  expect(await after(9000)).toEqual([])
})

test("a file is told as removed where the user has removed it, and not where its page has emptied the value", async () => {
  const { store, list, change, after } = start()
  const ids = list(["a.png", "b.png"])
  ids.forEach((id, index) => change([id], { status: "done", key: `key-${index}` }))
  let options = { endpoint: "any", value: ["key-0", "key-1"] }
  const value = createFieldValue(() => options, store.get().files)
  await after(10_000)
  store.setFiles(store.get().files.slice(0, 1))
  expect(await after(3000)).toEqual(["b.png removed"])
  await after(10_000)
  const before = options
  options = { ...options, value: [] }
  store.setFiles(value.follow(store.get().files, before, false))
  expect(store.get().files).toEqual([])
  expect(await after(3000)).toEqual([])
})
