import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest"
import { createUploadMock } from "../../../src/msw.ts"
import { createSluice } from "../../../src/server.ts"
import {
  createUploadComponent,
  createUploads,
  createUploadSetup,
  headless,
  type UploadComponentOptions,
  type UploadsOptions,
} from "../../../src/ui.ts"
import type { ResumeStore } from "../../../src/client.ts"

const f = createSluice()
const config = { image: { maxFileSize: "1MB", maxFileCount: 9 } } as const
const router = {
  photos: f(config).onUploadComplete(({ file }) => ({ stored: file.name })),
  pair: f({ image: { maxFileSize: "1MB", minFileCount: 2, maxFileCount: 2 } }).onUploadComplete(() => ({ pair: 2 })),
}
type Router = typeof router

const mock = createUploadMock<Router>({
  routes: {
    photos: { config, serverData: ({ file }) => ({ stored: file.name }) },
    pair: {
      config: { image: { maxFileSize: "1MB", minFileCount: 2, maxFileCount: 2 } },
      serverData: { pair: 2 },
    },
  },
})
const server = setupServer(...mock.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
beforeEach(() => {
  // What tells a page from a server.
  const none = () => {}
  const createTextNode = () => ({ remove: none })
  vi.stubGlobal("document", {
    addEventListener: none,
    removeEventListener: none,
    getElementById: () => null,
    createTextNode,
  })
  vi.stubGlobal("addEventListener", none)
  vi.stubGlobal("removeEventListener", none)
})
/** Components on the page: their timers must not outlive it. */
const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.unstubAllGlobals()
  mock.reset()
})
afterAll(() => server.close())

let addresses = 0

const png = (name: string, size = 1000) =>
  new File([new Uint8Array(size)], name, { type: "image/png", lastModified: 1 })

const start = (options: UploadsOptions<Router> = {}) => {
  const told: Array<readonly [endpoint: string, ...names: Array<string>]> = []
  const url = `http://app.test/api/sluice?uploads=${addresses++}`
  const uploads = createUploads<Router>({
    url,
    retry: { attempts: 1, delay: 1 },
    onClientUploadComplete: (results, endpoint) => told.push([endpoint, ...results.map(({ name }) => name)]),
    onUploadError: (error, files, endpoint) => told.push([endpoint, error.code, ...files.map(({ name }) => name)]),
    ...options,
  })
  return { uploads, told, url }
}
const borrow = (
  uploads: ReturnType<typeof start>["uploads"],
  options: Omit<Partial<UploadComponentOptions<Router, keyof Router>>, "input"> & { readonly input?: unknown } = {},
) => {
  const given = { endpoint: "photos", config: { mode: "auto" }, uploads, ...options }
  return createUploadComponent(
    createUploadSetup<Router>({ url: "http://nowhere.test" }),
    headless,
    given as UploadComponentOptions<Router, "photos">,
    "x",
  )
}
const names = (state: { readonly files: ReadonlyArray<{ readonly name: string }> }) =>
  state.files.map(({ name }) => name)

