import type { Browser, ElementHandle, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { UploadElement } from "../../bindings/element.ts"
import { launchChromium } from "../browser/chromium.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

declare global {
  interface Window {
    seen: Array<unknown>
  }
}

let browser: Browser
let script: string
let site: Site
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  // Nothing but the element itself: what `<script type="module" src="…/element.js">` brings.
  ;[browser, script] = await Promise.all([launchChromium(), bundlePage("../../../bindings/element.ts")])
})
afterAll(() => browser?.close())
beforeEach(async () => {
  page = await browser.newPage()
  complaints = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
})
afterEach(async () => {
  await page.close()
  await site?.close()
})

const open = async (body: string) => {
  site = await startSite({ script, body })
  await page.goto(site.url)
}
const part = (name: string) => page.locator(`[data-sluice="${name}"]`)
const becomes = (state: string) => page.locator(`[data-sluice="container"][data-state="${state}"]`).waitFor()
const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.alloc(1000, 7) })
const choose = (...names: Array<string>) =>
  page.setInputFiles("[data-sluice=container] input[type=file]", names.map(png))
const zone = <Result, Argument = undefined>(
  act: (element: UploadElement<any, string>, argument: Argument) => Result,
  argument?: Argument,
) => page.locator("sluice-dropzone").evaluate(act as never, argument) as Promise<Awaited<Result>>
/** Collects what arrives at the document, before any element is there. */
const collect = (...types: Array<string>) =>
  page.addInitScript((types) => {
    window.seen = []
    const tell = (event: Event) => {
      const { detail } = event as CustomEvent
      const files = detail?.results ?? detail?.files ?? [detail?.file]
      window.seen.push([event.type, event.constructor.name, files.map((file: File | undefined) => file?.name)])
    }
    for (const type of types) document.addEventListener(type, tell)
  }, types)
const seen = () => page.evaluate(() => window.seen)

test("a tag and a script are all a page needs", async () => {
  await collect("upload-begin", "upload-complete", "change")
  await open(`<sluice-dropzone endpoint="photos" mode="auto"></sluice-dropzone>`)
  await becomes("idle")
  expect(await part("allowed-content").textContent()).toBe("Up to 3 images, 4\u00a0MB each at most")
  await choose("a.png")
  await becomes("done")
  await page.waitForFunction(() => window.seen.length === 3)
  expect(await seen()).toEqual([
    ["change", "CustomEvent", ["a.png"]],
    ["upload-begin", "CustomEvent", ["a.png"]],
    ["upload-complete", "CustomEvent", ["a.png"]],
  ])
  expect(complaints).toEqual([])
})

