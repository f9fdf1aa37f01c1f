import { takesSeveral, toAccept } from "../accepted-files.ts"
import { hasFiles, pickWithHandles, readTransfer } from "../collect-files.ts"
import { toMainId } from "../keep-focus.ts"
import type { UploadConfig } from "../upload-component-options.ts"
import type { UploadController } from "../upload-controller.ts"
import type { UploadSessions } from "../../client/upload-sessions.ts"
import { isActive, type UploadItem, type UploadState } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import type { Part } from "./markup.ts"

/** What parts are made of. */
export interface PartsOptions {
  readonly controller: UploadController<any>
  readonly state: UploadState<any>
  readonly texts: UploadTexts
  readonly config: UploadConfig
  readonly sessions: UploadSessions | undefined
  /** Unique in the document, the same on server and page. */
  readonly id: string
  /** The tree the component is in. */
  readonly root: () => NonElementParentNode
}

/** What makes elements of your own into an upload component: attributes and handlers to put on them. */
export interface UploadParts {
  /** Takes dropped files. */
  readonly target: Part
  /** The file input. Must be on the page; is not shown. */
  readonly input: Part
  /** A button that opens the file dialog. */
  readonly pick: Part
  /** A button that starts the upload of what was chosen. */
  readonly upload: Part
  readonly pause: Part
  readonly resume: Part
  readonly cancel: Part
  readonly clear: Part
  /** A text that screen readers are told of when it changes. */
  readonly status: Part
  /** How far all files, or one, are. */
  readonly progress: (item?: UploadItem<any>) => Part
  /** A button that does to one file what makes sense in its state, see {@link listFileActions}. */
  readonly fileAction: (item: UploadItem<any>, action: FileAction) => Part
  /** Opens the file dialog. */
  readonly openPicker: () => void
}

/** What can be done about one file. */
export type FileAction = "pause" | "resume" | "retry" | "cancel" | "remove"

/** The actions that make sense for a file, the most likely first. */
export const listFileActions = (item: UploadItem<any>): ReadonlyArray<FileAction> => {
  if (isActive(item)) return item.status === "queued" ? ["cancel"] : ["pause", "cancel"]
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

const button = (onClick: () => void, attributes: Part["attributes"] = {}): Part => ({
  attributes: { type: "button", ...attributes },
  on: { click: onClick },
})

/** Makes the parts of a component in its present state. */
export const createUploadParts = ({
  controller,
  state,
  texts,
  config,
  sessions,
  id,
  root,
}: PartsOptions): UploadParts => {
  const { routeConfig, isDisabled, isReady } = state
  const accept = routeConfig === undefined ? "" : toAccept(routeConfig)
  const isMultiple = config.folder === true || takesSeveral(routeConfig)
  const inputId = `${id}-input`
  const isOff = isDisabled || !isReady

  const openPicker = () => {
    const useInput = () => (root().getElementById(inputId) as HTMLElement | null)?.click()
    if (sessions === undefined || config.folder) return useInput()
    void pickWithHandles({ accept, isMultiple }, sessions.attachHandle).then((files) =>
      files === undefined ? useInput() : controller.addFiles(files),
    )
  }

  /** Enter and leave come for every element within: what counts is which the pointer has gone to. */
  const isWithin = (event: Event): boolean => {
    const { relatedTarget } = event as DragEvent
    const element = root().getElementById(id)
    return element?.contains(relatedTarget as Node | null) === true
  }

  const act: Readonly<Record<FileAction, (id: string) => void>> = {
    pause: controller.pauseUpload,
    resume: controller.resumeUpload,
    retry: controller.resumeUpload,
    cancel: controller.abortUpload,
    remove: controller.removeFile,
  }

  return {
    openPicker,
    target: {
      attributes: { id, "data-drag": state.isDragActive ? "over" : undefined },
      on: {
        dragenter: (event) => {
          if (!hasFiles((event as DragEvent).dataTransfer)) return
          event.preventDefault()
          if (!isOff) controller.setDragActive(true)
        },
        dragover: (event) => {
          const { dataTransfer } = event as DragEvent
          if (!hasFiles(dataTransfer)) return
          // Also when disabled: a file dropped here must not replace the page.
          event.preventDefault()
          dataTransfer.dropEffect = isOff ? "none" : "copy"
        },
        dragleave: (event) => {
          if (!isWithin(event)) controller.setDragActive(false)
        },
        drop: (event) => {
          const { dataTransfer } = event as DragEvent
          if (!hasFiles(dataTransfer)) return
          event.preventDefault()
          controller.setDragActive(false)
          void readTransfer(dataTransfer, sessions?.attachHandle).then(controller.addFiles)
        },
      },
    },
    input: {
      attributes: {
        id: inputId,
        type: "file",
        hidden: true,
        accept: accept || undefined,
        multiple: isMultiple,
        disabled: isOff,
        webkitdirectory: config.folder ? "" : undefined,
      },
      on: {
        change: (event) => {
          const input = event.target as HTMLInputElement
          controller.addFiles([...(input.files ?? [])])
          input.value = "" // so that the same file can be chosen again
        },
      },
    },
    pick: button(openPicker, { id: toMainId(id), disabled: isOff }),
    upload: button(() => void controller.startUpload(), {
      disabled: isDisabled || !state.files.some(({ status }) => status === "picked"),
    }),
    pause: button(() => controller.pauseUpload()),
    resume: button(() => controller.resumeUpload()),
    cancel: button(() => controller.abortUpload()),
    clear: button(() => controller.clear()),
    status: { attributes: { role: "status" }, on: {} },
    progress: (item) => {
      const percent = item?.progress ?? state.progress
      return {
        attributes: {
          role: "progressbar",
          "aria-label": item?.file.name ?? texts.files(),
          "aria-valuenow": percent,
          "aria-valuemin": 0,
          "aria-valuemax": 100,
          style: { "--sluice-progress": `${percent}%` },
        },
        on: {},
      }
    },
    fileAction: (item, action) =>
      button(() => act[action](item.id), {
        "aria-label": texts.actOn(texts[action](), item.file.name),
        title: texts[action](),
        "data-action": action,
      }),
  }
}
