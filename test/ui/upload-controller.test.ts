import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { createUploadMock } from "../../src/msw.ts"
import { createSluice } from "../../src/server.ts"
import {
  createUploadController,
  createUploadSetup,
  type UploadComponentOptions,
  UploadError,
  type UploadSetupOptions,
} from "../../src/ui.ts"
import type { InterruptedUpload, UploadSessions } from "../../src/client.ts"

const f = createSluice()
const router = {
  photos: f({ image: { maxFileSize: "1MB", maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  avatar: f({ image: { maxFileSize: "1MB" } }).onUploadComplete(() => ({ stored: "" })),
}
type Router = typeof router

const mock = createUploadMock<Router>({
  routes: {
    photos: {
      config: { image: { maxFileSize: "1MB", maxFileCount: 3 } },
      serverData: ({ file }) => ({ stored: file.name }),
    },
    avatar: { config: { image: { maxFileSize: "1MB" } }, serverData: { stored: "avatar" } },
  },
})
const server = setupServer(...mock.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
afterEach(() => mock.reset())
afterAll(() => server.close())

let addresses = 0

const png = (name: string, size = 1000) =>
  new File([new Uint8Array(size)], name, { type: "image/png", lastModified: 1 })

/** A controller that knows its route, and what its callbacks were told. */
const start = async (
  options: Partial<UploadComponentOptions<Router, keyof Router>> = {},
  setup: UploadSetupOptions = {},
) => {
  const told: Array<readonly [name: string, detail: unknown]> = []
  const names = (files: ReadonlyArray<File>) => files.map(({ name }) => name)
  const given: UploadComponentOptions<Router, keyof Router> = {
    endpoint: "photos",
    onUploadBegin: ({ file }) => told.push(["begin", file.name]),
    onClientUploadComplete: (results) => told.push(["complete", results.map(({ serverData }) => serverData.stored)]),
    onUploadError: (error, files) => told.push(["error", [error.code, names(files)]]),
    onUploadAborted: (files) => told.push(["aborted", names(files)]),
    onChange: (files) => told.push(["change", names(files)]),
    ...options,
  }
  const url = `http://app.test/api/sluice?${addresses++}`
  const controller = createUploadController(
    createUploadSetup<Router>({ url, retry: { attempts: 2, delay: 1 }, ...setup }),
    given,
  )
  const disconnect = controller.connect()
  const states = () => controller.getState().files.map(({ file, status }) => `${file.name} ${status}`)
  await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
  return {
    controller,
    told,
    states,
    given,
    disconnect,
    until: (status: string) => vi.waitFor(() => expect(controller.getState().status).toBe(status)),
  }
}

test("idle → picked → uploading → done, and a new choice begins a new list", async () => {
  const { controller, told, states, until } = await start()
  const statuses = new Set([controller.getState().status])
  controller.subscribe(() => statuses.add(controller.getState().status))
  controller.addFiles([png("a"), png("b")])
  expect(states()).toEqual(["a picked", "b picked"])
  await controller.startUpload()
  await until("done")
  await vi.waitFor(() => expect([...statuses]).toEqual(["idle", "picked", "uploading", "done"]))
  expect(told.filter(([name]) => name !== "begin")).toEqual([
    ["change", ["a", "b"]],
    ["complete", ["a", "b"]],
  ])
  expect(controller.getState()).toMatchObject({ progress: 100, isUploading: false })
  controller.addFiles([png("c")])
  expect(states()).toEqual(["c picked"])
})

test("the state is the same object until something changes", async () => {
  const { controller } = await start()
  const before = controller.getState()
  controller.setDragActive(false)
  controller.setOptions({ endpoint: "photos" })
  expect(controller.getState()).toBe(before)
  controller.setDragActive(true)
  expect(controller.getState()).not.toBe(before)
  expect(controller.getState().files).toBe(before.files)
})

test("mode auto uploads at once; files given to startUpload need no choosing", async () => {
  const { controller, until } = await start({ config: { mode: "auto" } })
  controller.addFiles([png("a")])
  await until("done")
  const [outcome] = await controller.startUpload([png("b")])
  expect(outcome).toMatchObject({ status: "done", name: "b", serverData: { stored: "b" } })
  expect(mock.files.map(({ name }) => name)).toEqual(["a", "b"])
})

test("startUpload gives an outcome for files that cannot be sent too", async () => {
  const { controller } = await start()
  const outcomes = await controller.startUpload([png("good"), png("huge", 2_000_000)])
  expect(outcomes.map(({ file, status }) => `${file.name} ${status}`)).toEqual(["huge failed", "good done"])
})

test("the same file chosen twice is listed once", async () => {
  const { controller, states } = await start()
  controller.addFiles([png("a")])
  controller.addFiles([png("a"), png("b")])
  expect(states()).toEqual(["a picked", "b picked"])
})

test("where the route takes one file a new choice replaces the old one", async () => {
  const { controller, states } = await start({ endpoint: "avatar" })
  controller.addFiles([png("a")])
  controller.addFiles([png("b")])
  expect(states()).toEqual(["b picked"])
  controller.addFiles([png("c"), png("d")])
  expect(states()).toEqual(["c picked", "d failed"])
})

test("what the route would refuse is listed as failed, told, and not sent; the others are", async () => {
  const { controller, told, states } = await start()
  controller.addFiles([png("huge", 2_000_000), new File([], "a.txt", { type: "text/plain" }), png("good")])
  expect(states()).toEqual(["huge failed", "a.txt failed", "good picked"])
  await controller.startUpload()
  expect(states()).toEqual(["huge failed", "a.txt failed", "good done"])
  expect(mock.files.map(({ name }) => name)).toEqual(["good"])
  await vi.waitFor(() => expect(told.filter(([name]) => name === "error")).toHaveLength(2))
  controller.resumeUpload()
  expect(states()).toEqual(["huge failed", "a.txt failed", "good done"])
})

test("a refusal by the app concerns all files and is told once; trying again asks again", async () => {
  const { controller, told, states, until } = await start({ config: { mode: "auto" } })
  mock.refuse("photos", new UploadError("Sign in first."), { once: true })
  controller.addFiles([png("a"), png("b")])
  await until("failed")
  await vi.waitFor(() => expect(told).toContainEqual(["error", ["FORBIDDEN", ["a", "b"]]]))
  controller.resumeUpload()
  expect(states()).toEqual(["a queued", "b queued"])
  await until("done")
  expect(told.at(-1)).toEqual(["complete", ["a", "b"]])
})

test("one file fails: the others are done, and only it is tried again", async () => {
  const { controller, told, states, until } = await start({ config: { mode: "auto" } })
  mock.fail("photos", "CONTENT_MISMATCH", { name: "b", once: true })
  controller.addFiles([png("a"), png("b")])
  await until("failed")
  expect(states()).toEqual(["a done", "b failed"])
  expect(told).toContainEqual(["complete", ["a"]])
  controller.resumeUpload()
  await vi.waitFor(() => expect(states()).not.toContain("b queued"))
  expect(mock.files.map(({ name }) => name)).toContain("a")
})

test("files are paused, resumed, aborted and removed one by one", async () => {
  const { controller, told, states } = await start({ config: { mode: "auto" } })
  const hold = mock.hold("photos")
  controller.addFiles([png("a"), png("b"), png("c")])
  await vi.waitFor(() => expect(states()).toEqual(["a uploading", "b uploading", "c uploading"]))
  const [a, b, c] = controller.getState().files
  controller.pauseUpload(a!.id)
  controller.abortUpload(b!.id)
  await vi.waitFor(() => expect(states()).toEqual(["a paused", "b aborted", "c uploading"]))
  controller.removeFile(c!.id)
  expect(states()).toEqual(["a paused", "b aborted"])
  expect(controller.getState().status).toBe("paused")
  hold.release()
  controller.resumeUpload()
  await vi.waitFor(() => expect(states()).toEqual(["a done", "b aborted"]))
  controller.resumeUpload(b!.id)
  await vi.waitFor(() => expect(states()).toEqual(["a done", "b done"]))
  expect(told.filter(([name]) => name === "aborted").flatMap(([, files]) => files)).toEqual(["b", "c"])
})

test("a pause that is taken back at once is no end", async () => {
  const { controller, states, told, until } = await start({ config: { mode: "auto" } })
  const hold = mock.hold("photos")
  controller.addFiles([png("a")])
  await vi.waitFor(() => expect(states()).toEqual(["a uploading"]))
  controller.pauseUpload()
  controller.resumeUpload()
  hold.release()
  await until("done")
  expect(told.filter(([name]) => name === "complete")).toEqual([["complete", ["a"]]])
})

test("a pause that was taken back is not shown while the file waits for its turn", async () => {
  const { controller, states, until } = await start({ config: { mode: "auto" } }, { concurrency: 1 })
  const hold = mock.hold("photos")
  controller.addFiles([png("a"), png("b")])
  await vi.waitFor(() => expect(states()).toEqual(["a uploading", "b queued"]))
  const [, b] = controller.getState().files
  controller.pauseUpload(b!.id)
  controller.resumeUpload(b!.id)
  await new Promise((resolve) => setTimeout(resolve, 0)) // the pause is told
  expect(states()).toEqual(["a uploading", "b queued"])
  hold.release()
  await until("done")
})

test("the page may change the files, leave some out, or refuse them all", async () => {
  const { controller, states, given } = await start()
  controller.setOptions({
    ...given,
    onBeforeUploadBegin: (files) => files.map((file) => new File([file], `new-${file.name}`, { type: file.type })),
  })
  const [renamed] = await controller.startUpload([png("a")])
  expect(renamed).toMatchObject({ status: "done", name: "new-a" })
  expect(states()).toEqual(["new-a done"])
  controller.setOptions({ ...given, onBeforeUploadBegin: async (files) => files.slice(1) })
  await controller.startUpload([png("b"), png("c")])
  expect(states()).toEqual(["c done"])
  controller.setOptions({
    ...given,
    onBeforeUploadBegin: () => {
      throw new UploadError({ code: "BAD_REQUEST", message: "Crop it first." })
    },
  })
  const [refused] = await controller.startUpload([png("d")])
  expect(refused).toMatchObject({ status: "failed", error: { detail: "Crop it first." } })
})

test("aborted while the page still prepares it, a file is not sent", async () => {
  const prepared = Promise.withResolvers<void>()
  const { controller, states } = await start({
    onBeforeUploadBegin: async (files) => {
      await prepared.promise
      return files
    },
  })
  const outcomes = controller.startUpload([png("a"), png("b")])
  expect(states()).toEqual(["a queued", "b queued"])
  controller.abortUpload(controller.getState().files[0]!.id)
  prepared.resolve()
  await outcomes
  expect(states()).toEqual(["a aborted", "b done"])
  expect(mock.files.map(({ name }) => name)).toEqual(["b"])
})

test("another endpoint is another configuration; disabled, nothing is chosen", async () => {
  const { controller, states, given } = await start()
  expect(controller.getState().routeConfig).toMatchObject({ image: { maxFileCount: 3 } })
  controller.addFiles([png("for another route")])
  controller.setOptions({ ...given, endpoint: "avatar" })
  expect(states()).toEqual([])
  expect(controller.getState().routeConfig).toMatchObject({ image: { maxFileCount: 1 } })
  controller.setOptions({ ...given, disabled: true })
  controller.addFiles([png("a")])
  expect(states()).toEqual([])
})

test("previews of images are given back when their files leave the list", async () => {
  const revoked: Array<string> = []
  const spy = vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => revoked.push(url))
  const { controller } = await start()
  controller.addFiles([png("a"), png("b")])
  const [a, b] = controller.getState().files.map(({ previewUrl }) => previewUrl)
  controller.removeFile(controller.getState().files[0]!.id)
  expect(revoked).toEqual([a])
  controller.clear()
  expect(revoked).toEqual([a, b])
  spy.mockRestore()
})

/** Sessions that remember one upload. */
const remember = (entry: InterruptedUpload): UploadSessions & { readonly removed: Array<string> } => {
  const removed: Array<string> = []
  return {
    removed,
    open: async () => ({
      kept: undefined,
      keep: async (upload) => upload,
      exclusively: (work) => work(),
      forget: async () => {},
    }),
    list: async () => (removed.length > 0 ? [] : [entry]),
    remove: async (id) => void removed.push(id),
    attachHandle: () => {},
  }
}
const entry = {
  id: "x",
  slug: "photos",
  name: "a",
  size: 1000,
  type: "image/png",
  lastModified: 1,
  input: undefined,
  startedAt: 1,
}

test("an interrupted upload goes on by its handle, with its own input", async () => {
  const sessions = remember({ ...entry, input: { album: 7 }, reopen: async () => png("a") })
  const { controller, states, until } = await start({}, { sessions })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  expect(await controller.continueInterrupted("x")).toBe(true)
  await until("done")
  expect(states()).toEqual(["a done"])
  expect(mock.files[0]?.input).toEqual({ album: 7 })
  expect(controller.getState().interrupted).toEqual([])
})

test("where there is no handle the user chooses the file again, and it is recognised", async () => {
  const { controller } = await start({}, { sessions: remember(entry) })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  expect(await controller.continueInterrupted("x")).toBe(false)
  controller.addFiles([png("other")])
  expect(controller.getState().interrupted).toHaveLength(1)
  controller.addFiles([png("a")])
  expect(controller.getState().interrupted).toEqual([])
})

test("an interrupted upload is discarded for good", async () => {
  const sessions = remember(entry)
  const { controller } = await start({}, { sessions })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  controller.discardInterrupted("x")
  expect(sessions.removed).toEqual(["x"])
  await vi.waitFor(() => expect(controller.getState().interrupted).toEqual([]))
})
