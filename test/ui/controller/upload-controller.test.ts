import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { z } from "zod"
import { createUploadMock } from "../../../src/msw.ts"
import { createSluice } from "../../../src/server.ts"
import {
  createUploadController,
  createUploadSetup,
  type UploadComponentOptions,
  UploadError,
  type UploadSetupOptions,
} from "../../../src/ui.ts"
import type { InterruptedUpload, ResumeStore } from "../../../src/client.ts"

const f = createSluice()
const router = {
  photos: f({ image: { maxFileSize: "1MB", maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  avatar: f({ image: { maxFileSize: "1MB" } }).onUploadComplete(() => ({ stored: "" })),
  album: f({ image: { maxFileSize: "1MB" } })
    .input(z.object({ album: z.number() }))
    .onUploadComplete(() => ({ stored: "" })),
}
type Router = typeof router

const mock = createUploadMock<Router>({
  routes: {
    photos: {
      config: { image: { maxFileSize: "1MB", maxFileCount: 3 } },
      serverData: ({ file }) => ({ stored: file.name }),
    },
    avatar: { config: { image: { maxFileSize: "1MB" } }, serverData: { stored: "avatar" } },
    album: { config: { image: { maxFileSize: "1MB" } }, serverData: { stored: "album" } },
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
  const states = () => controller.getState().files.map(({ name, status }) => `${name} ${status}`)
  await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
  await controller.preload()
  return {
    controller,
    told,
    states,
    given,
    disconnect,
    until: (status: string) => vi.waitFor(() => expect(controller.getState().status).toBe(status)),
  }
}

test("idle → picked → uploading → done; what is stored stays when more is chosen", async () => {
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
  expect(states()).toEqual(["a done", "b done", "c picked"])
})

test("with nothing left to do, what has failed makes room for a new choice", async () => {
  const { controller, states, until } = await start()
  await controller.startUpload([png("a"), png("huge", 2_000_000)])
  await until("failed")
  controller.addFiles([png("b")])
  expect(states()).toEqual(["a done", "b picked"])
  controller.addFiles([png("huge", 2_000_000)])
  expect(states()).toEqual(["a done", "b picked", "huge failed"])
  controller.addFiles([png("c")])
  expect(states()).toEqual(["a done", "b picked", "huge failed", "c picked"])
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
  mock.refuse("photos", new UploadError({ code: "UNAUTHORIZED", message: "Sign in again." }), { once: true })
  controller.addFiles([png("a"), png("b")])
  await until("failed")
  await vi.waitFor(() => expect(told).toContainEqual(["error", ["UNAUTHORIZED", ["a", "b"]]]))
  controller.resumeUpload()
  expect(states()).toEqual(["a queued", "b queued"])
  await until("done")
  expect(told.at(-1)).toEqual(["complete", ["a", "b"]])
})

test("one file fails: the others are done, and only it is tried again", async () => {
  const { controller, told, states, until } = await start({ config: { mode: "auto" } })
  mock.fail("photos", "CALLBACK_FAILED", { name: "b", once: true })
  controller.addFiles([png("a"), png("b")])
  await until("failed")
  expect(states()).toEqual(["a done", "b failed"])
  expect(told).toContainEqual(["complete", ["a"]])
  controller.resumeUpload()
  await vi.waitFor(() => expect(states()).not.toContain("b queued"))
  expect(mock.files.map(({ name }) => name)).toContain("a")
})

test("a route that was refused is asked for again with the next choice: who has signed in gets its limits", async () => {
  const url = `http://app.test/api/sluice?${addresses++}`
  let asked = 0
  let isSignedIn = false
  server.use(
    http.get("http://app.test/api/sluice", () => {
      asked++
      return isSignedIn ? undefined : new HttpResponse(null, { status: 401 })
    }),
  )
  const said = vi.spyOn(console, "error").mockImplementation(() => {})
  const setup = createUploadSetup<Router>({ url, retry: { attempts: 2, delay: 1 } })
  const controller = createUploadController(setup, { endpoint: "photos", config: { mode: "manual" } })
  controller.connect()
  await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
  await controller.preload()
  expect(controller.getState().routeConfig).toBeUndefined()
  controller.addFiles([png("a.png")])
  await vi.waitFor(() => expect(asked).toBe(2))
  expect(controller.getState().routeConfig).toBeUndefined()
  isSignedIn = true
  controller.addFiles([png("b.png")])
  await vi.waitFor(() => expect(controller.getState().routeConfig?.image?.maxFileCount).toBe(3))
  controller.addFiles([png("c.png")])
  expect(asked).toBe(3)
  expect(controller.getState().files).toHaveLength(3)
  said.mockRestore()
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
  expect(states()).toEqual(["new-a done", "c done"])
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

test("a preview is shown until it is taken away; what the page gave is never revoked", async () => {
  const spy = vi.spyOn(URL, "revokeObjectURL")
  const { controller } = await start()
  controller.addFiles([png("a"), png("b")])
  const [a] = controller.getState().files
  controller.setPreview(a!.id, { url: "https://example.com/a.png", width: 192, height: 96 })
  const shown = () => controller.getState().files.map(({ previewUrl, previewSize }) => [previewUrl, previewSize])
  const none = [undefined, undefined]
  expect(shown()).toEqual([["https://example.com/a.png", { width: 192, height: 96 }], none])
  controller.setPreview(a!.id, undefined)
  expect(shown()).toEqual([none, none])
  controller.setPreview(a!.id, { url: "https://example.com/a.png", width: 192, height: 96 })
  controller.clear()
  expect(spy).not.toHaveBeenCalled()
  spy.mockRestore()
})

/** A resume store that remembers one upload. */
const remember = (
  entry: InterruptedUpload,
): ResumeStore & { readonly removed: Array<string>; readonly listed: () => number } => {
  const removed: Array<string> = []
  let listed = 0
  return {
    removed,
    /** How often it was asked for its uploads. */
    listed: () => listed,
    open: async () => ({
      kept: undefined,
      keep: async (upload) => upload,
      exclusively: (work) => work(),
      forget: async () => {},
    }),
    list: async () => {
      listed++
      return removed.length > 0 ? [] : [entry]
    },
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
  const resumeStore = remember({ ...entry, input: { album: 7 }, reopen: async () => png("a") })
  const { controller, states, until } = await start({}, { resumeStore })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  expect(await controller.continueInterrupted("x")).toBe(true)
  await until("done")
  expect(states()).toEqual(["a done"])
  expect(mock.files[0]?.input).toEqual({ album: 7 })
  expect(controller.getState().interrupted).toEqual([])
})

test("an interrupted upload is offered where the input is the same, and nowhere else", async () => {
  const resumeStore = remember({ ...entry, input: { album: 7 } })
  const { controller, given, until } = await start({ endpoint: "album", input: { album: 8 } }, { resumeStore })
  const ids = () => controller.getState().interrupted.map(({ id }) => id)
  await vi.waitFor(() => expect(resumeStore.listed()).toBe(1))
  expect(ids()).toEqual([])
  // Chosen again there, it is that row's own.
  controller.addFiles([png("a")])
  await controller.startUpload()
  await until("done")
  expect(mock.files[0]?.input).toEqual({ album: 8 })
  controller.clear()
  controller.setOptions({ ...given, input: { album: 7 } })
  await vi.waitFor(() => expect(ids()).toEqual(["x"]))
  // A page may make the same input anew whenever it renders.
  const listed = resumeStore.listed()
  controller.setOptions({ ...given, input: { album: 7 } })
  expect(resumeStore.listed()).toBe(listed)
  controller.setOptions({ ...given, input: { album: 8 } })
  expect(ids()).toEqual([])
})

test("where there is no handle the user chooses the file again, and it is recognised", async () => {
  const { controller } = await start({}, { resumeStore: remember(entry) })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  expect(await controller.continueInterrupted("x")).toBe(false)
  controller.addFiles([png("other")])
  expect(controller.getState().interrupted).toHaveLength(1)
  controller.addFiles([png("a")])
  expect(controller.getState().interrupted).toEqual([])
})

test("an interrupted upload is discarded for good", async () => {
  const resumeStore = remember(entry)
  const { controller } = await start({}, { resumeStore })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  controller.discardInterrupted("x")
  expect(resumeStore.removed).toEqual(["x"])
  await vi.waitFor(() => expect(controller.getState().interrupted).toEqual([]))
})

test("a file that was interrupted starts when it is chosen, others still wait to be sent", async () => {
  const { controller, states, until } = await start({}, { resumeStore: remember(entry) })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  controller.addFiles([png("a"), png("other")])
  await vi.waitFor(() => expect(states()).toEqual(["a done", "other picked"]))
  await controller.startUpload()
  await until("done")
})

test("a resume store may be given to a component, and changes with the user", async () => {
  const mine = remember({ ...entry, id: "mine" })
  const yours = remember({ ...entry, id: "yours", name: "b" })
  const { controller, given } = await start({ resumeStore: mine }, { resumeStore: remember(entry) })
  const ids = () => controller.getState().interrupted.map(({ id }) => id)
  await vi.waitFor(() => expect(ids()).toEqual(["mine"]))
  controller.setOptions({ ...given, resumeStore: yours })
  await vi.waitFor(() => expect(ids()).toEqual(["yours"]))
  controller.discardInterrupted("yours")
  await vi.waitFor(() => expect(ids()).toEqual([]))
  expect([mine.removed, yours.removed]).toEqual([[], ["yours"]])
})

test("messages that what is interrupted has changed have it read once more, after the read that runs", async () => {
  const answers: Array<(entries: Array<InterruptedUpload>) => void> = []
  let tell = () => {}
  const resumeStore: ResumeStore = {
    ...remember(entry),
    list: () => new Promise((resolve) => answers.push(resolve)),
    subscribe: (listener) => {
      tell = listener
      return () => {}
    },
  }
  const { controller } = await start({}, { resumeStore })
  const ids = () => controller.getState().interrupted.map(({ id }) => id)
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  for (let i = 0; i < 50; i++) tell()
  expect(answers).toHaveLength(1)
  answers[0]!([entry])
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  expect(ids()).toEqual(["x"])
  answers[1]!([])
  await vi.waitFor(() => expect(ids()).toEqual([]))
  expect(answers).toHaveLength(2)
})

test("a resume store that is made anew at every rendering does not make it render for ever", async () => {
  const { controller, given } = await start({ resumeStore: remember(entry) })
  let renderings = 0
  const asked: Array<Promise<unknown>> = []
  controller.subscribe(() => {
    if (++renderings > 20) throw new Error("It renders for ever.")
    const resumeStore = remember(entry)
    const list: ResumeStore["list"] = (slug) => {
      const answer = resumeStore.list(slug)
      asked.push(answer)
      return answer
    }
    controller.setOptions({ ...given, resumeStore: { ...resumeStore, list } })
  })
  controller.setDragActive(true)
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
  for (let i = 0; i < asked.length; i++) await asked[i]
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(renderings).toBeLessThan(4)
})

test("the app is asked what its routes take with the credentials of the setup", async () => {
  const asked: Array<RequestInit | undefined> = []
  const ask: typeof fetch = (url, init) => {
    asked.push(init)
    return fetch(url, init)
  }
  const { controller, until } = await start({}, { credentials: "include", fetch: ask })
  controller.addFiles([png("a")])
  await controller.startUpload()
  await until("done")
  // GET and POST at the app, PUT at the ingest.
  expect(asked.map((init) => [init?.method ?? "GET", init?.credentials])).toEqual([
    ["GET", "include"],
    ["POST", "include"],
    ["PUT", undefined],
  ])
})

test("an interrupted upload that is discarded while they are being listed does not come back", async () => {
  const resumeStore = remember(entry)
  const answers: Array<() => void> = []
  const list: ResumeStore["list"] = async (slug) => {
    // What is read now, told later.
    const found = await resumeStore.list(slug)
    if (answers.length > 0) await new Promise<void>((resolve) => answers.push(resolve))
    else answers.push(() => {})
    return found
  }
  const { controller, disconnect } = await start({ resumeStore: { ...resumeStore, list } })
  await vi.waitFor(() => expect(controller.getState().interrupted).toHaveLength(1))
  disconnect()
  controller.connect()
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  controller.discardInterrupted("x")
  await vi.waitFor(() => expect(controller.getState().interrupted).toEqual([]))
  answers[1]!()
  // It is read again, after the removal.
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  answers[2]!()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(controller.getState().interrupted).toEqual([])
})

test("a page without fetch, as jsdom is one, works until something is sent", async () => {
  vi.stubGlobal("fetch", undefined)
  try {
    const { controller } = await start({}, { retry: { attempts: 1 } })
    controller.addFiles([png("a")])
    expect(controller.getState().files).toMatchObject([{ name: "a", status: "picked" }])
  } finally {
    vi.unstubAllGlobals()
  }
})

test("a file that is cancelled or taken off the list before anything is sent is not sent", async () => {
  const { controller } = await start()
  const given = controller.startUpload([png("cleared")])
  controller.clear()
  expect((await given).map(({ file, status }) => `${file.name} ${status}`)).toEqual(["cleared aborted"])

  const auto = await start({ config: { mode: "auto" } })
  auto.controller.addFiles([png("cancelled")])
  auto.controller.abortUpload()
  auto.controller.addFiles([png("kept")])
  await vi.waitFor(() => expect(auto.states()).toEqual(["kept done"]))
  expect(mock.files.map(({ name }) => name)).toEqual(["kept"])
})

test("a file that is cancelled and tried again while the page prepares it is sent once", async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const { controller, states, told } = await start({
    config: { mode: "auto" },
    onBeforeUploadBegin: async (files: Array<File>) => {
      await gate
      return files
    },
  })
  controller.addFiles([png("a")])
  const { id } = controller.getState().files[0]!
  controller.abortUpload(id)
  controller.resumeUpload(id)
  release()
  await vi.waitFor(() => expect(states()).toEqual(["a done"]))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(mock.files.map(({ name }) => name)).toEqual(["a"])
  expect(told.filter(([name]) => name === "complete")).toEqual([["complete", ["a"]]])
})

test("a name that no upload takes is refused when it is chosen, and the others are sent", async () => {
  const { controller, states } = await start()
  controller.addFiles([png("good"), png("x".repeat(1025))])
  expect(controller.getState().files[1]!.error?.detail).toBe("This name is too long. Shorten it.")
  await controller.startUpload()
  expect(states()[0]).toBe("good done")
})

test("components that share a controller have near rows of their own", async () => {
  const { controller } = await start({ config: { mode: "manual" } })
  controller.setNear("a", new Set(["1"]))
  controller.setNear("b", new Set(["2"]))
  expect(controller.getState().near).toEqual(
    new Map([
      ["a", new Set(["1"])],
      ["b", new Set(["2"])],
    ]),
  )
  controller.setNear("a", undefined)
  expect(controller.getState().near).toEqual(new Map([["b", new Set(["2"])]]))
  controller.setNear("b", undefined)
  expect(controller.getState().near).toBeUndefined()
})
