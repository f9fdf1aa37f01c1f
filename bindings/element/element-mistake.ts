import type { Markup } from "../../src/ui.ts"
import { findWrongJson } from "./element-properties.ts"
import type { UploadElement } from "./upload-element.ts"

/** What keeps an element from being of use, and what to do about it. */
export const findMistake = (element: UploadElement): string | undefined => {
  const { localName, endpoint } = element
  if (endpoint === "") {
    return `<${localName}> needs an endpoint, the name of a file route: <${localName} endpoint="photos">.`
  }
  const wrong = findWrongJson(element)
  return wrong && `The ${wrong.name} of <${localName}> is not JSON: ${wrong.message}.`
}

/** Shows a mistake in the element's place. */
export const describeMistake = (text: string): Markup => ({
  tag: "p",
  key: "mistake",
  attributes: { "data-sluice": "error", role: "alert" },
  on: {},
  children: [text],
})
