import { defineElements, type UploadElement } from "../bindings/element.ts"
import { createResumeStore } from "../src/resume.ts"
import { createElement } from "./create-element.ts"
import type { router } from "./router.ts"
import { showLog } from "./show-log.ts"

const find = <E extends HTMLElement>(selector: string): E => document.querySelector<E>(selector)!

// With a resume store an upload survives a reload of the page.
defineElements({ resumeStore: createResumeStore() })

const dropzone = find<UploadElement<typeof router>>("sluice-dropzone")

find("#routes").onchange = ({ target }) => {
  dropzone.endpoint = (target as HTMLInputElement).value as keyof typeof router
}

// `serverData` is what the route's `onUploadComplete` has returned.
dropzone.addEventListener("upload-complete", ({ detail }) => {
  for (const { file, url, fileHash, serverData } of detail.results) {
    find("#stored").prepend(
      createElement(
        "li",
        {},
        createElement("a", { href: url, target: "_blank" }, file.name),
        createElement(
          "dl",
          {},
          createElement("dt", {}, "SHA-256"),
          createElement("dd", {}, fileHash),
          createElement("dt", {}, "serverData"),
          createElement("dd", {}, JSON.stringify(serverData, null, 1)),
        ),
      ),
    )
  }
})

// A file dropped beside the dropzone must not replace the page.
for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault())

showLog(find("#log"), find("#live"))
