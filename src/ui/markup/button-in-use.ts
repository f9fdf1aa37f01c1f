import { sayProcessing } from "../texts/say-processing.ts"
import { isProcessing, type UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { ComponentView } from "./component-view.ts"
import { sayMissing } from "./missing-files.ts"
import { describe, type Markup } from "./markup.ts"
import { describeFigures } from "./figures.ts"
import { describeStandstill } from "./retrying.ts"
import { describeRemoved } from "./removed-line.ts"
import { type ButtonFace, describeIdleButton, describeTool } from "./idle-button.ts"

/** Describes what went wrong: for several files how they ended, and the reason once where they share it. */
const explainFailure = (state: UploadState, texts: UploadTexts, isMultiple: boolean): string | undefined => {
  const failed = state.files.filter(({ status, error }) => status === "failed" && error !== undefined)
  const first = failed[0]
  if (first === undefined) return undefined
  const reasons = failed.map(({ error }) => texts.error(error!))
  const reason = texts.failedFile(first.name, reasons[0]!)
  const many = (why: string, isShared: boolean) => texts.failedFiles(texts.summary(state), why, isShared)
  if (failed.length === 1) return isMultiple && state.summary.done > 0 ? many(reason, false) : reason
  return reasons.every((text) => text === reasons[0]) ? many(reasons[0]!, true) : many(reason, false)
}

/** The names of the files that wait, of many the first ones. */
const describeNames = ({ files }: UploadState): ReadonlyArray<Markup | string> => {
  const names = files.flatMap(({ status, id, name }) => (status === "picked" ? [{ id, name }] : []))
  return [
    ...names
      .slice(0, 3)
      .flatMap(({ id, name }, index) => [...(index > 0 ? [", "] : []), describe("bdi", id, {}, [name])]),
    ...(names.length > 3 ? [", …"] : []),
  ]
}

const describeFace = (component: ComponentView): ButtonFace => {
  const { state, texts, parts, isMultiple, config } = component
  const { status, summary, missing } = state
  const idle = describeIdleButton(component)
  const figures = (): ReadonlyArray<Markup> => [
    describe("span", "count", {}, [texts.summary(state)]),
    ...describeFigures({ state, texts }),
  ]
  const tool = (name: Parameters<typeof describeTool>[1], does: typeof parts.pause, text: string, action: string) =>
    describeTool(component, name, does, text, action)
  const progress = () =>
    describe("div", "progress", {
      ...parts.progress(),
      attributes: { ...parts.progress().attributes, "data-sluice": "progress" },
    })
  const clear = () => tool("clearButton", parts.clear, texts.clear(), "remove")
  const cancel = () => tool("cancelButton", parts.cancel, texts.cancel(), "cancel")
  const pick = { does: parts.pick, says: texts.choose(isMultiple) }
  switch (status) {
    case "picked":
      if (missing) return { ...pick, tools: [clear()], line: [sayMissing(state, texts)!] }
      // The form's own button uploads them, and is to be the only one that does.
      return config.uploadOnSubmit
        ? { ...pick, tools: [clear()], line: describeNames(state) }
        : { does: parts.upload, says: texts.upload(summary.picked), tools: [clear()] }
    case "uploading":
      return {
        does: { attributes: { type: "button", "aria-disabled": true }, on: {} },
        says: isProcessing(summary) ? sayProcessing(texts, summary) : texts.progress(state.progress),
        tools: [progress(), tool("pauseButton", parts.pause, texts.pause(), "pause"), cancel()],
        isRunning: true,
        line: describeStandstill(component) ?? figures(),
      }
    case "paused":
      return {
        does: parts.resume,
        says: texts.resume(),
        tools: [progress(), cancel()],
        isRunning: true,
        line: figures(),
      }
    case "failed":
      return {
        ...(summary.canRetry > 0 ? { does: parts.retryAll, says: texts.retry() } : pick),
        tools: [clear()],
        failure: explainFailure(state, texts, isMultiple),
      }
    case "done":
      // Files that were stored before are not uploads of this page.
      return summary.total > 0 && idle.line === undefined ? { ...idle, line: figures() } : idle
    default:
      return idle
  }
}

/** A button whose files are chosen, uploading, failed or removed. */
export const describeButtonInUse = (component: ComponentView): ButtonFace => {
  const { state, id } = component
  const face = describeFace(component)
  const isOffered = state.removed !== undefined && !face.isRunning
  return isOffered ? { ...face, removed: describeRemoved(component, "p", `${id}-allowed`) } : face
}
