import { expect, test, vi } from "vitest"
import { createUploadItem } from "../../src/ui/upload-item.ts"
import { createUploadStore } from "../../src/ui/upload-store.ts"

const start = (count: number) => {
  const files = Array.from({ length: count }, (_, i) => createUploadItem(new File([new Uint8Array(100)], `${i}`)))
  const store = createUploadStore({
    status: "idle",
    files: [],
    isUploading: false,
    progress: 0,
    routeConfig: undefined,
    isReady: true,
    isDisabled: false,
    isDragActive: false,
    interrupted: [],
  })
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
