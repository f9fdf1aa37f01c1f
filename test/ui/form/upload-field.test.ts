import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { createUploadMock } from "../../../src/msw.ts"
import { createSluice } from "../../../src/server.ts"
import { english } from "../../../src/ui/texts/english-texts.ts"
import { createUploadController, createUploadSetup, type UploadComponentOptions } from "../../../src/ui.ts"

const f = createSluice()
const router = {
  photos: f({ image: { maxFileSize: "1MB", maxFileCount: 3 } }).onUploadComplete(() => null),
  avatar: f({ image: { maxFileSize: "1MB" } }).onUploadComplete(() => null),
}
type Router = typeof router

const mock = createUploadMock<Router>({
  routes: {
    photos: { config: { image: { maxFileSize: "1MB", maxFileCount: 3 } }, serverData: null },
    avatar: { config: { image: { maxFileSize: "1MB" } }, serverData: null },
  },
})
const server = setupServer(...mock.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
afterEach(() => mock.reset())
afterAll(() => server.close())

let addresses = 0

const png = (name: string) => new File([new Uint8Array(1000)], name, { type: "image/png", lastModified: 1 })
const pdf = (name: string) => new File([new Uint8Array(1000)], name, { type: "application/pdf" })

/** A controller that knows its route, and each value its page was told. */
const start = async (options: Partial<UploadComponentOptions<Router, keyof Router>> = {}) => {
  const values: Array<ReadonlyArray<string>> = []
  const given: UploadComponentOptions<Router, keyof Router> = {
    endpoint: "photos",
    onValueChange: (keys) => values.push(keys),
    ...options,
  }
  const url = `http://field.test/api/sluice?${addresses++}`
  const controller = createUploadController(createUploadSetup<Router>({ url, retry: { attempts: 1, delay: 1 } }), given)
  controller.connect()
  await controller.preload()
  await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
  return {
    controller,
    values,
    set: (next: Partial<typeof given>) => controller.setOptions({ ...given, ...next }),
    rows: () => controller.getState().files.map(({ name, status }) => `${name} ${status}`),
    keys: () => controller.getState().files.map(({ key }) => key),
    upload: async (...files: ReadonlyArray<File>) => (await controller.startUpload(files)).map(({ status }) => status),
    idOf: (name: string) => controller.getState().files.find((item) => item.name === name)!.id,
  }
}

const before = [
  { key: "key-1", name: "one.png", size: 10, type: "image/png" },
  { key: "key-2", name: "two.png" },
]

describe("files that were stored before", () => {
  test("say that they are being checked, where the page says so", async () => {
    const { controller } = await start({ initialFiles: [{ ...before[0]!, isHeld: true }, before[1]!] })
    const [held, other] = controller.getState().files
    expect([english.fileState(held!), english.fileState(other!)]).toEqual([
      "Uploaded, 10\u00A0B · Being checked…",
      "Uploaded",
    ])
  })

  test("are listed from the start, are removed like others, and come back with a reset", async () => {
    const { controller, rows, values, upload, idOf } = await start({ initialFiles: before })
    expect(controller.getState()).toMatchObject({ status: "done", isUploading: false })
    expect(rows()).toEqual(["one.png done", "two.png done"])
    expect(values).toEqual([])
    controller.removeFile(idOf("one.png"))
    await upload(png("three.png"))
    expect(rows()).toEqual(["two.png done", "three.png done"])
    expect(values.map((keys) => keys.length)).toEqual([1, 2])
    expect(values.at(-1)![0]).toBe("key-2")
    controller.reset()
    expect(rows()).toEqual(["one.png done", "two.png done"])
    expect(values.at(-1)).toEqual(["key-1", "key-2"])
  })

  test("count towards what the route takes", async () => {
    const { controller, rows, idOf } = await start({ initialFiles: before })
    controller.addFiles([png("three.png"), png("four.png")])
    expect(rows()).toEqual(["one.png done", "two.png done", "three.png picked", "four.png failed"])
    // Also when they are judged anew, and of those whose type nobody has told.
    controller.addFiles([png("five.png")])
    controller.removeFile(idOf("five.png"))
    expect(rows()).toEqual(["one.png done", "two.png done", "three.png picked", "four.png failed"])
    controller.removeFile(idOf("two.png"))
    expect(rows()).toEqual(["one.png done", "three.png picked", "four.png picked"])
  })

  test("do not count where the component is no field: each upload may have as many", async () => {
    const { rows, upload } = await start({ onValueChange: undefined })
    await upload(png("a"), png("b"), png("c"))
    expect(await upload(png("d"), png("e"))).toEqual(["done", "done"])
    expect(rows()).toEqual(["a done", "b done", "c done", "d done", "e done"])
  })

  test("are others where the page says so and nobody has touched the list, as with a `defaultValue`", async () => {
    const { controller, rows, set, idOf } = await start({ initialFiles: before })
    set({ initialFiles: [...before, { key: "key-3", name: "three.png" }] })
    expect(rows()).toEqual(["one.png done", "two.png done", "three.png done"])
    controller.removeFile(idOf("two.png"))
    set({ initialFiles: before })
    // The third one was deleted elsewhere; the second one the user has taken out.
    expect(rows()).toEqual(["one.png done"])
    // What React does after an action: it resets the form before the page has its new props.
    set({ initialFiles: before })
    controller.reset()
    set({ initialFiles: [before[1]!] })
    expect(rows()).toEqual(["two.png done"])
  })

  test("are followed where the user has changed the list: what is gone goes, what is new comes, what was taken out stays out", async () => {
    const { controller, rows, keys, set, idOf, upload } = await start({ initialFiles: before })
    await upload(png("new.png"))
    const [, , added] = keys() as [string, string, string]
    controller.removeFile(idOf("one.png"))
    // Somebody has added a file and deleted the second one meanwhile.
    const elsewhere = { key: "key-3", name: "three.png" }
    set({ initialFiles: [before[0]!, elsewhere] })
    expect(rows()).toEqual(["new.png done", "three.png done"])
    // A page that loads, or that takes back what it had promised.
    set({ initialFiles: [] })
    set({ initialFiles: [before[0]!, elsewhere] })
    set({ initialFiles: [before[0]!, before[1]!, elsewhere] })
    expect(rows()).toEqual(["new.png done", "three.png done", "two.png done"])
    // A form that comes back with a mistake lists what it has sent.
    set({ initialFiles: [elsewhere, before[1]!, { key: added, name: "new.png" }] })
    expect(rows()).toEqual(["new.png done", "three.png done", "two.png done"])
  })

  test("that were taken out stay out while the page loads, and come back with undo", async () => {
    const { controller, rows, set } = await start({ initialFiles: before })
    controller.clear(["done"])
    set({ initialFiles: undefined })
    set({ initialFiles: [...before] })
    expect(rows()).toEqual([])
    controller.undo()
    expect(rows()).toEqual(["one.png done", "two.png done"])
    set({ initialFiles: [] })
    set({ initialFiles: [...before] })
    expect(rows()).toEqual(["one.png done", "two.png done"])
  })

  test("are listed after a reset that comes before the page has its new data", async () => {
    const { controller, rows, keys, set, upload } = await start({ initialFiles: [] })
    await upload(png("new.png"))
    const [saved] = keys() as [string]
    controller.reset()
    controller.addFiles([png("next.png")])
    set({ initialFiles: [{ key: saved, name: "new.png" }] })
    expect(rows()).toEqual(["next.png picked", "new.png done"])
  })

  test("that come late do not come beside the one file that the route takes", async () => {
    const { rows, set, upload } = await start({ endpoint: "avatar", initialFiles: [] })
    await upload(png("new.png"))
    set({ endpoint: "avatar", initialFiles: [before[0]!] })
    expect(rows()).toEqual(["new.png done"])
  })

  test("that come from elsewhere leave the offer of an undo", async () => {
    const { controller, rows, set, idOf } = await start({ initialFiles: before })
    controller.removeFile(idOf("one.png"))
    set({ initialFiles: [...before, { key: "key-3", name: "three.png" }] })
    expect(rows()).toEqual(["two.png done", "three.png done"])
    controller.undo()
    expect(rows()).toEqual(["one.png done", "two.png done", "three.png done"])
  })

  test("that come late are listed, too, and once", async () => {
    const { controller, rows, set } = await start()
    controller.addFiles([png("new.png")])
    set({ initialFiles: before })
    expect(rows()).toEqual(["new.png picked", "one.png done", "two.png done"])
    set({ initialFiles: [] })
    expect(rows()).toEqual(["new.png picked", "one.png done", "two.png done"])
  })

  // A router that keeps a page from one address to the next keeps its components: what was changed of one row would be saved in
  // another, and what that one had would be deleted.
  test.each<[string, (field: Awaited<ReturnType<typeof start>>) => unknown]>([
    ["one was removed", ({ controller, idOf }) => controller.removeFile(idOf("one.png"))],
    ["they are in another order", ({ controller, idOf }) => controller.moveFile(idOf("one.png"), 1)],
    ["another was chosen", ({ controller }) => controller.addFiles([png("new.png")])],
    [
      "another was uploaded instead of them",
      async ({ controller, upload }) => {
        controller.clear()
        await upload(png("new.png"))
      },
    ],
  ])("give way to those of another row, though %s", async (_, change) => {
    const field = await start({ initialFiles: before })
    await change(field)
    const { set, rows, values } = field
    const told = values.length
    set({ initialFiles: [{ key: "key-8", name: "eight.png" }] })
    expect(rows()).toEqual(["eight.png done"])
    // It is the page that has decided so.
    expect(values).toHaveLength(told)
    expect(field.controller.getState()).toMatchObject({ status: "done", removed: undefined })
  })

  test("give way to those of another row, though its page lists none while it loads them", async () => {
    const { controller, rows, set, idOf } = await start({ initialFiles: before })
    controller.removeFile(idOf("one.png"))
    set({ initialFiles: undefined })
    set({ initialFiles: [{ key: "key-8", name: "eight.png" }] })
    expect(rows()).toEqual(["eight.png done"])
  })

  test("of a row that was saved leave the list as it is", async () => {
    const { controller, rows, keys, set, idOf, upload } = await start({ initialFiles: [before[0]!] })
    await upload(png("new.png"))
    controller.removeFile(idOf("one.png"))
    const saved = keys() as [string]
    controller.addFiles([png("next.png")])
    set({ initialFiles: [{ key: saved[0], name: "new.png" }] })
    expect(rows()).toEqual(["new.png done", "next.png picked"])
  })

  test("that come after the user has uploaded another are listed in addition", async () => {
    const { rows, set, upload } = await start({ initialFiles: [] })
    await upload(png("new.png"))
    set({ initialFiles: before })
    expect(rows()).toEqual(["one.png done", "two.png done", "new.png done"])
  })
})

describe("a value that the page keeps", () => {
  test("is told of every change, in the order of the list", async () => {
    const { controller, values, upload, keys, idOf } = await start({ value: [] })
    await upload(png("a"), png("b"))
    expect(values.at(-1)).toEqual(keys())
    expect(values.at(-1)).toHaveLength(2)
    const [, b] = keys()
    controller.removeFile(idOf("a"))
    expect(values.at(-1)).toEqual([b])
    controller.clear()
    expect(values.at(-1)).toEqual([])
  })

  test("says which files are listed, and in which order", async () => {
    const { controller, set, rows, keys, values, upload } = await start({ value: ["key-2"], initialFiles: before })
    expect(rows()).toEqual(["two.png done"])
    await upload(png("a"))
    const [, a] = keys() as [string, string]
    controller.addFiles([png("b")])
    set({ value: [a, "key-1"], initialFiles: before })
    expect(rows()).toEqual(["a done", "one.png done", "b picked"])
    set({ value: [], initialFiles: before })
    expect(rows()).toEqual(["b picked"])
    // What the page has said itself it is not told.
    expect(values).toEqual([["key-2", a]])
  })

  test("is followed only where it changes: between an upload's end and the page's answer nothing is lost", async () => {
    const { set, rows, upload } = await start({ value: [] })
    await upload(png("a"))
    set({ value: [] })
    expect(rows()).toEqual(["a done"])
  })

  test("may name what nothing is known of, until it is", async () => {
    const { set, rows } = await start({ value: ["key-1", "key-9"] })
    expect(rows()).toEqual(["key-1 done", "key-9 done"])
    set({ value: ["key-1", "key-9"], initialFiles: before })
    expect(rows()).toEqual(["one.png done", "key-9 done"])
  })

  test("knows what was listed once: a form that brings a key back has its name", async () => {
    const { controller, set, rows, upload, idOf, keys } = await start({ value: [], initialFiles: before })
    await upload(png("a"), png("b"))
    const both = keys() as Array<string>
    controller.removeFile(idOf("a"))
    set({ value: [both[1]!], initialFiles: before })
    set({ value: both, initialFiles: before })
    expect(rows()).toEqual(["a done", "b done"])
    controller.reset()
    expect(rows()).toEqual(["a done", "b done"])
  })

  test("is not touched by a reset, which the page may have made to bring another value: it says what comes back", async () => {
    const { controller, rows, set, values, idOf } = await start({ value: ["key-1", "key-2"], initialFiles: before })
    controller.removeFile(idOf("one.png"))
    set({ value: ["key-2"], initialFiles: before })
    controller.addFiles([png("new.png")])
    controller.reset()
    expect(rows()).toEqual(["two.png done"])
    expect(values).toEqual([["key-2"]])
    set({ value: ["key-1", "key-2"], initialFiles: before })
    expect(rows()).toEqual(["one.png done", "two.png done"])
  })

  test("with a key twice lists it once", async () => {
    const { rows } = await start({ value: ["key-1", "key-1"] })
    expect(rows()).toEqual(["key-1 done"])
  })
})

describe("where the route takes one file", () => {
  const avatar = { endpoint: "avatar", initialFiles: [before[0]!] } as const

  test("a refused choice leaves the old one; it goes with the next choice", async () => {
    const { controller, rows, values } = await start(avatar)
    controller.addFiles([pdf("doc.pdf")])
    expect(rows()).toEqual(["one.png done", "doc.pdf failed"])
    controller.addFiles([png("me.png")])
    expect(rows()).toEqual(["one.png done", "me.png picked"])
    expect(values).toEqual([])
  })

  test("the old one stays until the new one is stored, then there is one", async () => {
    const { rows, values, keys, upload } = await start(avatar)
    expect(await upload(png("me.png"))).toEqual(["done"])
    expect(rows()).toEqual(["me.png done"])
    expect(values).toEqual([keys()])
  })

  test("the old one stays where the new one fails", async () => {
    const { rows, values, upload } = await start(avatar)
    mock.refuse("avatar", "FORBIDDEN")
    await upload(png("me.png"))
    expect(rows()).toEqual(["one.png done", "me.png failed"])
    expect(values).toEqual([])
  })

  test("a second choice while the first is on its way ends the first: one is stored", async () => {
    const { controller, rows, values } = await start({ endpoint: "avatar", config: { mode: "auto" } })
    controller.addFiles([png("first.png")])
    controller.addFiles([png("second.png")])
    await vi.waitFor(() => expect(rows()).toEqual(["second.png done"]))
    expect(values).toHaveLength(1)
  })
})

test("another endpoint has files of its own", async () => {
  const { rows, set, values } = await start({ initialFiles: before })
  set({ endpoint: "avatar", initialFiles: [{ key: "key-3", name: "me.png" }] })
  expect(rows()).toEqual(["me.png done"])
  expect(values).toEqual([])
})
