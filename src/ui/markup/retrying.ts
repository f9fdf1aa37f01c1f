import { toSecondsLeft, type UploadItem } from "../upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"
import { describeCountdown } from "./notice.ts"

/** The file that waits for its next try and is tried first; undefined where the next try is due. */
export const findNextTry = (files: ReadonlyArray<UploadItem<any>>): UploadItem<any> | undefined =>
  files.reduce<UploadItem<any> | undefined>(
    (next, item) =>
      toSecondsLeft(item) === undefined || (next !== undefined && next.retryAt! <= item.retryAt!) ? next : item,
    undefined,
  )

/** How many wait for their next try, and when the first of them is made. */
export const sayRetrying = ({ state, texts }: Pick<ComponentView, "state" | "texts">): string => {
  const next = findNextTry(state.files)
  return `${texts.retrying(state.summary.retrying)}${next ? texts.retryIn(toSecondsLeft(next)!) : ""}`
}

/** Why nothing moves, of a component of one line: one file for all. Undefined while something does. */
export const describeStandstill = (component: ComponentView): ReadonlyArray<Markup | string> | undefined => {
  const { state, texts } = component
  const waits = findNextTry(state.files)
  const isMoving = state.files.some(({ status }) => status === "uploading" || status === "processing")
  if (waits === undefined || isMoving) return undefined
  return [texts.waitingAfter(waits.error), describeCountdown(component, waits)!, describeTryNow(component)!]
}

/** Makes the next try of all that wait for it at once; nothing where none does. */
export const describeTryNow = ({ state, texts, controller }: ComponentView): Markup | undefined =>
  findNextTry(state.files) &&
  describe(
    "button",
    "try-now",
    { attributes: { type: "button", "data-sluice": "try-now" }, on: { click: () => controller.retryNow() } },
    [texts.tryNow()],
  )
