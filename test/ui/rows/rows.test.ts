import { expect, test, vi } from "vitest"
import { createSluice, extractRouteConfig } from "../../../src/server.ts"
import { createUploadController, createUploadSetup, type UploadComponentOptions } from "../../../src/ui.ts"

const f = createSluice()
const router = {
  photos: f({ image: { maxFileSize: "1MB", maxFileCount: 3 } }).onUploadComplete(() => null),
  avatar: f({ image: { maxFileSize: "1MB" } }).onUploadComplete(() => null),
}
type Router = typeof router

const png = (name: string) => new File(["x"], name, { type: "image/png", lastModified: 1 })
const stored = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key, name: `${key}.png`, type: "image/png" }))

let addresses = 0

const start = async (options: Partial<UploadComponentOptions<Router, keyof Router>> = {}) => {
  const values: Array<ReadonlyArray<string>> = []
  const url = `http://app.test/api/sluice?rows${addresses++}`
  const controller = createUploadController(createUploadSetup<Router>({ url, routes: extractRouteConfig(router) }), {
    endpoint: "photos",
    onValueChange: (keys) => values.push(keys),
    ...options,
  })
  await controller.preload()
  const names = () => controller.getState().files.map(({ name }) => name)
  const idOf = (name: string) => controller.getState().files.find((item) => item.name === name)!.id
  const remove = (name: string) => controller.removeFile(idOf(name))
  return { controller, values, names, idOf, remove }
}

test("each removal is undone in its turn, at its place, also among files that came and went since", async () => {
  const { controller, names, remove } = await start()
  controller.addFiles([png("a"), png("b"), png("c")])
  remove("b")
  remove("a")
  expect(controller.getState().removed?.files.map(({ name }) => name)).toEqual(["a"])
  controller.addFiles([png("d")])
  controller.undo()
  expect(names()).toEqual(["a", "c", "d"])
  controller.undo()
  expect(names()).toEqual(["a", "b", "c", "d"])
  // Three are taken: the one that came last has no place any more.
  expect(controller.getState().files.map(({ status }) => status)).toEqual(["picked", "picked", "picked", "failed"])
  expect(controller.getState().removed).toBeUndefined()
  controller.undo()
  expect(names()).toEqual(["a", "b", "c", "d"])
})

test("the last 50 removals can be undone, so that a page that removes its files all the time does not hold them all", async () => {
  const { controller, names, remove } = await start()
  const all = Array.from({ length: 60 }, (_, index) => `${index}`)
  for (const name of all) {
    controller.addFiles([png(name)])
    remove(name)
  }
  while (controller.getState().removed !== undefined) controller.undo()
  expect(names().toSorted()).toEqual(all.slice(10).toSorted())
})

test("nothing is undone that the page itself has ended", async () => {
  const { controller, names, remove } = await start({ initialFiles: stored("one", "two") })
  const isOver = () => {
    expect(controller.getState().removed).toBeUndefined()
    const before = names()
    controller.undo()
    expect(names()).toEqual(before)
  }
  remove("one.png")
  controller.reset()
  isOver()
  remove("one.png")
  controller.clear()
  isOver()
  controller.reset()
  remove("one.png")
  controller.setOptions({ endpoint: "photos", value: ["three"] })
  isOver()
  controller.setOptions({ endpoint: "avatar" })
  isOver()
  controller.addFiles([png("a")])
  remove("a")
  controller.forgetRemoved()
  isOver()
  const never = await start({ config: { undo: false } })
  never.controller.addFiles([png("a")])
  never.remove("a")
  expect(never.controller.getState().removed).toBeUndefined()
})

test("where the page keeps the keys, its own echo of a removal ends nothing", async () => {
  const initialFiles = stored("one", "two")
  const { controller, values, names, remove } = await start({ initialFiles, value: ["one", "two"] })
  remove("one.png")
  controller.setOptions({ endpoint: "photos", initialFiles, value: values.at(-1)! })
  expect(names()).toEqual(["two.png"])
  controller.undo()
  expect(names()).toEqual(["one.png", "two.png"])
})

test("a file is put at a place of the list; the keys follow, and what is no place is none", async () => {
  const { controller, values, names, idOf } = await start({ initialFiles: stored("one", "two", "three") })
  const before = controller.getState()
  for (const place of [0, -5, Number.NaN]) controller.moveFile("one", place)
  controller.moveFile("nobody", 1)
  expect(controller.getState()).toBe(before)
  controller.moveFile(idOf("one.png"), 99)
  expect(names()).toEqual(["two.png", "three.png", "one.png"])
  expect(values).toEqual([["two", "three", "one"]])
})

test("only what waits for its upload is renamed, and one that was refused for its name is not any more", async () => {
  const { controller, names } = await start({ initialFiles: stored("one") })
  controller.addFiles([png("a.png")])
  const { id } = controller.getState().files[1]!
  expect(controller.renameFile("one", "two.png")).toBeUndefined()
  expect(controller.renameFile(id, "a/b.png")).toBe("character")
  expect(names()).toEqual(["one.png", "a.png"])
  expect(controller.renameFile(id, "b.png")).toBeUndefined()
  expect(names()).toEqual(["one.png", "b.png"])
  expect(controller.getState().files[1]).toMatchObject({ id, status: "picked", size: 1, type: "image/png" })
})

test("without a component on a page what was removed can be undone for a while, and is not held for ever", async () => {
  const { controller, names, remove } = await start()
  vi.useFakeTimers()
  try {
    controller.addFiles([png("a"), png("b")])
    remove("a")
    await vi.advanceTimersByTimeAsync(15_000)
    expect(controller.getState().removed).toBeDefined()
    // Each removal begins the time anew, for those before it too.
    remove("b")
    await vi.advanceTimersByTimeAsync(15_000)
    controller.undo()
    expect(names()).toEqual(["b"])
    expect(controller.getState().removed?.files.map(({ name }) => name)).toEqual(["a"])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(controller.getState().removed).toBeUndefined()
    controller.undo()
    expect(names()).toEqual(["b"])
  } finally {
    vi.useRealTimers()
  }
})