test("two elements on a page have nothing in common", async () => {
  await open(
    `<sluice-button endpoint="avatar"></sluice-button><sluice-button endpoint="photos" disabled></sluice-button>`,
  )
  await page.locator('sluice-button [data-state="idle"]').waitFor()
  expect(await part("button").allTextContents()).toEqual(["Choose a file", "Choose files"])
  const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

test("attributes are followed", async () => {
  await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone>`)
  await becomes("idle")
  await zone((element) => element.setAttribute("endpoint", "avatar"))
  await page.getByText("1 image, 4\u00a0MB at most").waitFor()
  await zone((element) => element.setAttribute("disabled", ""))
  await becomes("disabled")
  expect(await part("button").isDisabled()).toBe(true)
  await zone((element) => element.removeAttribute("disabled"))
  await becomes("idle")
  await zone((element) => element.setAttribute("folder", ""))
  await page.locator("input[webkitdirectory]").waitFor({ state: "attached" })
  await zone((element) => element.setAttribute("mode", "auto"))
  await zone((element) => element.removeAttribute("folder"))
  await choose("a.png")
  await becomes("done")
})

test("`url` says where the route handler is; a new one begins anew", async () => {
  await open(`<sluice-dropzone endpoint="photos" url="/nowhere"></sluice-dropzone>`)
  await becomes("idle") // nobody says what the route takes
  expect(await part("allowed-content").textContent()).toBe("")
  await zone((element) => {
    element.url = "/api/sluice"
  })
  await page.getByText("Up to 3 images").waitFor()
})

test("properties and attributes are one, also those set before the script has come", async () => {
  await page.addInitScript(() => {
    document.addEventListener("readystatechange", () => {
      const element = document.querySelector("sluice-dropzone")!
      if (document.readyState === "interactive")
        Object.assign(element, { endpoint: "avatar", content: { label: "here" } })
    })
  })
  await open(`<sluice-dropzone paste></sluice-dropzone>`)
  await becomes("idle")
  expect(await part("label").textContent()).toBe("here")
  expect(
    await zone((element) => {
      const before = { endpoint: element.getAttribute("endpoint"), paste: element.paste, mode: element.mode }
      element.paste = false
      element.mode = "manual"
      element.input = { album: 1 }
      return { ...before, after: [element.hasAttribute("paste"), element.getAttribute("mode"), element.input] }
    }),
  ).toEqual({ endpoint: "avatar", paste: true, mode: undefined, after: [false, "manual", { album: 1 }] })
  expect(complaints).toEqual([])
})

test("other texts, another setup, other names", async () => {
  await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone><app-button endpoint="avatar"></app-button>`)
  await becomes("idle")
  await zone((element) => {
    element.texts = { choose: () => "Wählen" }
  })
  await part("button").getByText("Wählen").waitFor()
  await page.addScriptTag({
    type: "module",
    content: `
      import { defineElements } from "/page.js"
      defineElements({ texts: { drop: () => "oder ablegen" } })
      defineElements({ prefix: "app", texts: { choose: () => "Anders" } })`,
  })
  await part("label").getByText("oder ablegen").waitFor()
  await page.locator("app-button").getByRole("button", { name: "Anders" }).waitFor()
  expect(complaints).toEqual([])
})

test("the methods work before the element is on a page", async () => {
  await open("")
  const outcomes = await page.evaluate(async () => {
    const element = document.createElement("sluice-dropzone")
    element.endpoint = "photos"
    const outcomes = await element.startUpload([new File(["abc"], "a.png", { type: "image/png" })])
    return outcomes.map(({ status, file }) => [status, file.name, element.files.length, element.state.status])
  })
  expect(outcomes).toEqual([["done", "a.png", 1, "done"]])
})

describe("what is written inside the element", () => {
  test("stands for it as long as there is no script", async () => {
    await open(`<sluice-dropzone endpoint="photos"><p>Send your photos to photos@example.org.</p></sluice-dropzone>`)
    await becomes("idle")
    expect(await page.getByText("photos@example.org").count()).toBe(0)
  })

  test("goes into the part its slot names, and stays the same node", async () => {
    await open(
      `<sluice-dropzone endpoint="photos"><b slot="label">or <i>throw</i> them</b><em slot="allowed-content">Photos</em></sluice-dropzone>`,
    )
    await becomes("idle")
    expect(await part("label").innerHTML()).toBe('<b slot="label">or <i>throw</i> them</b>')
    expect(await part("allowed-content").textContent()).toBe("Photos")
    await part("label").evaluate((label) => Object.assign(label.firstElementChild!, { isOld: true }))
    await choose("a.png")
    await becomes("picked")
    expect(await part("label").evaluate((label) => "isOld" in label.firstElementChild!)).toBe(true)
  })

  test("may come later, and may be given by property: text, nodes, a fragment", async () => {
    await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone>`)
    await becomes("idle")
    await zone((element) => {
      element.append(Object.assign(document.createElement("b"), { slot: "label", textContent: "later" }))
    })
    await part("label").getByText("later").waitFor()
    await zone((element) => {
      const fragment = document.createRange().createContextualFragment("<b>1</b><i>2</i>")
      element.content = { label: fragment, allowedContent: ["a", document.createElement("hr"), 3], uploadIcon: null }
    })
    await part("label").getByText("1").waitFor()
    await choose("a.png")
    await becomes("picked")
    expect(await part("label").innerHTML()).toBe("<b>1</b><i>2</i>")
    expect(await part("allowed-content").innerHTML()).toBe("a<hr>3")
    await zone((element) => {
      element.content = { label: ({ files }) => `${files.length} chosen` }
    })
    await part("label").getByText("1 chosen").waitFor()
  })
})

describe("a mistake is shown and told once", () => {
  test("no endpoint", async () => {
    await open(`<sluice-dropzone></sluice-dropzone>`)
    const text = '<sluice-dropzone> needs an endpoint, the name of a file route: <sluice-dropzone endpoint="photos">.'
    expect(await page.getByRole("alert").textContent()).toBe(text)
    await zone((element) => element.toggleAttribute("paste"))
    await zone((element) => element.setAttribute("endpoint", "photos"))
    await becomes("idle")
    expect(await page.getByRole("alert").count()).toBe(0)
    expect(complaints).toEqual([text])
  })

  test("input that is not JSON", async () => {
    await open(`<sluice-dropzone endpoint="photos" input="{album}"></sluice-dropzone>`)
    expect(await page.getByRole("alert").textContent()).toMatch(/^The input of <sluice-dropzone> is not JSON: /)
    await zone((element) => element.setAttribute("input", '{"album":1}'))
    await becomes("idle")
    expect(await zone((element) => element.input)).toEqual({ album: 1 })
  })

  test("an endpoint set right after the element has been added is none", async () => {
    await open("")
    await page.evaluate(() => {
      const element = document.createElement("sluice-dropzone")
      document.body.append(element)
      element.endpoint = "photos"
    })
    await becomes("idle")
    expect(complaints).toEqual([])
  })

  test("options that are set microtasks later, as Angular does, are there from the beginning", async () => {
    await open("")
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname))
    await page.evaluate(async () => {
      const element = document.createElement("sluice-dropzone")
      element.url = "/nowhere"
      document.body.append(element)
      for (let count = 0; count < 5; count++) await Promise.resolve()
      element.url = "/api/sluice"
      element.endpoint = "photos"
    })
    await becomes("idle")
    expect(complaints).toEqual([])
    expect(asked).not.toContain("/nowhere")
  })
})

describe("before an upload the page", () => {
  test("can cancel it", async () => {
    await collect("upload-aborted", "upload-error")
    await open(`<sluice-dropzone endpoint="photos" mode="auto"></sluice-dropzone>`)
    await page.evaluate(() =>
      document.addEventListener("before-upload", (event) => event.preventDefault(), { once: true }),
    )
    await becomes("idle")
    await choose("a.png")
    await page.locator('[data-sluice="file"][data-state="aborted"]').waitFor()
    await page.waitForFunction(() => window.seen.length > 0)
    expect(await seen()).toEqual([["upload-aborted", "CustomEvent", ["a.png"]]])
    expect(site.puts).toEqual([])
    await page.getByRole("button", { name: "Try again a.png" }).click()
    await becomes("done")
  })

  test("can send other files instead, which keep their places", async () => {
    await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone>`)
    await zone((element) =>
      element.addEventListener("before-upload", ({ detail }) => {
        const rename = (file: File) => new File([file], `new-${file.name}`, { type: file.type })
        detail.respondWith(Promise.resolve(detail.files.map(rename)))
      }),
    )
    await becomes("idle")
    await choose("a.png", "b.png")
    await zone(async (element) => element.startUpload())
    expect(await part("file-name").allTextContents()).toEqual(["new-a.png", "new-b.png"])
    expect(site.puts.map(({ file }) => file).toSorted()).toEqual(["new-a.png", "new-b.png"])
  })
})

