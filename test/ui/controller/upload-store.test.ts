import { expect, test, vi } from "vitest"
import { createUploadItem } from "../../../src/ui/controller/upload-item.ts"
import { createUploadStore } from "../../../src/ui/controller/upload-store.ts"
import { idleState } from "../idle-state.ts"

const start = (count: number) => {
  const files = Array.from({ length: count }, (_, i) => createUploadItem(new File([new Uint8Array(100)], `${i}`)))
  const store = createUploadStore(idleState)
  store.setFiles(files)
  store.count(files)
  let renderings = 0
  let shown = store.get()
  store.subscribe(() => {
    renderings++
    shown = store.get()
  })
  return { store, ids: files.map(({ id }) => id), renderings: () => renderings, shown: () => shown }
}

test("a new status and the next change are shown at once, those of the same frame together, and the last state always", async () => {
  const { store, ids, renderings, shown } = start(1000)
  for (const id of ids) store.change(id, { status: "uploading", loaded: 50 })
  expect(renderings()).toBe(2)
  expect(store.get()).toMatchObject({ status: "uploading", progress: 50 })
  await vi.waitFor(() => expect(shown()).toBe(store.get()))
  expect(renderings()).toBe(3)
})

test("what the user does is shown at once", () => {
  const { store, ids, renderings, shown } = start(1)
  store.change(ids[0]!, { status: "uploading" })
  store.change(ids[0]!, { loaded: 1 })
  store.set({ isDragActive: true })
  expect(renderings()).toBe(3)
  expect(shown()).toMatchObject({ isDragActive: true, files: [{ loaded: 1 }] })
})

test("progress is that of the files that are on their way together, by their bytes", () => {
  const { store, ids } = start(3)
  const [a, b, c] = ids as [string, string, string]
  store.change(a, { status: "uploading", loaded: 100 })
  expect(store.get().progress).toBe(99) // the others are picked only; and it is not confirmed
  store.change(b, { status: "queued" })
  expect(store.get().progress).toBe(50)
  store.change(a, { status: "done", loaded: 100 })
  store.change(b, { status: "aborted" })
  expect(store.get().progress).toBe(100)
  store.change(c, { status: "failed", loaded: 10 })
  expect(store.get()).toMatchObject({ progress: 55, status: "failed", isUploading: false })
})

test("the end is shown at once", () => {
  const { store, ids, renderings, shown } = start(2)
  for (const id of ids) store.change(id, { status: "uploading" })
  for (const id of ids) store.change(id, { status: "done" })
  expect(shown()).toBe(store.get())
  expect(store.get().status).toBe("done")
  expect(renderings()).toBeLessThan(4)
})

test("ten thousand files from picked to done: the list is walked as often as it is shown, not at every change", () => {
  const { store, ids, renderings } = start(10_000)
  const walks = vi.spyOn(Map.prototype, "values")
  try {
    for (const status of ["queued", "uploading", "processing", "done"] as const) {
      for (const id of ids) store.change(id, { status, loaded: status === "queued" ? 0 : 100 })
    }
    // Of 40,000 changes few are shown: those of the whole upload's status, and one per frame.
    expect(walks.mock.calls.length).toBeLessThan(ids.length / 10)
    expect(renderings()).toBeLessThan(ids.length / 10)
  } finally {
    walks.mockRestore()
  }
  expect(store.get()).toMatchObject({
    status: "done",
    progress: 100,
    summary: { total: 10_000, done: 10_000, active: 0, bytes: 1_000_000, loaded: 1_000_000 },
  })
})

test("the summary is of the upload that runs; what was stored by an earlier one stays out of it", () => {
  const { store, ids } = start(2)
  for (const id of ids) store.change(id, { status: "done", loaded: 100 })
  expect(store.get().summary).toMatchObject({ total: 2, done: 2, bytes: 200, loaded: 200 })
  const [next, refused] = [1, 2].map(() => createUploadItem(new File([new Uint8Array(50)], "next")))
  store.setFiles([...store.get().files, next!, { ...refused!, status: "failed", canRetry: false }])
  expect(store.get().summary).toMatchObject({ total: 2, picked: 1, failed: 1, canRetry: 0 })
  store.count([next!])
  store.change(next!.id, { status: "waiting", waitingFor: "offline" })
  expect(store.get().summary).toMatchObject({
    total: 1,
    done: 0,
    active: 1,
    offline: 1,
    picked: 0,
    bytes: 50,
    loaded: 0,
  })
  store.change(next!.id, { status: "failed", canRetry: true, waitingFor: undefined })
  expect(store.get()).toMatchObject({ status: "failed", summary: { failed: 2, canRetry: 1, offline: 0, active: 0 } })
  store.setFiles(store.get().files.slice(0, 2))
  expect(store.get()).toMatchObject({ status: "done", summary: { total: 0, failed: 0 } })
})

test("speed and time left are those of the bytes that were sent, whatever was there before", async () => {
  vi.useFakeTimers()
  try {
    const { store, ids } = start(2)
    const [a, b] = ids as [string, string]
    store.change(a, { status: "queued" })
    store.change(b, { status: "queued" })
    // A reload had interrupted it: so much is stored.
    store.change(a, { status: "uploading", loaded: 40 })
    for (let loaded = 50; loaded <= 90; loaded += 10) {
      await vi.advanceTimersByTimeAsync(1000)
      if (loaded < 80) expect(store.get().speed).toBeUndefined()
      store.change(a, { loaded })
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(store.get()).toMatchObject({ speed: 10, timeLeft: 11 })
    store.change(a, { status: "paused" })
    store.change(b, { status: "paused" })
    expect(store.get()).toMatchObject({ speed: undefined, timeLeft: undefined })
    expect(vi.getTimerCount()).toBeLessThan(2)
  } finally {
    vi.useRealTimers()
  }
})
