import type { UploadError } from "../../../src/client.ts"
import { createResumeStore } from "../../../src/resume.ts"
import { de } from "../../../src/ui/texts/languages/de.ts"
import {
  createUploads,
  type UploadComponentProps,
  type UploadConfig,
  type Uploads,
  type UploadSetupOptions,
  type UploadTexts,
  type UploadTrayProps,
} from "../../../src/ui.ts"
import type { router } from "./router.ts"

declare global {
  interface Window {
    /** What the callbacks were told, in their order. */
    told: Array<{ readonly name: string; readonly detail: unknown }>
    /** Of an app that has them: what code without components does. */
    uploads: Uploads<typeof router> | undefined
    /** Of a page that speaks another language. */
    language?: UploadTexts
  }
}

/** Which component a page shows, and with what: the same for every framework, taken from the page's address. */
export interface Fixture {
  readonly component: "avatar" | "button" | "dropzone" | "headless"
  readonly setup: UploadSetupOptions
  readonly props: UploadComponentProps<typeof router, "photos", never>
  /** Those of a second component on the same page. */
  readonly second: Fixture["props"] | undefined
  /** Those of an app whose components hand their files over; it has a tray. */
  readonly uploads: Uploads<typeof router> | undefined
  /** Props of that tray. */
  readonly tray: UploadTrayProps<never>
  /** Whether the page is kept while another one is shown, where a framework can do that. */
  readonly isKept: boolean
  /** Tells whether the components are on the page that is shown: it is another one after a click on `Elsewhere`. */
  readonly onNavigate: (show: (isHere: boolean) => void) => void
}

/** Puts a form around the place of the component. */
const wrapInForm = () => {
  const root = document.getElementById("root")!
  const form = document.createElement("form")
  form.noValidate = new URLSearchParams(location.search).has("novalidate")
  root.replaceWith(form)
  const button = (type: string, textContent: string) =>
    Object.assign(document.createElement("button"), { type, textContent, name: "by", value: textContent })
  form.append(root, button("submit", "Save"), button("reset", "Reset"))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const entries = [...new FormData(form, event.submitter)]
    window.told.push({ name: "submit", detail: entries })
  })
}

/** Two links, as of a router that exchanges what stands in the page. */
const addLinks = () => {
  let show = (_isHere: boolean) => {}
  const nav = document.createElement("nav")
  for (const name of ["Here", "Elsewhere"]) {
    const link = Object.assign(document.createElement("button"), { type: "button", textContent: name })
    link.addEventListener("click", () => show(name === "Here"))
    nav.append(link)
  }
  document.querySelector("h1")!.after(nav)
  return (listener: typeof show) => {
    show = listener
  }
}

/**
 * Reads `?component=dropzone&endpoint=photos&mode=auto&paste&folder&resume&disabled&look&previews=grid`.
 *
 * - `look`: a class from `className`, one from `appearance` joined by `cn`, an inline style and a text of `content`
 * - `resume`: a prop; `resume=setup`: of all components
 * - `page=Photos`: `dropOnPage` under that name; `second=Covers`: another component, of the route `anything`
 * - `patience`: ms before the first retry
 * - `named`: two components, "Cover" and "Portrait"
 * - `rename`: `onBeforeUploadBegin` renames every file
 * - `rows=reorder,rename`, `capture=user`: of `config`
 * - `form`: the component is in a form, with a button `Save` and one `Reset`; `novalidate`: which browsers do not check; sending it is told, and goes nowhere
 * - `picture`: address of a stored picture; `crop`: `config.crop`, as JSON
 * - `name`, `required`, `submit` (`uploadOnSubmit`), `initial`: what makes it a field
 * - `uploads`: the app has `createUploads()`, a tray, and two links that take the components off the page and bring them back;
 *   `links`: these without the rest; `kept`: these, and the page is kept meanwhile (Vue); `tray=elsewhere`: what the tray shows; `badge`: progress in the title; `german`: texts of the tray;
 *   `album`: a group of its own
 */
