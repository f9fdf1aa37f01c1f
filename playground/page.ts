import { generateUploader, type UploadError } from "../src/client.ts"
import { type FileLimits, names, type RouteDescription } from "../src/protocol.ts"
import type { router } from "./router.ts"
import type { LogEntry } from "./server-log.ts"

const { createUpload } = generateUploader<typeof router>()

const find = <E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E =>
  within.querySelector<E>(selector)!

const create = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: Array<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const input = find<HTMLInputElement>("#input")
const drop = find("#drop")
const status = find("#status")

const formatSize = (bytes: number): string => {
  const units = ["B", "KB", "MB", "GB"]
  let unit = 0
  for (; bytes >= 1024 && unit < units.length - 1; unit++) bytes /= 1024
  return `${bytes.toFixed(unit === 0 || bytes >= 100 ? 0 : 1)} ${units[unit]}`
}

// What the server logs, live

const log = find("#log")
const live = find("#live")

const showEntry = ({ at, source, level, text }: LogEntry): void => {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
  const time = new Date(at).toLocaleTimeString("en-GB")
  log.append(
    create(
      "li",
      { className: level },
      create("time", { textContent: time }),
      create("b", { textContent: source }),
      create("span", { textContent: text }),
    ),
  )
  while (log.childElementCount > 500) log.firstElementChild!.remove()
  if (isAtEnd) log.scrollTop = log.scrollHeight
}

const events = new EventSource("/events")
events.onopen = () => {
  live.classList.add("is-on")
  log.replaceChildren() // the server begins with what it still has
}
events.onerror = () => live.classList.remove("is-on")
events.onmessage = ({ data }) => showEntry(JSON.parse(data))

// Which route

type Slug = keyof typeof router
let slug: Slug = "anything"

const choose = ({ slug: chosen, config }: RouteDescription): void => {
  slug = chosen as Slug
  const kinds = Object.entries(config) as Array<[string, FileLimits]>
  input.multiple = kinds.some(([, { maxFileCount }]) => maxFileCount > 1)
  input.accept = kinds.map(([kind]) => (kind === "blob" ? "" : kind.includes("/") ? kind : `${kind}/*`)).join(",")
  find("#limits").textContent = kinds
    .map(([kind, { maxFileCount, maxFileSize }]) => {
      const what = kind === "blob" ? "file" : kind
      return maxFileCount === 1
        ? `One ${what}, ${maxFileSize} at most`
        : `Up to ${maxFileCount} ${what}s, ${maxFileSize} each at most`
    })
    .join(" · ")
}

const showRoutes = async (): Promise<void> => {
  const descriptions = (await (await fetch(names.adapterPath)).json()) as Array<RouteDescription>
  for (const [index, description] of descriptions.entries()) {
    const radio = create("input", {
      type: "radio",
      name: "route",
      className: "visually-hidden",
      value: description.slug,
      checked: index === 0,
      onchange: () => choose(description),
    })
    find("#routes").append(create("label", {}, radio, description.slug))
  }
  choose(descriptions[0]!)
}

// Files

const createRow = (file: File) => {
  const row = find<HTMLTemplateElement>("#file-template").content.cloneNode(true) as DocumentFragment
  const item = find(".file", row)
  const name = find(".file-name", row)
  const state = find(".file-state", row)
  const bar = find<HTMLProgressElement>(".file-bar", row)
  const facts = find("dl", row)
  const picture = find(".file-picture", row)
  name.textContent = file.name
  state.textContent = `${formatSize(file.size)} · waiting`
  bar.setAttribute("aria-label", file.name)
  picture.textContent = /\.(\w{1,4})$/.exec(file.name)?.[1] ?? "file"
  find("#files").prepend(row)

  const showFacts = (entries: Record<string, string>) => {
    facts.replaceChildren(
      ...Object.entries(entries).flatMap(([term, value]) => [
        create("dt", { textContent: term }),
        create("dd", { textContent: value }),
      ]),
    )
    facts.hidden = false
  }
  return {
    advance: (percent: number, loaded: number) => {
      bar.value = percent
      state.textContent = `${formatSize(loaded)} of ${formatSize(file.size)} · ${percent} %`
    },
    finish: (url: string, fileHash: string, serverData: unknown) => {
      item.classList.add("is-done")
      state.textContent = `${formatSize(file.size)} · stored`
      name.replaceChildren(create("a", { href: url, target: "_blank", rel: "noopener", textContent: file.name }))
      if (file.type.startsWith("image/") && file.type !== "image/svg+xml") {
        picture.textContent = ""
        picture.style.backgroundImage = `url("${url}")`
      }
      showFacts({ "SHA-256": fileHash, serverData: JSON.stringify(serverData, null, 1) })
    },
    fail: ({ code, detail }: UploadError) => {
      item.classList.add("is-failed")
      state.textContent = code === "ABORTED" ? "cancelled" : "failed"
      showFacts({ [code]: detail })
    },
  }
}

/** Running uploads, and how far each is in percent. */
const running = new Map<{ abortUpload(): void }, number>()

const showTotal = (): void => {
  const percents = [...running.values()]
  const percent = Math.floor(percents.reduce((sum, one) => sum + one, 0) / Math.max(1, percents.length))
  find("#total").hidden = running.size === 0
  find<HTMLProgressElement>("#total-bar").value = percent
  find("#total-text").textContent = `${percent} %`
}

const startUpload = async (files: ReadonlyArray<File>): Promise<void> => {
  if (files.length === 0) return
  const rows = new Map(files.map((file) => [file, createRow(file)]))
  status.textContent = `Uploading ${files.length === 1 ? files[0]!.name : `${files.length} files`}`
  const upload = createUpload(slug, {
    files,
    onUploadProgress: ({ file, progress, loaded, totalProgress }) => {
      rows.get(file)!.advance(progress, loaded)
      running.set(upload, totalProgress)
      showTotal()
    },
  })
  running.set(upload, 0)
  showTotal()
  const show = async (file: File): Promise<boolean> => {
    const outcome = await upload.done(file)
    if (outcome.status === "done") rows.get(file)!.finish(outcome.url, outcome.fileHash, outcome.serverData)
    else rows.get(file)!.fail(outcome.error)
    return outcome.status === "done"
  }
  const stored = (await Promise.all(files.map(show))).filter(Boolean).length
  running.delete(upload)
  showTotal()
  status.textContent = `${stored} of ${files.length} stored`
}

input.onchange = () => {
  void startUpload([...(input.files ?? [])])
  input.value = "" // so that the same file can be chosen again
}

find("#cancel").onclick = () => {
  for (const upload of running.keys()) upload.abortUpload()
}

// Dropped anywhere, a file must not replace the page.
addEventListener("dragover", (event) => event.preventDefault())
addEventListener("drop", (event) => event.preventDefault())

let depth = 0
const setOver = (change: 1 | -1 | 0) => {
  depth = change === 0 ? 0 : depth + change
  drop.classList.toggle("is-over", depth > 0)
}
drop.addEventListener("dragenter", () => setOver(1))
drop.addEventListener("dragleave", () => setOver(-1))
drop.addEventListener("drop", ({ dataTransfer }) => {
  setOver(0)
  const items = [...(dataTransfer?.items ?? [])].filter((item) => item.webkitGetAsEntry()?.isDirectory !== true)
  void startUpload(items.map((item) => item.getAsFile()).filter((file) => file !== null))
})

await showRoutes()
