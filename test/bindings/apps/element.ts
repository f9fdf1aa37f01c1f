import { defineElements, type UploadElement } from "../../../bindings/element.ts"
import { createUploadComponent, createUploadSetup, headless, type Part, toStyleText } from "../../../src/ui.ts"
import { type Fixture, readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props, second, uploads, tray, onNavigate } = readFixture()
defineElements({ ...setup, uploads })

/** An element has attributes, properties and events where others have props. */
const createElement = (kind: "avatar" | "button" | "dropzone", fixture: Fixture["props"]): HTMLElement => {
  const element = document.createElement(`sluice-${kind}`) as unknown as UploadElement<typeof router, "photos">
  const {
    endpoint,
    disabled = false,
    config = {},
    className,
    appearance,
    content,
    input,
    headers,
    resumeStore,
    uploads: own,
  } = fixture
  const { mode, appendOnPaste = false, folder = false, previews, cn, uploadOnSubmit = false } = config
  const { name = "", required = false, initialFiles } = fixture
  Object.assign(element, {
    endpoint,
    disabled,
    paste: appendOnPaste,
    folder,
    input,
    headers,
    content,
    resumeStore,
    uploads: own,
  })
  Object.assign(element, { name, required, uploadOnSubmit, initialFiles })
  if (mode !== undefined) element.setAttribute("mode", mode)
  if (previews !== undefined) element.setAttribute("previews", previews)
  const { dropOnPage, reorder = false, rename = false, capture } = config
  element.reorder = reorder
  element.rename = rename
  if (capture !== undefined) element.setAttribute("capture", capture)
  if (dropOnPage !== undefined) element.setAttribute("page-drop", String(dropOnPage))
  const { crop } = config
  if (cn !== undefined || crop !== undefined) element.config = { cn, crop }
  if (className !== undefined) {
    element.appearance = { ...appearance, container: `${className} ${appearance?.container as string}` }
  }
  if (fixture["aria-label"] !== undefined) element.ariaLabel = fixture["aria-label"]
  element.addEventListener("before-upload", ({ detail }) => {
    const files = fixture.onBeforeUploadBegin?.([...detail.files])
    if (files !== undefined) detail.respondWith(files)
  })
  element.addEventListener("upload-begin", ({ detail }) => fixture.onUploadBegin?.(detail))
  element.addEventListener("upload-progress", ({ detail }) => fixture.onUploadProgress?.(detail))
  element.addEventListener("upload-complete", ({ detail }) => fixture.onClientUploadComplete?.([...detail.results]))
  element.addEventListener("upload-error", ({ detail }) => fixture.onUploadError?.(detail.error, [...detail.files]))
  element.addEventListener("upload-aborted", ({ detail }) => fixture.onUploadAborted?.([...detail.files]))
  element.addEventListener("value-change", ({ detail }) => fixture.onValueChange?.(detail.keys))
  element.addEventListener("change", ({ detail }) => fixture.onChange?.([...detail.files]))
  return element
}

/** Without a framework, markup of one's own is put together by hand over `sluice/ui`. */
const createHeadless = (fixture: Fixture["props"]): HTMLElement => {
  const upload = createUploadComponent(createUploadSetup<typeof router>(setup), headless, fixture, "own")
  const [section, input, pick, send, list, output] = ["section", "input", "button", "button", "ul", "output"].map(
    (tag) => document.createElement(tag),
  ) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement]
  const apply = (element: HTMLElement, part: Part) => {
    for (const [name, value] of Object.entries(part.attributes)) {
      const text = typeof value === "object" ? toStyleText(value) : value === true ? "" : value
      if (text === undefined || text === false) element.removeAttribute(name)
      else element.setAttribute(name, String(text))
    }
    for (const [name, handle] of Object.entries(part.on)) Object.assign(element, { [`on${name}`]: handle })
  }
  pick.textContent = "Pick"
  send.textContent = "Send"
  section.append(input, pick, send, list, output)
  const show = () => {
    const { target, ...parts } = upload.parts()
    const { files, status, progress, isUploading } = upload.getState()
    apply(section, target)
    apply(input, parts.input)
    apply(pick, parts.pick)
    apply(send, parts.upload)
    list.replaceChildren(
      ...files.map(({ name, status }) =>
        Object.assign(document.createElement("li"), { textContent: `${name}: ${status}` }),
      ),
    )
    output.textContent = String(progress)
    Object.assign(output.dataset, { status, busy: String(isUploading) })
  }
  upload.subscribe(show)
  upload.connect()
  show()
  return section
}

const root = document.getElementById("root")!
const show = () => root.prepend(component === "headless" ? createHeadless(props) : createElement(component, props))
show()

if (uploads !== undefined) {
  const element = document.createElement("sluice-tray")
  Object.assign(element, tray)
  root.after(element)
}
onNavigate((isHere) => {
  root.replaceChildren()
  if (isHere) show()
})

if (second !== undefined && component !== "headless") {
  const { "aria-label": text = "", ...others } = second
  const label = Object.assign(document.createElement("label"), { htmlFor: "second", textContent: text })
  document.getElementById("root")!.append(label, Object.assign(createElement(component, others), { id: "second" }))
}
