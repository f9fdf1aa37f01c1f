// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react"
import { userEvent } from "@testing-library/user-event"
import { setupServer } from "msw/node"
import { createElement } from "react"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
} from "../../bindings/react.ts"
import { createUploadMock } from "../../src/msw.ts"
import { createResumeStore } from "../../src/resume.ts"
import { createUploads } from "../../src/ui.ts"

/*
 * Components in jsdom as it comes, which lacks matchMedia, observers, layout, dialogs, pictures, locks and more. Each is
 * mounted and used as far as users of a page can use it: docs/testing-components.md promises that.
 */

const any = { config: { blob: { maxFileCount: 10, maxFileSize: "4MB" } }, serverData: null } as const
const uploads = createUploadMock({
  routes: { files: any, avatar: { config: { image: { maxFileSize: "4MB" } }, serverData: null } },
})
const server = setupServer(...uploads.handlers)
const faults: Array<unknown> = []
const keep = (fault: unknown) => void faults.push(fault)
beforeAll(async () => {
  server.listen()
  process.on("unhandledRejection", keep)
  // As a built package is in a moment; transformed one by one they take longer than a test waits.
  await Promise.all([
    import("../../src/ui/engine.ts"),
    import("../../src/ui/tray/tray-panel.ts"),
    import("../../src/ui/rows/reorder-rows.ts"),
    import("../../src/ui/rows/rename-rows.ts"),
    import("../../src/ui/rows/watch-undo.ts"),
  ])
})
beforeEach(() => {
  faults.length = 0
  vi.spyOn(console, "error").mockImplementation((...told) => keep(told))
  addEventListener("error", ({ error }) => keep(error))
})
afterEach(() => {
  cleanup()
  document.body.replaceChildren()
  uploads.reset()
  vi.restoreAllMocks()
})
afterAll(() => {
  process.off("unhandledRejection", keep)
  server.close()
})

const user = userEvent.setup()
const file = (name: string, type = "text/plain") => new File([new Uint8Array(100)], name, { type })
const input = () => document.querySelector<HTMLInputElement>("input[type=file]:not([capture])")!
/** A machine that is busy takes its time. */
const soon = (check: () => void, within = 10_000) => vi.waitFor(check, within)
const ready = () => soon(() => expect(input().disabled).toBe(false))
const rows = () => [...document.querySelectorAll("[data-file]")]
const names = () => rows().map((row) => row.querySelector('[data-sluice="file-name"]')!.textContent)
const stored = async (...wanted: ReadonlyArray<string>) =>
  await soon(() => expect(uploads.files.map(({ name }) => name).toSorted()).toEqual(wanted))
/** Of drags and pastes jsdom knows the events alone. */
const holding = (...files: ReadonlyArray<File>) => ({
  types: ["Files"],
  files,
  items: files.map((each) => ({ kind: "file", type: each.type, getAsFile: () => each })),
})

test("a button", async () => {
  render(createElement(generateUploadButton(), { endpoint: "files", config: { capture: "user" } }))
  await ready()
  await user.hover(screen.getAllByRole("button")[0]!)
  await user.upload(input(), [file("a.txt"), file("b.txt")])
  await stored("a.txt", "b.txt")
  expect(faults).toEqual([])
})

