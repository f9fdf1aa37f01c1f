import type { ComponentView } from "./component-view.ts"
import { describeFigures } from "./figures.ts"
import { isProcessing } from "../controller/upload-state.ts"
import { describe, type Markup } from "./markup.ts"
import { describeTryNow, sayRetrying } from "./retrying.ts"

/** One line above the list: the progress of all files, and actions on all of them. */
export const describeSummary = (component: ComponentView): Markup | undefined => {
  const { state, texts, parts, part, isField } = component
  const { total, active, paused, done, canRetry, retrying } = state.summary
  if (total === 0) return undefined
  const isOpen = active + paused > 0
  return part("div", "summary", { attributes: { "data-state": state.status } }, [
    describe("p", "text", { attributes: { "data-sluice": "summary-text" } }, [
      describe("span", "count", {}, [texts.summary(state)]),
      // For a single file its row says so.
      retrying > 0 &&
        total > 1 &&
        describe("span", "retrying", { attributes: { "data-sluice": "retrying" } }, [sayRetrying(component)]),
      ...describeFigures(component),
    ]),
    describe("div", "actions", { attributes: { "data-sluice": "summary-actions" } }, [
      total > 1 && describeTryNow(component),
      // Files that only wait for the app cannot be paused.
      active > 0 && !isProcessing(state.summary) && part("button", "pauseButton", parts.pause, [texts.pauseAll()]),
      active === 0 && paused > 0 && part("button", "pauseButton", parts.resume, [texts.resumeAll()]),
      isOpen && part("button", "cancelButton", parts.cancel, [texts.cancelAll()]),
      !isOpen && canRetry > 0 && part("button", "retryButton", parts.retryAll, [texts.retryAll(canRetry)]),
      // Files that belong to a form are not removed from it by tidying up.
      !isOpen &&
        done > 0 &&
        !isField &&
        part("button", "removeFinishedButton", parts.removeFinished, [texts.removeFinished()]),
    ]),
    isOpen && part("div", "summaryProgress", parts.progress()),
  ])
}
