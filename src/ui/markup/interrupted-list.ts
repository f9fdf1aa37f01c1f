import type { ComponentView } from "./component.ts"
import { describe, type Markup } from "./markup.ts"

/** Uploads that a reload has interrupted, to be gone on with or discarded. */
export const describeInterrupted = ({ state, texts, controller, parts }: ComponentView): Markup | undefined => {
  if (state.interrupted.length === 0) return undefined
  const goOn = async (id: string) => {
    if (!(await controller.continueInterrupted(id))) parts.openPicker()
  }
  return describe(
    "ul",
    "interrupted",
    { attributes: { "data-sluice": "interrupted", "aria-label": texts.interrupted() } },
    state.interrupted.map(({ id, name, size, reopen }) => {
      const says = reopen === undefined ? texts.chooseAgain() : texts.continue()
      return describe("li", id, { attributes: { "data-sluice": "interrupted-file" } }, [
        describe("span", "name", { attributes: { "data-sluice": "file-name", title: name } }, [name]),
        describe("span", "size", { attributes: { "data-sluice": "file-state" } }, [texts.size(size)]),
        describe(
          "button",
          "continue",
          {
            attributes: { type: "button", "data-sluice": "continue", "aria-label": texts.actOn(says, name) },
            on: { click: () => void goOn(id) },
          },
          [says],
        ),
        describe(
          "button",
          "discard",
          {
            attributes: { type: "button", "data-sluice": "discard", "aria-label": texts.actOn(texts.discard(), name) },
            on: { click: () => controller.discardInterrupted(id) },
          },
          [texts.discard()],
        ),
      ])
    }),
  )
}
