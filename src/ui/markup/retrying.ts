import { toSecondsLeft, type UploadItem } from "../controller/upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"
import { describeCountdown } from "./notice.ts"

/** The waiting file with the earliest next attempt; undefined where the next attempt is already due. */
export const findNextTry = (files: ReadonlyArray<UploadItem<any>>): UploadItem<any> | undefined =>
  files.reduce<UploadItem<any> | undefined>(
    (next, item) =>
      toSecondsLeft(item) === undefined || (next !== undefined && next.retryAt! <= item.retryAt!) ? next : item,
    undefined,
  )

/** How many files wait for their next attempt, and when the first one is made. */
export const sayRetrying = ({ state, texts }: Pick<ComponentView, "state" | "texts">): string => {
  const next = findNextTry(state.files)
  return `${texts.retrying(state.summary.retrying)}${next ? texts.retryIn(toSecondsLeft(next)!) : ""}`
}

/** Why nothing progresses, for a component with one line: one file stands for all. Undefined while something does. */
export const describeStandstill = (component: ComponentView): ReadonlyArray<Markup | string> | undefined => {
  const { state, texts } = component
  const waits = findNextTry(state.files)
  const isMoving = state.files.some(({ status }) => status === "uploading" || status === "processing")
  if (waits === undefined || isMoving) return undefined
  return [texts.waitingAfter(waits.error), describeCountdown(component, waits)!, describeTryNow(component)!]
}

/** A button that makes the next attempt of all waiting files at once; undefined where none waits. */
export const describeTryNow = ({ state, texts, controller }: ComponentView): Markup | undefined =>
  findNextTry(state.files) &&
  describe(
    "button",
    "try-now",
    { attributes: { type: "button", "data-sluice": "try-now" }, on: { click: () => controller.retryNow() } },
    [texts.tryNow()],
  )