export const readFixture = (): Fixture => {
  const query = new URLSearchParams(location.search)
  window.told = []
  const tell = (name: string, detail: unknown) => window.told.push({ name, detail })
  const names = (files: ReadonlyArray<File>) => files.map((file) => file.name)
  const look = query.has("look")
  if (query.has("form")) wrapInForm()
  const uploads = query.has("uploads")
    ? createUploads<typeof router>({
        texts: window.language,
        retry: { delay: Number(query.get("patience") ?? 10) },
        ...(query.get("resume") === "setup" && { resumeStore: createResumeStore() }),
        onClientUploadComplete: (results, endpoint) =>
          tell("app complete", [endpoint, ...results.map(({ name }) => name)]),
        onUploadError: (error, files, endpoint) => tell("app error", [endpoint, error.code, ...names(files)]),
        onUploadAborted: (files, endpoint) => tell("app aborted", [endpoint, ...names(files)]),
      })
    : undefined
  window.uploads = uploads
  const props: Fixture["props"] = {
    ...(uploads && { uploads: query.has("album") ? uploads.group(query.get("album")!) : uploads }),
    ...(query.get("resume") === "" && { resumeStore: createResumeStore() }),
    endpoint: (query.get("endpoint") ?? "photos") as "photos",
    disabled: query.has("disabled"),
    ...(query.has("named") && { "aria-label": "Cover" }),
    name: query.get("name") ?? undefined,
    required: query.has("required"),
    ...(query.has("picture") && {
      initialFiles: [{ key: "stored-1", name: "me.png", type: "image/png", previewUrl: query.get("picture")! }],
    }),
    ...(query.has("initial") && {
      initialFiles: [
        { key: "stored-1", name: "one.png", size: 1234, type: "image/png" },
        { key: "stored-2", name: "two.png" },
      ],
    }),
    config: {
      ...(query.has("mode") && { mode: query.get("mode") as "auto" | "manual" }),
      appendOnPaste: query.has("paste"),
      folder: query.has("folder"),
      uploadOnSubmit: query.has("submit"),
      previews: (query.get("previews") ?? undefined) as UploadConfig["previews"],
      ...(query.has("rows") && {
        reorder: query.get("rows")!.includes("reorder"),
        rename: query.get("rows")!.includes("rename"),
      }),
      ...(query.has("capture") && { capture: query.get("capture") as "user" }),
      ...(query.has("page") && { dropOnPage: query.get("page")! }),
      ...(query.has("crop") && { crop: JSON.parse(query.get("crop")!) as UploadConfig["crop"] }),
      ...(look && { cn: (...classes: Array<string>) => ["merged", ...classes].join(" ") }),
    },
    ...(look && {
      className: "mine",
      appearance: {
        container: "roomy",
        button: ({ isUploading }) => (isUploading ? "busy" : "calm"),
        allowedContent: { color: "rgb(1, 2, 3)" },
      },
      content: { label: (({ files }: { files: ReadonlyArray<unknown> }) => `Mine: ${files.length}`) as never },
    }),
    ...(query.has("rename") && {
      onBeforeUploadBegin: (files: Array<File>) =>
        files.map((file) => new File([file], `renamed-${file.name}`, { type: file.type })),
    }),
    onUploadBegin: ({ file }) => tell("begin", file.name),
    onUploadProgress: ({ file, progress }) => tell("progress", [file.name, progress]),
    onClientUploadComplete: (results) =>
      tell(
        "complete",
        results.map(({ name, fileHash, serverData }) => ({ name, fileHash, serverData })),
      ),
    onUploadError: (error: UploadError, files) => tell("error", [error.code, names(files)]),
    onUploadAborted: (files) => tell("aborted", names(files)),
    onValueChange: (keys) => tell("value", keys),
    onChange: (files) => tell("change", names(files)),
  }
  return {
    component: (query.get("component") ?? "dropzone") as Fixture["component"],
    setup: {
      texts: window.language,
      retry: { delay: Number(query.get("patience") ?? 10) },
      ...(query.get("resume") === "setup" && { resumeStore: createResumeStore() }),
    },
    props,
    second: query.has("named")
      ? { ...props, "aria-label": "Portrait" }
      : query.has("second")
        ? { ...props, endpoint: "anything" as "photos", config: { ...props.config, dropOnPage: query.get("second")! } }
        : undefined,
    uploads,
    tray: {
      shows: (query.get("tray") ?? undefined) as UploadTrayProps["shows"],
      titleProgress: query.has("badge"),
      ...(query.has("german") && { texts: de }),
    },
    isKept: query.has("kept"),
    onNavigate: uploads || query.has("links") || query.has("kept") ? addLinks() : () => {},
  }
}