describe("while the page prepares files", () => {
  const openSlow = async () => {
    await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone>`)
    await zone((element) =>
      element.addEventListener("before-upload", ({ detail }) =>
        detail.respondWith(new Promise((resolve) => Object.assign(window, { goOn: () => resolve(detail.files) }))),
      ),
    )
    await becomes("idle")
  }
  const goOn = () => page.evaluate(() => (window as unknown as { goOn: () => void }).goOn())
  const upload = () => page.getByRole("button", { name: /^Upload / }).click()

  test("one that is removed or cancelled is not sent, the others keep their places", async () => {
    await openSlow()
    const text = { name: "text.txt", mimeType: "text/plain", buffer: Buffer.from("abc") }
    const input = page.locator("[data-sluice=container] input[type=file]")
    await input.setInputFiles([png("a.png"), png("b.png"), text, png("c.png")])
    await upload()
    await becomes("uploading")
    await zone((element) => element.removeFile(element.files[0]!.id))
    await page.getByRole("button", { name: "Cancel b.png" }).click()
    await goOn()
    await page.locator('[data-sluice="file"][data-state="done"]').waitFor()
    expect(site.puts.map(({ file }) => file)).toEqual(["c.png"])
    expect(await part("file-name").allTextContents()).toEqual(["b.png", "text.txt", "c.png"])
  })

  test("one that was cancelled, tried again and cancelled again is not sent", async () => {
    await openSlow()
    site.hold("a.png", 0)
    await choose("a.png")
    await upload()
    await goOn()
    await page.getByRole("button", { name: "Cancel a.png" }).click()
    await page.getByRole("button", { name: "Try again a.png" }).click()
    await becomes("uploading")
    await page.getByRole("button", { name: "Cancel a.png" }).click()
    await page.locator('[data-sluice="file"][data-state="aborted"]').waitFor()
    const { length } = site.puts
    await goOn()
    expect(
      await zone((element) => element.startUpload().then(() => element.files.map(({ status }) => status))),
    ).toEqual(["aborted"])
    expect(site.puts.length).toBe(length)
  })
})

describe("in a form", () => {
  const form = (attributes: string) =>
    open(`<form><fieldset><sluice-dropzone endpoint="photos" ${attributes}></sluice-dropzone></fieldset></form>`)
  const entries = () =>
    page.evaluate(() => [...new FormData(document.querySelector("form")!)].map(([name, value]) => [name, value]))
  const keys = () => zone((element) => element.files.map(({ result }) => result?.key))

  test("each stored file is an entry: its key, under the element's name", async () => {
    await form(`name="photo"`)
    await becomes("idle")
    expect(await entries()).toEqual([])
    await choose("a.png", "b.png")
    await zone(async (element) => element.startUpload())
    const [a, b] = await keys()
    expect(a).toMatch(/^[\w-]{20,}$/)
    expect(await entries()).toEqual([
      ["photo", a],
      ["photo", b],
    ])
    await page.getByRole("button", { name: "Remove a.png" }).click()
    expect(await entries()).toEqual([["photo", b]])
    await zone((element) => element.removeAttribute("name"))
    expect(await entries()).toEqual([])
  })

  test("it may not be sent while files wait or are on their way", async () => {
    await form(`name="photo"`)
    await becomes("idle")
    expect(await zone((element) => element.checkValidity())).toBe(true)
    await choose("a.png")
    await becomes("picked")
    expect(await zone((element) => [element.form!.checkValidity(), element.validationMessage])).toEqual([
      false,
      "Upload the chosen file first, or clear it.",
    ])
    const release = site.hold("a.png", 0)
    await page.getByRole("button", { name: "Upload 1 file" }).click()
    await becomes("uploading")
    expect(await zone((element) => [element.form!.checkValidity(), element.validationMessage])).toEqual([
      false,
      "Wait until all files are uploaded, or cancel them.",
    ])
    release()
    await becomes("done")
    expect(await zone((element) => element.form!.checkValidity())).toBe(true)
  })

  test("where it is required, one file has to be stored; asked to, it shows where", async () => {
    await form(`name="photo" required`)
    await becomes("idle")
    expect(await zone((element) => [element.validity.valueMissing, element.form!.reportValidity()])).toEqual([
      true,
      false,
    ])
    expect(await part("button").evaluate((button) => button === document.activeElement)).toBe(true)
    await choose("a.png")
    await zone(async (element) => element.startUpload())
    expect(await zone((element) => [element.validity.valueMissing, element.form!.reportValidity()])).toEqual([
      false,
      true,
    ])
    expect(complaints).toEqual([])
  })

  test("a reset takes all files off the list; a disabled fieldset disables it", async () => {
    await form(`name="photo"`)
    await becomes("idle")
    await choose("a.png")
    await becomes("picked")
    await zone((element) => element.form!.reset())
    await becomes("idle")
    await page.locator("fieldset").evaluate((fieldset: HTMLFieldSetElement) => (fieldset.disabled = true))
    await becomes("disabled")
    expect(await zone((element) => element.disabled)).toBe(false)
    await page.locator("fieldset").evaluate((fieldset: HTMLFieldSetElement) => (fieldset.disabled = false))
    await becomes("idle")
  })
})

describe("moved and removed", () => {
  const paste = () =>
    page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(["abc"], "pasted.png", { type: "image/png" }))
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
    })

  test("an element that is moved keeps its files, and an upload goes on", async () => {
    await open(`<sluice-dropzone endpoint="photos" mode="auto"></sluice-dropzone><section></section>`)
    await becomes("idle")
    const release = site.hold("a.png", 0)
    await choose("a.png")
    await becomes("uploading")
    await zone((element) => document.querySelector("section")!.append(element))
    release()
    await page.locator('section [data-state="done"] [data-sluice="file-name"]', { hasText: "a.png" }).waitFor()
    expect(site.puts.length).toBe(1)
  })

  test("one that is removed listens to nothing any more, and does again when it is back", async () => {
    await open(`<sluice-dropzone endpoint="photos" paste></sluice-dropzone>`)
    await becomes("idle")
    const element = (await page.locator("sluice-dropzone").elementHandle()) as ElementHandle<UploadElement>
    await element.evaluate((node) => node.parentNode!.removeChild(node))
    await paste()
    expect(await element.evaluate((node) => node.files.length)).toBe(0)
    await element.evaluate((node) => document.querySelector("#root")!.append(node))
    await paste()
    await part("file-name").getByText("pasted.png").waitFor()
  })
})

test.each([
  ["a part of the page that is hidden", `<div hidden>_</div>`],
  ["one that is hidden itself", `_`],
  ["a closed dialog", `<dialog>_</dialog>`],
  ["a page below an open dialog", `<section>_</section><dialog id="over">Sure?</dialog>`],
])("what is pasted goes to the element that is shown, and not to one in %s", async (_, around) => {
  const isItself = around === "_"
  const zone = (id: string, more = "") =>
    `<sluice-dropzone id="${id}" endpoint="photos" paste ${more}></sluice-dropzone>`
  const isBelow = around.includes("over")
  const other = isBelow ? "" : zone("shown")
  await open(around.replace("_", zone("unseen", isItself ? "hidden" : "")) + other)
  await page.waitForFunction(() => document.querySelectorAll('[data-state="idle"]').length > 0)
  await page.evaluate(() => document.querySelector<HTMLDialogElement>("#over")?.showModal())
  const paste = () =>
    page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(["abc"], "pasted.png", { type: "image/png" }))
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
      return !document.body.dispatchEvent(event)
    })
  await expect.poll(paste).toBe(!isBelow)
  if (!isBelow) await page.locator("#shown").locator('[data-sluice="file-name"]').waitFor()
  expect(await page.locator("#unseen").locator('[data-sluice="file-name"]').count()).toBe(0)
})

test("it works inside the shadow of another element", async () => {
  await open(
    `<article><template shadowrootmode="open"><sluice-dropzone endpoint="photos" paste></sluice-dropzone></template></article>`,
  )
  await becomes("idle")
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), part("button").click()])
  await chooser.setFiles(png("a.png"))
  await becomes("picked")
  const drag = (type: string) =>
    part("area").evaluate((area, type) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["abc"], "a.png", { type: "image/png" }))
      const relatedTarget = area.nextElementSibling
      area.dispatchEvent(new DragEvent(type, { dataTransfer, relatedTarget, bubbles: true, composed: true }))
    }, type)
  await drag("dragenter")
  await page.locator('[data-drag="over"]').waitFor()
  await drag("dragleave")
  expect(await zone((element) => element.state.isDragActive)).toBe(true)
})

test("drawn anew it moves and replaces nothing that stands right", async () => {
  await open(`<sluice-dropzone endpoint="photos"></sluice-dropzone>`)
  await becomes("idle")
  await choose("a.png", "b.png", "c.png")
  await becomes("picked")
  await page.getByRole("button", { name: "Remove c.png" }).focus()
  await zone((element) => {
    element.config = { undo: false }
  })
  await zone((element) => {
    window.seen = []
    const tell = (records: ReadonlyArray<MutationRecord>) => {
      for (const { target, addedNodes, removedNodes } of records)
        // What screen readers are told comes and goes.
        if ((target as Element).role !== "status")
          window.seen.push([addedNodes.length, [...removedNodes].map((node) => (node as Element).tagName)])
    }
    new MutationObserver(tell).observe(element, { childList: true, subtree: true })
    element.removeFile(element.files[0]!.id)
  })
  await page.getByText("a.png").waitFor({ state: "detached" })
  expect(await seen()).toEqual([[0, ["LI"]]])
  expect(await page.evaluate(() => document.activeElement!.getAttribute("aria-label"))).toBe("Remove c.png")
})

test("a label names it and leads into it; it is a group that is invalid once that was told", async () => {
  await open(
    `<form><label for="cover">Cover <b>picture</b></label>
    <sluice-dropzone id="cover" endpoint="avatar" name="cover" required></sluice-dropzone>
    <h2 id="heading">Portrait</h2><sluice-dropzone aria-labelledby="heading" endpoint="avatar"></sluice-dropzone>
    <button>Save</button></form>`,
  )
  await part("button").first().filter({ hasText: "Choose a file" }).waitFor()
  await part("button").last().filter({ hasText: "Choose a file" }).waitFor()
  const session = await page.context().newCDPSession(page)
  const read = async (role: string) => {
    const { nodes } = await session.send("Accessibility.getFullAXTree")
    return nodes.filter((node) => !node.ignored && node.role?.value === role)
  }
  const names = async (role: string) => (await read(role)).map((node) => node.name?.value)
  expect(await names("group")).toEqual(["Cover picture", "Portrait"])
  expect(new Set(await names("button"))).toEqual(
    new Set(["Choose a file, Cover picture", "Choose a file Portrait", "Save"]),
  )
  await page.getByText("picture", { exact: true }).click()
  const focused = () => page.evaluate(() => document.activeElement?.id)
  expect(await focused()).toBe(await part("button").first().getAttribute("id"))
  await page.getByText("Save").click()
  await page.evaluate(() => document.querySelectorAll("sluice-dropzone")[1]!.focus())
  expect(await focused()).toBe(await part("button").last().getAttribute("id"))
  const invalid = async () => (await read("group"))[0]!.properties?.find(({ name }) => name === "invalid")?.value.value
  await expect.poll(invalid).toBe("true")
})