describe("uploads outside the tree", () => {
  test("take files from code, and tell whose they were", async () => {
    const { uploads, told } = start()
    const outcomes = await uploads.addFiles("photos", [png("a.png"), png("b.png")])
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "done"])
    expect(told).toEqual([["photos", "a.png", "b.png"]])
    expect(uploads.getState()).toMatchObject({ status: "done", progress: 100, summary: { total: 2, done: 2 } })
    expect(uploads.getState()).toBe(uploads.getState())
  })

  test("judge what code adds by the limits of the route, once they are known", async () => {
    const { uploads, told } = start()
    const outcomes = await uploads.addFiles("photos", [png("a.png"), new File(["x"], "b.txt", { type: "text/plain" })])
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "done"])
    await vi.waitFor(() => expect(told).toContainEqual(["photos", "FILE_TYPE_NOT_ALLOWED", "b.txt"]))
    expect(uploads.getState().summary).toMatchObject({ total: 1, done: 1, failed: 1 })
  })

  test("keep nothing of files that nobody could make enough", async () => {
    const { uploads, told } = start()
    const [outcome] = await uploads.addFiles("pair", [png("a.png")])
    expect(outcome).toMatchObject({ status: "failed", error: { code: "TOO_FEW_FILES" } })
    await vi.waitFor(() => expect(told).toEqual([["pair", "TOO_FEW_FILES", "a.png"]]))
    expect(uploads.getState()).toBe(uploads.getServerState())
  })

  test("are on a server each component's own", async () => {
    const { uploads } = start()
    vi.stubGlobal("document", undefined)
    const component = borrow(uploads, { config: { mode: "manual" } })
    await component.preload()
    component.addFiles([png("secret.png")])
    expect(names(component.getState())).toEqual(["secret.png"])
    expect(names(borrow(uploads).getState())).toEqual([])
    expect(uploads.getState()).toBe(uploads.getServerState())
  })

  test("are not those of a form's field", async () => {
    const { uploads } = start()
    const field = borrow(uploads, { name: "photos", config: { mode: "manual" } })
    await field.preload()
    field.addFiles([png("a.png")])
    expect(names(field.getState())).toEqual(["a.png"])
    expect(names(borrow(uploads).getState())).toEqual([])
  })

  test("show in each component those of its route, its input or its group", async () => {
    const { uploads } = start()
    const config = { mode: "manual" } as const
    const seven = borrow(uploads, { config, input: { album: 7 } })
    const own = borrow(uploads, { config, uploads: uploads.group("own") })
    for (const each of [seven, own]) ends.push(each.connect())
    await Promise.all([seven.preload(), own.preload()])
    seven.addFiles([png("seven.png")])
    own.addFiles([png("own.png")])
    expect(names(seven.getState())).toEqual(["seven.png"])
    expect(names(borrow(uploads, { input: { album: 7 } }).getState())).toEqual(["seven.png"])
    expect(names(borrow(uploads, { input: { album: 8 } }).getState())).toEqual([])
    expect(names(borrow(uploads, { endpoint: "pair", input: { album: 7 } }).getState())).toEqual([])
    expect(names(borrow(uploads, { input: { album: 8 }, uploads: uploads.group("own") }).getState())).toEqual([
      "own.png",
    ])
    // An input that is typed takes no files away.
    const typed = borrow(uploads, { config, input: { title: "" } })
    ends.push(typed.connect())
    await typed.preload()
    typed.addFiles([png("typed.png")])
    typed.setOptions({ endpoint: "photos", config, uploads, input: { title: "S" } } as never)
    expect(names(typed.getState())).toEqual(["typed.png"])
  })

  test("a component reaches the address of the uploads, and speaks its own language", () => {
    const { uploads, url } = start({ texts: { pause: () => "Halt" } })
    expect(uploads.share(createUploadSetup({ url: "http://nowhere.test" }))).toMatchObject({ options: { url } })
    expect(uploads.share(createUploadSetup()).texts.pause()).toBe("Halt")
    expect(uploads.share(createUploadSetup({ texts: { pause: () => "Anhalten" } })).texts.pause()).toBe("Anhalten")
  })

  test("call a component back as long as it is there, and by what it says now", async () => {
    const { uploads, told } = start()
    const said: Array<string> = []
    const say = (who: string) => ({ onClientUploadComplete: () => void said.push(who) })
    const lease = uploads.borrow({ endpoint: "photos", config: { mode: "auto" }, ...say("first") }, uploads.setup)!
    const disconnect = lease.connect()
    lease.setOptions({ endpoint: "photos", config: { mode: "auto" }, ...say("second") } as never)
    await lease.startUpload([png("a.png")])
    expect(said).toEqual(["second"])
    disconnect()
    await uploads.addFiles("photos", [png("b.png")])
    expect(said).toEqual(["second"])
    expect(told).toEqual([
      ["photos", "a.png"],
      ["photos", "b.png"],
    ])
  })

  test("begin one after another: no more files move than those of one upload and what it leaves free", async () => {
    let moving = 0
    let most = 0
    const { uploads } = start({ concurrency: 2 })
    uploads.subscribe(() => {
      moving = uploads.getState().files.filter(({ status }) => ["uploading", "processing"].includes(status)).length
      most = Math.max(most, moving)
    })
    const batches = Array.from({ length: 6 }, (_, index) =>
      uploads.addFiles("photos", [png(`${index}a.png`), png(`${index}b.png`)], { group: `${index}` }),
    )
    const outcomes = (await Promise.all(batches)).flat()
    expect(outcomes.map(({ status }) => status)).toEqual(Array(12).fill("done"))
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(3)
  })

  test("change files for the app after the component has, and what that throws is their error", async () => {
    const { uploads, told } = start({
      onBeforeUploadBegin: (files, endpoint) => {
        if (files.some(({ name }) => name === "bad.png")) throw new Error("no")
        return files.map((file) => png(`${endpoint}-${file.name}`))
      },
    })
    await uploads.addFiles("photos", [png("a.png")])
    expect(told).toEqual([["photos", "photos-a.png"]])
    const [outcome] = await uploads.addFiles("photos", [png("bad.png")])
    expect(outcome?.status).toBe("failed")
  })

  test("let go of what is removed, and of lists that nobody needs", async () => {
    const { uploads } = start()
    await uploads.addFiles("photos", [png("a.png"), png("b.png")])
    const [first] = uploads.getState().files
    const place = uploads.controllerOf(first!.id)!
    uploads.removeFile(first!.id)
    expect(names(uploads.getState())).toEqual(["b.png"])
    uploads.removeFinished()
    expect(uploads.getState().files).toEqual([])
    await uploads.addFiles("photos", [png("c.png")])
    expect(uploads.controllerOf(uploads.getState().files[0]!.id)).not.toBe(place)
  })

  test("keep equal parts the same objects", async () => {
    const { uploads } = start()
    await uploads.addFiles("photos", [png("a.png")])
    const before = uploads.getState()
    await uploads.addFiles("pair", [png("b.png"), png("c.png")])
    expect(uploads.getState().files[0]).toBe(before.files[0])
    // A new upload begins to count anew.
    expect(uploads.getState().summary).toMatchObject({ total: 2, done: 2 })
  })

  test("end for good, by `reset`, what is on its way, and leave what a reload had interrupted", async () => {
    const done: Array<string> = []
    const resumeStore: ResumeStore = {
      open: async ({ file }) => ({
        kept: undefined,
        keep: async (upload) => upload,
        exclusively: (work) => work(),
        forget: async () => done.push(`forgot ${file.name}`),
      }),
      list: async () => [],
      remove: async (id) => void done.push(`removed ${id}`),
      attachHandle: () => {},
    }
    const { uploads } = start({ resumeStore })
    server.events.on("request:start", ({ request }) => {
      if (request.method === "DELETE") done.push(`deleted ${new URL(request.url).hostname}`)
    })
    const { reached } = mock.hold("photos", { after: 10 })
    const added = uploads.addFiles("photos", [png("a.png")])
    await reached
    uploads.reset()
    expect(uploads.getState().files).toEqual([])
    expect(await added).toMatchObject([{ status: "aborted" }])
    await vi.waitFor(() => expect(done.toSorted()).toEqual(["deleted ingest.sluice.test", "forgot a.png"]))
  })

  test("leave the resume store to the component where it has its own", () => {
    const resumeStore = { list: async () => [] } as unknown as ResumeStore
    const { uploads } = start({ resumeStore })
    expect(uploads.share(createUploadSetup()).options.resumeStore).toBe(resumeStore)
  })
})

test("the router types what code adds and what the app is told", () => {
  const typed = {
    photos: router.photos,
    album: f({ image: {} })
      .input({} as import("@standard-schema/spec").StandardSchemaV1<{ id: number }>)
      .onUploadComplete(() => ({ id: 1 })),
  }
  const uploads = createUploads<typeof typed>({
    onClientUploadComplete: (results, endpoint) => {
      if (endpoint === "photos") expectTypeOf(results[0]!.serverData).toEqualTypeOf<{ stored: string }>()
      else expectTypeOf(results[0]!.serverData).toEqualTypeOf<{ id: number }>()
    },
  })
  const check = () => {
    void uploads.addFiles("album", [], { input: { id: 1 } })
    // @ts-expect-error: the route takes an input
    void uploads.addFiles("album", [])
    // @ts-expect-error: no such route
    void uploads.addFiles("videos", [])
  }
  expect(check).toBeTypeOf("function")
})
