import { toSecondsLeft, type UploadItem, type UploadState } from "../controller/upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

type Said = Pick<ComponentView, "state" | "texts">

const saysOf = ({ texts }: Said, item: UploadItem): string | undefined =>
  item.status === "failed"
    ? item.error && texts.error(item.error)
    : item.status === "waiting" && item.waitingFor === "retry"
      ? texts.waitingAfter(item.error)
      : undefined

/** The problem that several files share, if nothing else is wrong; undefined where they have different ones. */
const findShared = (said: Said, status: "failed" | "waiting") => {
  const items = said.state.files.filter((item) => item.status === status)
  const [text, ...others] = new Set(items.map((item) => saysOf(said, item)))
  return items.length > 1 && text !== undefined && others.length === 0 ? { items, text } : undefined
}

/** By state, so that a list of many files computes it once. */
const toldAbove = new WeakMap<UploadState, boolean>()

/** Whether the notice above the list shows this file's error. */
export const isToldAbove = (said: Said, item: UploadItem): boolean => {
  if (item.status !== "failed") return false
  const isTold = toldAbove.get(said.state) ?? findShared(said, "failed") !== undefined
  toldAbove.set(said.state, isTold)
  return isTold
}

/** Visible, but not read out every second. */
export const describeCountdown = ({ texts }: Said, item: UploadItem): Markup | undefined => {
  const seconds = toSecondsLeft(item)
  return seconds === undefined
    ? undefined
    : describe("span", "retry-in", { attributes: { "data-sluice": "retry-in", "aria-hidden": "true" } }, [
        texts.retryIn(seconds),
      ])
}

/** One message above the list for a cause that all affected files share: why all of them failed, or wait. */
export const describeNotice = (component: ComponentView): Markup | undefined => {
  const { texts, part } = component
  const shared = findShared(component, "failed") ?? findShared(component, "waiting")
  if (shared === undefined) return undefined
  const { items, text } = shared
  // The time of the next attempt, and the button for it, belong to the message for all files.
  return describe("div", "notice", { attributes: { "data-sluice": "notice", "data-state": items[0]!.status } }, [
    part("p", "error", {}, [text]),
    describe("p", "affected", { attributes: { "data-sluice": "affected" } }, [texts.affected(items.length)]),
  ])
}
