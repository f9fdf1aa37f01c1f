import { isActive, isProcessing } from "../upload-state.ts"
import type { ComponentView } from "./component-view.ts"
import { sayRetrying } from "./retrying.ts"

/** What the title of a tray says of all its files. */
interface SaidOfAll {
  /** What moves, or why nothing does; at the end what became of them. */
  readonly what: string
  /** When those are tried again that wait for it, beside what moves. */
  readonly retrying?: string | undefined
}

/**
 * Says what happens to all files of a tray.
 *
 * @param isAlone whether nothing else of the tray is to be seen: then it also says when a file is tried again
 */
export const sayOfAll = (component: Pick<ComponentView, "state" | "texts">, isAlone: boolean): SaidOfAll => {
  const { state, texts } = component
  const { files, summary } = state
  if (summary.active === 0 || isProcessing(summary)) return { what: texts.summary(state) }
  const moving = files.filter((item) => isActive(item) && item.status !== "waiting")
  const isRetrying = summary.retrying > 0
  // What is queued behind files that wait does not move, either.
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
