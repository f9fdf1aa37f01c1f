import type { ComponentView } from "./component-view.ts"
import { describeFigures } from "./figures.ts"
import { isProcessing } from "../upload-state.ts"
import { describe, type Markup } from "./markup.ts"
import { describeTryNow, sayRetrying } from "./retrying.ts"

/** One line above the list: how far all files are, and what can be done about all of them. */
export const describeSummary = (component: ComponentView): Markup | undefined => {
  const { state, texts, parts, part, isField } = component
  const { total, active, paused, done, canRetry, retrying } = state.summary
  if (total === 0) return undefined
  const isOpen = active + paused > 0
  return part("div", "summary", { attributes: { "data-state": state.status } }, [
    describe("p", "text", { attributes: { "data-sluice": "summary-text" } }, [
      describe("span", "count", {}, [texts.summary(state)]),
      // Of one file its row says so.
      retrying > 0 &&
        total > 1 &&
        describe("span", "retrying", { attributes: { "data-sluice": "retrying" } }, [sayRetrying(component)]),
      ...describeFigures(component),
    ]),
    describe("div", "actions", { attributes: { "data-sluice": "summary-actions" } }, [
      total > 1 && describeTryNow(component),
      // What waits for the app alone cannot be paused.
      active > 0 && !isProcessing(state.summary) && part("button", "pauseButton", parts.pause, [texts.pauseAll()]),
      active === 0 && paused > 0 && part("button", "pauseButton", parts.resume, [texts.resumeAll()]),
      isOpen && part("button", "cancelButton", parts.cancel, [texts.cancelAll()]),
      !isOpen && canRetry > 0 && part("button", "retryButton", parts.retryAll, [texts.retryAll(canRetry)]),
      // What a form has been given is not taken out of it by tidying up.
      !isOpen &&
        done > 0 &&
        !isField &&
        part("button", "removeFinishedButton", parts.removeFinished, [texts.removeFinished()]),
    ]),
    isOpen && part("div", "summaryProgress", parts.progress()),
  ])
}
