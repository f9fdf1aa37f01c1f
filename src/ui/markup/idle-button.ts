import type { ComponentView } from "./component-view.ts"
import { describe, type Markup, type Part } from "./markup.ts"

/** What changes of a button with what it is used for. */
export interface ButtonFace {
  readonly does: Part
  readonly says: string
  /** Beside it: small buttons, and for screen readers how far it is. */
  readonly tools?: ReadonlyArray<Markup> | undefined
  /** Whether it shows how far it is. */
  readonly isRunning?: boolean | undefined
  /** Below it. */
  readonly line?: ReadonlyArray<Markup | string> | undefined
  /** Below it, instead: what went wrong. */
  readonly failure?: string | undefined
  /** Below it, instead: what was removed, and can come back. */
  readonly removed?: Markup | undefined
}

/** A small button beside the main one. */
export const describeTool = (
  { part }: ComponentView,
  name: "pauseButton" | "cancelButton" | "clearButton",
  does: Part,
  text: string,
  action: string,
): Markup =>
  part("button", name, {
    attributes: { ...does.attributes, "aria-label": text, title: text, "data-action": action },
    on: does.on,
  })

/** A button that chooses files, with the stored files of its field. */
export const describeIdleButton = (component: ComponentView): ButtonFace => {
  const { controller, state, texts, parts, isField, isMultiple } = component
  const { files, isReady, status } = state
  const stored = isField ? files.filter(({ key }) => key !== undefined) : []
  const [only] = stored
  // The value of a field can be taken out again.
  const clear = { attributes: { type: "button" }, on: { click: () => controller.clear(["done"]) } }
  const clears = stored.length === 1 ? texts.actOn(texts.remove(), only!.name) : texts.clear()
  const failed = status === "failed" ? files.find(({ error }) => error !== undefined) : undefined
  // What was chosen is taken up as soon as the code is there.
  if (status === "uploading") {
    return { does: { attributes: { type: "button", "aria-disabled": true }, on: {} }, says: texts.loading() }
  }
  return {
    does: failed ? parts.retryAll : parts.pick,
    says: failed ? texts.retry() : isReady ? texts.choose(isMultiple) : texts.loading(),
    tools: failed
      ? [describeTool(component, "clearButton", parts.clear, texts.clear(), "remove")]
      : stored.length > 0
        ? [describeTool(component, "clearButton", clear, clears, "remove")]
        : [],
    line: stored.length === 1 ? [describe("bdi", "name", {}, [only!.name])] : undefined,
    failure: failed && texts.failedFile(failed.name, texts.error(failed.error!)),
  }
}