test("a dropzone with everything: chosen, dropped, pasted, renamed, put into another order, removed, undone", async () => {
  const Dropzone = generateUploadDropzone()
  const config = { appendOnPaste: true, dropOnPage: "Papers", reorder: true, rename: true, previews: "grid" } as const
  const resumeStore = createResumeStore()
  render(createElement(Dropzone, { endpoint: "files", resumeStore, name: "papers", required: true, config }))
  await ready()
  await user.upload(input(), [file("a.txt"), file("b.png", "image/png"), file("c.mp4", "video/mp4")])
  await soon(() => expect(rows()).toHaveLength(3))
  const area = document.querySelector('[data-sluice="area"]')!
  const dataTransfer = holding(file("d.txt"))
  for (const type of ["dragEnter", "dragOver", "drop"] as const) fireEvent[type](area, { dataTransfer })
  await soon(() => expect(rows()).toHaveLength(4))
  // Beside it, where the frame over the page is drawn.
  const beside = holding(file("e.txt"))
  await soon(() => {
    fireEvent.dragEnter(document.body, { dataTransfer: beside })
    expect(document.querySelector('[data-sluice="page-drop-zone"]')).not.toBe(null)
  })
  fireEvent.drop(document.body, { dataTransfer: beside })
  await soon(() => expect(rows()).toHaveLength(5))
  // Its code may not be there yet. A second one, while the first is on its way, would be a file of its own.
  for (let tries = 0; rows().length === 5 && tries < 5; tries++) {
    fireEvent.paste(document.body, { clipboardData: holding(file("f.txt")) })
    await soon(() => expect(rows()).toHaveLength(6), 2000).catch(() => {})
  }
  expect(rows()).toHaveLength(6)

  const move = screen.getByRole("button", { name: "Move a.txt" })
  move.focus()
  await user.keyboard("[Space][ArrowDown][Space]")
  await soon(() => expect(names().slice(0, 2)).toEqual(["b.png", "a.txt"]))
  await user.click(screen.getByRole("button", { name: "Rename a.txt" }))
  await user.keyboard("[Backspace]z[Enter]")
  await soon(() => expect(names()[1]).toBe("z.txt"))
  await user.click(screen.getByRole("button", { name: "Remove z.txt" }))
  await soon(() => expect(rows()).toHaveLength(5))
  await user.keyboard("{Control>}z{/Control}")
  await soon(() => expect(rows()).toHaveLength(6))
  await user.click(document.querySelector('[data-sluice="file-name"]')!)
  await user.click(document.querySelector('[data-sluice="upload-button"]')!)
  await stored("b.png", "c.mp4", "d.txt", "e.txt", "f.txt", "z.txt")
  expect(faults).toEqual([])
})

test("a tray, with uploads of a component that is gone", async () => {
  const all = createUploads()
  const Dropzone = generateUploadDropzone()
  render(createElement(generateUploadTray(all), { titleProgress: true }))
  const page = render(createElement(Dropzone, { endpoint: "files", uploads: all, config: { mode: "auto" } }))
  await ready()
  const held = uploads.hold("files", { after: 10, name: "a.txt" })
  await user.upload(input(), [file("a.txt"), file("b.txt")])
  page.unmount()
  const tray = within(await screen.findByRole("region", { name: "Uploads" }))
  await held.reached
  await user.click(tray.getByRole("button", { name: "Files" }))
  await user.click(tray.getByRole("button", { name: "Files" }))
  held.release()
  await stored("a.txt", "b.txt")
  await user.click(await tray.findByRole("button", { name: "Close" }))
  await soon(() => expect(screen.queryByRole("region", { name: "Uploads" })).toBe(null))
  expect(faults).toEqual([])
})

test("an avatar, whose picture jsdom cannot crop", async () => {
  render(createElement(generateUploadAvatar(), { endpoint: "avatar" }))
  await ready()
  await user.upload(input(), [file("me.png", "image/png")])
  await stored("me.png")
  expect(faults).toEqual([])
})

test("a form that uploads when it is sent", async () => {
  const Dropzone = generateUploadDropzone()
  const onSubmit = vi.fn((event: Event) => event.preventDefault())
  const fields = createElement(Dropzone, { endpoint: "files", name: "papers", config: { uploadOnSubmit: true } })
  render(createElement("form", { onSubmit: onSubmit as never }, fields, createElement("button", {}, "Save")))
  await ready()
  await user.upload(input(), [file("a.txt")])
  await soon(() => expect(rows()).toHaveLength(1))
  await user.click(screen.getByRole("button", { name: "Save" }))
  await stored("a.txt")
  await soon(() => expect(onSubmit).toHaveBeenCalled())
  expect(faults).toEqual([])
})

test.each([{ "aria-label": "Photos" }, { "aria-labelledby": "heading" }])(
  "of several the file input is found by the name of its group, %j",
  async (name) => {
    const Dropzone = generateUploadDropzone()
    const heading = createElement("h2", { id: "heading" }, "Photos")
    const [named, other] = [name, {}].map((props, key) => createElement(Dropzone, { key, endpoint: "files", ...props }))
    render(createElement("div", {}, heading, other, named))
    await ready()
    const found = within(screen.getByRole("group", { name: "Photos" })).getByLabelText("Choose files", {
      selector: "input",
    })
    expect(found).toBe(document.querySelectorAll("input[type=file]")[1])
  },
)

test("an element", async () => {
  await import("../../bindings/element.ts")
  document.body.innerHTML = `<form><sluice-dropzone endpoint="files" name="papers" required mode="auto"></sluice-dropzone></form>`
  await ready()
  await user.upload(input(), [file("a.txt")])
  await stored("a.txt")
  expect(faults).toEqual([])
})
