import { createSizeFormat, defineElements, type UploadElement } from "sluice/element"
import { createResumeStore } from "sluice/resume"
import { createElement } from "../create-element.ts"
import type { KeptUpload, KeptUploads } from "../showcase/kept-uploads.ts"
import type { Routes } from "../showcase/routes.ts"
import { texts } from "../showcase/texts.ts"

const find = <E extends HTMLElement>(selector: string): E => document.querySelector<E>(selector)!

const formatSize = createSizeFormat("en")

/** Each puts a stored file into its card. */
const show: { readonly [route in keyof KeptUploads]: (kept: KeptUpload) => void } = {
  avatar: ({ url }) => {
    find(".portrait > :first-child").replaceWith(createElement("img", { src: url, alt: texts.avatar.alt }))
  },
  files: ({ name, size, url }) => {
    find(".files .stored").prepend(
      createElement(
        "li",
        {},
        createElement("a", { className: "name", href: url, target: "_blank" }, name),
        createElement("span", { className: "size" }, formatSize(size)),
      ),
    )
  },
  document: ({ key, name, size, url }) => {
    const { open, plain, of } = texts.document
    const link = (className: string, href: string, text: string) =>
      createElement("a", { className, href, target: "_blank", ariaLabel: of(text, name) }, text)
    find(".document .stored").prepend(
      createElement(
        "li",
        {},
        createElement("span", { className: "name" }, name),
        createElement("span", { className: "size" }, formatSize(size)),
        createElement("span", { className: "links" }, link("", `/documents/${key}`, open), link("plain", url, plain)),
      ),
    )
  },
}

// What the server knew of when it made the page.
const known: KeptUploads = JSON.parse(find("#kept").textContent)
for (const route of ["avatar", "files", "document"] as const) {
  for (const kept of known[route].toReversed()) show[route](kept)
  find<UploadElement<Routes, typeof route>>(`[endpoint="${route}"]`).addEventListener("upload-complete", ({ detail }) =>
    detail.results.forEach(({ serverData }) => show[route](serverData)),
  )
}

// With a resume store an upload survives a reload of the page.
defineElements({ resumeStore: createResumeStore() })
