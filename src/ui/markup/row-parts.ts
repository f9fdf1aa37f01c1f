import { isActive, isProcessing, toSecondsLeft, type UploadItem } from "../controller/upload-state.ts"
import { sayProcessing } from "../texts/say-processing.ts"
import { button, type FileAction, type RowParts, type RowPartsOptions } from "./parts.ts"

/** The actions that make sense for a file, the most likely one first. */
export const listFileActions = (item: UploadItem<any>): ReadonlyArray<FileAction> => {
  if (isActive(item)) {
    if (toSecondsLeft(item) !== undefined) return ["tryNow", "cancel"]
    return item.status === "queued" || item.status === "processing" ? ["cancel"] : ["pause", "cancel"]
  }
  switch (item.status) {
    case "paused":
      return ["resume", "cancel"]
    case "failed":
      return item.canRetry ? ["retry", "remove"] : ["remove"]
    case "aborted":
      return ["retry", "remove"]
    default:
      return ["remove"]
  }
}

/** Makes the parts that show and change single files. */
export const createRowParts = ({ controller, state, texts }: RowPartsOptions): RowParts => {
  // Kept rows hold what is made here. It must not hold the state, which has the files that were removed last: their
  // rows would hold the state before that, and so on.
  const { progress, summary } = state
  const act: Readonly<Record<FileAction, (id: string) => void>> = {
    pause: controller.pauseUpload,
    resume: controller.resumeUpload,
    retry: controller.resumeUpload,
    tryNow: controller.retryNow,
    cancel: controller.abortUpload,
    remove: controller.removeFile,
  }
  return {
    progress: (item) => {
      const percent = item?.progress ?? progress
      return {
        attributes: {
          role: "progressbar",
          "aria-label": item?.name ?? texts.files(),
          // Without a value the bar is indeterminate.
          "aria-valuenow": item?.status === "processing" ? undefined : percent,
          "aria-valuemin": 0,
          "aria-valuemax": 100,
          "aria-valuetext": (item ? item.status === "processing" : isProcessing(summary))
            ? sayProcessing(texts, item ?? summary)
            : undefined,
          style: { "--sluice-progress": `${percent}%` },
        },
        on: {},
      }
    },
    fileAction: (item, action) =>
      button(() => act[action](item.id), {
        "aria-label": texts.actOn(texts[action](), item.name),
        title: texts[action](),
        "data-action": action,
      }),
  }
}
