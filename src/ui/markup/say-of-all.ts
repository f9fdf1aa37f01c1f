import { isActive, isProcessing } from "../controller/upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { sayRetrying } from "./retrying.ts"

/** What the title of a tray says about all its files. */
interface SaidOfAll {
  /** What is in progress, or why nothing is; at the end the result. */
  readonly what: string
  /** When waiting files are retried, in addition to what is in progress. */
  readonly retrying?: string | undefined
}

/**
 * Says what happens to all files of a tray.
 *
 * @param isAlone whether only the title of the tray is visible: it then also says when a file is retried
 */
export const sayOfAll = (component: Pick<ComponentView, "state" | "texts">, isAlone: boolean): SaidOfAll => {
  const { state, texts } = component
  const { files, summary } = state
  if (summary.active === 0 || isProcessing(summary)) return { what: texts.summary(state) }
  const moving = files.filter((item) => isActive(item) && item.status !== "waiting")
  const isRetrying = summary.retrying > 0
  // Files that are queued after waiting ones do not progress either.
  const isMoving = moving.some(({ status }) => status !== "queued") || moving.length === summary.active
  if (isMoving)
    return {
      what: texts.uploading(moving.length),
      retrying: isAlone && isRetrying ? sayRetrying(component) : undefined,
    }
  if (summary.offline > 0) return { what: texts.summary(state) }
  if (isRetrying) return { what: isAlone ? sayRetrying(component) : texts.retrying(summary.retrying) }
  const locked = files.find(({ waitingFor }) => waitingFor === "locked")
  return { what: locked ? texts.fileState(locked) : texts.summary(state) }
}
