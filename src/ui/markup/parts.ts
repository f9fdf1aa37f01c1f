import { takesSeveral, toAccept } from "../files/accepted-files.ts"
import { toMainId, toStatusId } from "../page/element-ids.ts"
import { keepHandles } from "../files/kept-handles.ts"
import type { UploadConfig } from "../controller/upload-component-options.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { ResumeStore } from "../../client/resume/resume-store.ts"
import type { UploadItem, UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import { describeTarget } from "../drop/drop-target.ts"
import type { Part } from "./markup.ts"

/** What a button of a file's row can do. */
export type FileAction = "pause" | "resume" | "retry" | "tryNow" | "cancel" | "remove"

/** The data from which parts are made. */
export interface PartsOptions {
  readonly controller: UploadController<any>
  readonly state: UploadState<any>
  readonly texts: UploadTexts
  readonly config: UploadConfig
  readonly resumeStore: ResumeStore | undefined
  /** Unique in the document, the same on server and page. */
  readonly id: string
  /** The tree that contains the component. */
  readonly root: () => NonElementParentNode
  /** What it has once it was used; undefined before. */
  readonly used: PartsInUse | undefined
  /** The code for the parts of rows; undefined where rows are only shown after the first use. */
  readonly createRowParts?: ((options: RowPartsOptions) => RowParts) | undefined
}

/** What the parts of rows are made of. */
export type RowPartsOptions = Pick<PartsOptions, "controller" | "state" | "texts">

/** The parts of rows. */
export type RowParts = Pick<UploadParts, "progress" | "fileAction">

/** The parts of rows, and those that only components in use have. */
export type MoreParts = RowParts &
  Pick<UploadParts, "cameraInput" | "camera" | "removeFailed" | "undo" | "fileHandle" | "fileRename">

/** What parts need once a component was used. */
interface PartsInUse {
  readonly createMoreParts: (options: Omit<PartsOptions, "used" | "resumeStore" | "createRowParts">) => MoreParts
}

/** Turns your own elements into an upload component: attributes and handlers to put on them. */
export interface UploadParts {
  /** Accepts dropped files. */
  readonly target: Part
  /** The file input. It must be on the page; it is not shown. */
  readonly input: Part
  /** The camera's own file input, where `config.capture` and the route want a camera. It must be on the page; it is not shown. */
  readonly cameraInput: Part | undefined
  /** A button that opens the camera, where one is possible: for phones. */
  readonly camera: Part | undefined
  /** A button that opens the file dialog. */
  readonly pick: Part
  /** A button that starts the upload of the chosen files. */
  readonly upload: Part
  readonly pause: Part
  readonly resume: Part
  readonly cancel: Part
  readonly clear: Part
  /** A button that retries all failed files that can be retried. */
  readonly retryAll: Part
  /** A button that removes uploaded and cancelled files from the list. */
  readonly removeFinished: Part
  /** A button that removes all failed files from the list. */
  readonly removeFailed: Part
  /** A button that restores the files removed last. */
  readonly undo: Part
  /** An element without content that is always there: announcements for screen readers are written into it. */
  readonly status: Part
  /** The progress of all files, or of one. */
  readonly progress: (item?: UploadItem<any>) => Part
  /** A button for one file that does what makes sense in its state, see `listFileActions`. */
  readonly fileAction: (item: UploadItem<any>, action: FileAction) => Part
  /** A handle that moves one file to another place; in a row that has `data-file={item.id}`. */
  readonly fileHandle: (item: UploadItem<any>) => Part
  /** Renames one file, in a row that has `data-file={item.id}`. */
  readonly fileRename: (item: UploadItem<any>) => Part
  /** Opens the file dialog; with the id of an interrupted upload, for its file. */
  readonly openPicker: (interrupted?: string) => void
}

/** The interrupted upload that a file dialog was opened for. */
const wanted = new WeakMap<HTMLInputElement, string>()

/** Replaces parts that have no use before a component is used. */
const nothing: Part = { attributes: { hidden: true }, on: {} }

export const button = (onClick: () => void, attributes: Part["attributes"] = {}): Part => ({
  attributes: { type: "button", ...attributes },
  on: { click: onClick },
})

/** Makes the parts of a component in its current state. */
export const createUploadParts = ({
  controller,
  state,
  texts,
  config,
  resumeStore,
  id,
  root,
  used,
  createRowParts,
}: PartsOptions): UploadParts => {
  const { routeConfig, isDisabled, isReady } = state
  const accept = routeConfig === undefined ? "" : toAccept(routeConfig)
  const isMultiple = config.folder === true || takesSeveral(routeConfig)
  const inputId = `${id}-input`
  const isOff = isDisabled || !isReady
  const isMissing = state.missing !== undefined

  const take = (files: ReadonlyArray<File>, interrupted: string | undefined) =>
    interrupted === undefined ? controller.addFiles(files) : controller.continueWith(interrupted, files)
  const openPicker: UploadParts["openPicker"] = (interrupted) => {
    const useInput = () => {
      const input = root().getElementById(inputId) as HTMLInputElement | null
      if (input === null) return
      if (interrupted === undefined) wanted.delete(input)
      else wanted.set(input, interrupted)
      input.click()
    }
    if (resumeStore === undefined || config.folder || !("showOpenFilePicker" in globalThis)) return useInput()
    const pick = async () => {
      const { pickWithHandles } = await import("../files/pick-with-handles.ts")
      return pickWithHandles({ accept, isMultiple }, keepHandles(resumeStore)!)
    }
    void pick().then((files) => (files === undefined ? useInput() : take(files, interrupted)), useInput)
  }

  const more = used?.createMoreParts({ controller, state, texts, config, id, root })
  const rows = more ?? createRowParts?.({ controller, state, texts })
  return {
    openPicker,
    target: {
      attributes: { id, "data-drag": state.isDragActive ? (state.drag?.fit ?? "over") : undefined },
      on: describeTarget({ controller, resumeStore, isOff }, () => root().getElementById(id)),
    },
    input: {
      attributes: {
        id: inputId,
        type: "file",
        hidden: true,
        accept: accept || undefined,
        multiple: isMultiple,
        "aria-label": texts.choose(isMultiple),
        disabled: isOff,
        webkitdirectory: config.folder ? "" : undefined,
      },
      on: {
        change: (event) => {
          const input = event.target as HTMLInputElement
          take([...(input.files ?? [])], wanted.get(input))
          wanted.delete(input)
          input.value = "" // so that the same file can be chosen again
        },
      },
    },
    cameraInput: more?.cameraInput,
    camera: more?.camera,
    removeFailed: more?.removeFailed ?? nothing,
    undo: more?.undo ?? nothing,
    fileHandle: more?.fileHandle ?? (() => nothing),
    fileRename: more?.fileRename ?? (() => nothing),
    pick: button(() => openPicker(), { id: toMainId(id), disabled: isOff }),
    upload: button(() => isMissing || void controller.startUpload(), {
      disabled: isDisabled || !state.files.some(({ status }) => status === "picked"),
      ...(isMissing && { "aria-disabled": true, "aria-describedby": `${id}-missing` }),
    }),
    pause: button(() => controller.pauseUpload()),
    resume: button(() => controller.resumeUpload()),
    cancel: button(() => controller.abortUpload()),
    clear: button(() => controller.clear(["picked", "failed", "aborted"])),
    retryAll: button(() => controller.resumeUpload()),
    removeFinished: button(() => controller.removeFinished()),
    status: { attributes: { id: toStatusId(id), role: "status" }, on: {} },
    progress: rows?.progress ?? (() => nothing),
    fileAction: rows?.fileAction ?? (() => nothing),
  }
}
