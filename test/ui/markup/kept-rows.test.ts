import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { english } from "../../../src/ui/texts/english-texts.ts"
import type { ComponentView } from "../../../src/ui/markup/component-view.ts"
import { keepRows } from "../../../src/ui/markup/kept-rows.ts"
import { describe as describeElement } from "../../../src/ui/markup/markup.ts"
import { createMoreParts } from "../../../src/ui/markup/more-parts.ts"
import type { MoreParts, RowPartsOptions } from "../../../src/ui/markup/parts.ts"
import { createRowParts } from "../../../src/ui/markup/row-parts.ts"
import { noFigures } from "../../../src/ui/controller/no-figures.ts"
import type { UploadItem, UploadState } from "../../../src/ui/controller/upload-state.ts"

const createItem = (given: Partial<UploadItem> = {}): UploadItem =>
  ({ id: "1", name: "a.png", size: 1, type: "image/png", status: "queued", progress: 0, ...given }) as UploadItem

const item = createItem()
const view = {
  controller: {},
  state: { files: [item], isDisabled: false },
  texts: { error: () => "Broken." },
  config: {},
  looks: {},
  blocking: undefined,
} as unknown as ComponentView

/** How often a row is described while it is rendered in these views, one after the other. */
const count = (given: UploadItem, ...views: ReadonlyArray<ComponentView>): number => {
  let described = 0
  const rendered = views.map((each) =>
    keepRows(each)(given, false, () => {
      described++
      return describeElement("li", given.id, {})
    }),
  )
  expect(new Set(rendered).size).toBe(described)
  return described
}

describe("a row of a list", () => {
  it("is described once as long as nothing has changed, and says so to what renders it", () => {
    const given = createItem()
    expect(count(given, view, { ...view }, { ...view, state: { ...view.state, progress: 50 } })).toBe(1)
    const markup = keepRows(view)(given, false, () => expect.unreachable())
    expect(markup.isKept).toBe(true)
  })

  it("is described anew for a file that has changed, as a new object is", () => {
    expect(count(createItem(), view)).toBe(1)
    expect(count(createItem({ progress: 50 }), view)).toBe(1)
  })

  it.each<[string, Partial<ComponentView>]>([
    ["another component shows it", { controller: {} as ComponentView["controller"] }],
    ["the language changes", { texts: { ...view.texts } }],
    ["files can be renamed", { config: { rename: true } }],
    ["the component is disabled", { state: { ...view.state, isDisabled: true } }],
    ["files can be put in another order", { config: { reorder: true }, state: { ...view.state, files: [item, item] } }],
  ])("is described anew when %s", (_, change) => {
    expect(count(createItem(), view, { ...view, ...change })).toBe(2)
  })

  it("is described anew when its message moves above the list, because another file failed alike", () => {
    const failed = createItem({ status: "failed", error: {} as UploadItem["error"] & {} })
    const alone = { ...view, state: { ...view.state, files: [failed] } }
    const together = { ...view, state: { ...view.state, files: [failed, createItem({ ...failed, id: "2" })] } }
    expect(count(failed, alone, together)).toBe(2)
  })

  it.each<[string, UploadItem, Partial<ComponentView>]>([
    ["a waiting file, whose countdown follows the clock", createItem({ status: "waiting" }), {}],
    ["the page's own content", createItem(), { looks: { content: { fileName: "x" } } }],
    ["the page's own classes", createItem(), { looks: { appearance: { file: "x" } } }],
  ])("is never kept with %s", (_, given, change) => {
    const changed = { ...view, ...change }
    expect(count(given, changed, changed)).toBe(2)
  })

  it("is not kept where it has the control that blocks a form", () => {
    const blocking = createItem()
    expect(count(blocking, { ...view, blocking }, { ...view, blocking })).toBe(2)
  })

  it("is another one while it is far from the visible part", () => {
    const given = createItem()
    const near = keepRows(view)(given, false, () => describeElement("li", "near", {}))
    const far = keepRows(view)(given, true, () => describeElement("li", "far", {}))
    expect([near.key, far.key]).toEqual(["near", "far"])
    expect(keepRows({ ...view, texts: { ...view.texts } })(given, true, () => expect.unreachable())).toBe(far)
  })

  it("says, far from the visible part, why its file has failed: it is described anew when that is said otherwise", () => {
    const failed = createItem({ status: "failed", error: {} as UploadItem["error"] & {} })
    const far = (each: ComponentView) => keepRows(each)(failed, true, () => describeElement("li", "far", {}))
    const alone = { ...view, state: { ...view.state, files: [failed] } }
    const first = far(alone)
    expect(far({ ...alone })).toBe(first)
    const inOtherWords = { ...alone, texts: { ...view.texts } }
    const second = far(inOtherWords)
    expect(second).not.toBe(first)
    const together = { ...view.state, files: [failed, createItem({ ...failed, id: "2" })] }
    // Its reason is that of the file, whether or not it is told above as well.
    expect(far({ ...inOtherWords, state: together })).toBe(second)
  })

  it("is kept while the page changes only parts that are not in it, or none of those that it could change", () => {
    const looks = { appearance: { button: "x" }, content: { label: "x", fileName: undefined } }
    expect(count(createItem(), { ...view, looks }, { ...view, looks: { ...looks } })).toBe(1)
  })

  it("is kept while it is far, whatever other parts the page has changed, but not with its own row", () => {
    const given = createItem()
    const looks = { appearance: { button: "x" }, content: { label: "x" } }
    const far = keepRows(view)(given, true, () => describeElement("li", "far", {}))
    expect(keepRows({ ...view, looks })(given, true, () => expect.unreachable())).toBe(far)
    const own = { ...view, looks: { content: { file: "x" } } }
    expect(keepRows(own)(given, true, () => describeElement("li", "own", {})).key).toBe("own")
  })
})

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** What a kept row has of a component's parts, and whether the state that they were made in is still held. */
const makeParts = (create: (options: RowPartsOptions) => Pick<MoreParts, "fileAction">) => {
  const state = {
    files: [],
    isDisabled: false,
    isReady: true,
    progress: 0,
    summary: noFigures,
  } as unknown as UploadState
  const { fileAction } = create({ controller: view.controller, state, texts: english })
  return { part: fileAction(item, "remove"), held: new WeakRef(state) }
}

// A state has the files that were removed last, and their rows what they were described from: else all files that were
// ever in the list are held as long as the component is there.
it.each<[string, (options: RowPartsOptions) => Pick<MoreParts, "fileAction">]>([
  ["of a row", createRowParts],
  [
    "of a component in use",
    (options) => createMoreParts({ ...options, config: {}, id: "1", root: () => ({ getElementById: () => null }) }),
  ],
])("the buttons %s do not hold the state that they were made in", async (_, create) => {
  const { part, held } = makeParts(create)
  await new Promise((resolve) => setTimeout(resolve, 0)) // what a WeakRef refers to stays until the end of the task
  collectGarbage()
  expect(part.on).toHaveProperty("click")
  expect(held.deref()).toBeUndefined()
})
