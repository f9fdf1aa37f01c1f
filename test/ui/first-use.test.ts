import { expect, test, vi } from "vitest"
import {
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  type Markup,
  seedRouteConfig,
  type UploadComponentOptions,
  UploadError,
  uploadAvatar,
  uploadButton,
  uploadDropzone,
} from "../../src/ui.ts"
import { parseConfig } from "./parse-config.ts"

/** How often what is loaded on first use was loaded. */
const chunk = vi.hoisted(() => ({ loads: 0 }))
vi.mock("../../src/ui/engine.ts", async (load) => {
  chunk.loads++
  return load()
})

let addresses = 0
const png = (name: string) => new File([new Uint8Array(1000)], name, { type: "image/png" })

const start = (kind: ComponentKind, options: Partial<UploadComponentOptions<any, string>> = {}, isKnown = true) => {
  const url = `http://first.test/api/sluice?${addresses++}`
  const config = parseConfig({ image: { maxFileSize: "4MB", maxFileCount: 3 } })
  if (isKnown) seedRouteConfig([{ slug: "photos", config }], url)
  const given = { endpoint: "photos", ...options } as UploadComponentOptions<any, string>
  return createUploadComponent(createUploadSetup({ url }), kind, given, "id")
}

const read = (markup: Markup): string =>
  markup.children
    .map((child) => (typeof child === "string" ? child : "slot" in child ? "" : read(child)))
    .filter(Boolean)
    .join(" | ")

const initialFiles = [
  { key: "a", name: "a.png", size: 1024 },
  { key: "b", name: "b.png" },
]

test.each([
  ["required", { required: true, name: "photos" }],
  ["required without a name", { required: true }],
  ["required, with a value", { required: true, name: "photos", value: ["a"] }],
  ["required, disabled", { required: true, name: "photos", disabled: true }],
  ["sent with its form", { required: true, name: "photos", config: { uploadOnSubmit: true } }],
  [
    "with all there is",
    { config: { capture: "environment", appendOnPaste: true, dropOnPage: "Photos", reorder: true } },
  ],
  ["with all about names", { config: { rename: true, folder: true, warnBeforeLeaving: true, previews: "grid" } }],
] as ReadonlyArray<[string, Partial<UploadComponentOptions<any, string>>]>)(
  "a component that is %s is rendered where there is no document, as on a server",
  (_, options) => {
    expect(globalThis.document).toBeUndefined()
    for (const kind of [uploadButton, uploadDropzone, uploadAvatar]) {
      for (const isKnown of [true, false]) expect(start(kind, options, isKnown).render().tag).toBe("div")
    }
  },
)

test.each([
  ["button", uploadButton, {}, "Choose files | Up to 3 images, 4 MB each at most"],
  ["dropzone", uploadDropzone, {}, "Choose files | or drop them here | Up to 3 images, 4 MB each at most"],
  ["button of a field", uploadButton, { initialFiles, name: "photos" }, "Choose files"],
  [
    "dropzone of a field",
    uploadDropzone,
    { initialFiles, name: "photos" },
    "png | a.png | Uploaded, 1 KB | png | b.png | Uploaded",
  ],
  ["disabled button", uploadButton, { disabled: true }, "Choose files | Up to 3 images, 4 MB each at most"],
])("a %s that nobody uses says all it has to, and loads nothing", (_, kind, options, says) => {
  const component = start(kind, options)
  expect(read(component.render()).replaceAll("\u00a0", " ")).toContain(says)
  expect(chunk.loads).toBe(0)
})

test("so does one that does not know its route yet, and one over which files are held", () => {
  expect(read(start(uploadDropzone, {}, false).render())).toContain("Loading…")
  const component = start(uploadDropzone)
  component.setDragActive(true)
  expect(read(component.render())).toContain("Drop the files to add them")
})

test("the state is the same object until something changes, also where a page gives its options anew", () => {
  const component = start(uploadDropzone, { initialFiles, name: "photos" })
  const before = component.getState()
  component.setOptions({ endpoint: "photos", initialFiles, name: "photos" })
  expect(component.getState()).toBe(before)
  component.setOptions({ endpoint: "photos", initialFiles, name: "photos", disabled: true })
  expect(component.getState()).toMatchObject({ isDisabled: true })
})

test("an upload that was asked for is answered, also where its route is another one before its code is there", async () => {
  const component = start(uploadDropzone)
  const given = component.startUpload([png("a.png")])
  component.setOptions({ endpoint: "other" })
  expect(component.getState().files).toEqual([])
  expect(await given).toEqual([])
})

test("what has nothing to act on loads nothing", async () => {
  const { loads } = chunk
  const component = start(uploadButton)
  component.clear()
  component.reset()
  component.abortUpload()
  expect(await component.startUpload()).toEqual([])
  expect(chunk.loads).toBe(loads)
})

test("files are shown as soon as they are chosen, keep their ids, and hold a form up", async () => {
  const component = start(uploadDropzone, { name: "photos" })
  component.addFiles([png("a.png"), png("b.png")])
  const [a, b] = component.getState().files
  expect(component.getState()).toMatchObject({ isUploading: true, status: "uploading", summary: { active: 2 } })
  expect(read(component.render())).toContain("a.png")
  component.removeFile(a!.id)
  expect(component.getState().files).toEqual([b])
  await component.preload()
  expect(component.getState().files.map(({ id, status }) => [id, status])).toEqual([[b!.id, "picked"]])
})

test("what is cancelled, cleared or meant for another route while the code is loaded is not uploaded", async () => {
  const sent: Array<string> = []
  const options: Partial<UploadComponentOptions<any, string>> = {
    config: { mode: "auto" },
    onBeforeUploadBegin: (files) => {
      sent.push(...files.map(({ name }) => name))
      throw new UploadError({ code: "ABORTED", message: "Nothing is sent here." })
    },
  }
  vi.resetModules()
  const cleared = start(uploadDropzone, options)
  cleared.addFiles([png("cleared.png")])
  cleared.clear()
  const reset = start(uploadDropzone, options)
  reset.addFiles([png("reset.png")])
  reset.reset()
  const moved = start(uploadDropzone, options)
  moved.addFiles([png("moved.png")])
  moved.setOptions({ ...options, endpoint: "other" } as never)
  const kept = start(uploadDropzone, options)
  kept.addFiles([png("kept.png")])
  kept.setOptions({ ...options, endpoint: "photos", disabled: true } as never)
  await Promise.all([cleared, reset, moved, kept].map((each) => each.preload()))
  await vi.waitFor(() => expect(sent).toEqual(["kept.png"]))
  for (const each of [cleared, reset, moved]) expect(each.getState().files).toEqual([])
})

test("what a component is told before its code is there happens in that order", async () => {
  const component = start(uploadDropzone)
  component.addFiles([png("a.png"), png("b.png")])
  component.clear(["done"])
  component.removeFile("none")
  component.addFiles([png("c.png")])
  await component.preload()
  expect(component.getState().files.map(({ name }) => name)).toEqual(["a.png", "b.png", "c.png"])
  expect(component.getState()).toMatchObject({ status: "picked", summary: { picked: 3 } })
})
