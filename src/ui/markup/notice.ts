import { toSecondsLeft, type UploadItem, type UploadState } from "../upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

type Said = Pick<ComponentView, "state" | "texts">

const saysOf = ({ texts }: Said, item: UploadItem): string | undefined =>
  item.status === "failed"
    ? item.error && texts.error(item.error)
    : item.status === "waiting" && item.waitingFor === "retry"
      ? texts.waitingAfter(item.error)
      : undefined

/** What several files suffer from and nothing else is wrong, to be said once; undefined where each has its own trouble. */
const findShared = (said: Said, status: "failed" | "waiting") => {
  const items = said.state.files.filter((item) => item.status === status)
  const [text, ...others] = new Set(items.map((item) => saysOf(said, item)))
  return items.length > 1 && text !== undefined && others.length === 0 ? { items, text } : undefined
}

/** By state, so that a list of many files asks once. */
const toldAbove = new WeakMap<UploadState, boolean>()

/** Whether the notice above the list says what this file's error is. */
export const isToldAbove = (said: Said, item: UploadItem): boolean => {
  if (item.status !== "failed") return false
  const isTold = toldAbove.get(said.state) ?? findShared(said, "failed") !== undefined
  toldAbove.set(said.state, isTold)
  return isTold
}

/** Seen, and not read out every second. */
export const describeCountdown = ({ texts }: Said, item: UploadItem): Markup | undefined => {
  const seconds = toSecondsLeft(item)
  return seconds === undefined
    ? undefined
    : describe("span", "retry-in", { attributes: { "data-sluice": "retry-in", "aria-hidden": "true" } }, [
        texts.retryIn(seconds),
      ])
}

/** One message above the list for a cause that all troubled files share: why all of them failed, or wait. */
export const describeNotice = (component: ComponentView): Markup | undefined => {
  const { texts, part } = component
  const shared = findShared(component, "failed") ?? findShared(component, "waiting")
  if (shared === undefined) return undefined
  const { items, text } = shared
  // When the next try is made, and the button for it, stand with what concerns all files.
  return describe("div", "notice", { attributes: { "data-sluice": "notice", "data-state": items[0]!.status } }, [
    part("p", "error", {}, [text]),
    describe("p", "affected", { attributes: { "data-sluice": "affected" } }, [texts.affected(items.length)]),
  ])
}
