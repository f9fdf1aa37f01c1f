import { takesSeveral, toAccept } from "../accepted-files.ts"
import { toMainId, toStatusId } from "../element-ids.ts"
import { keepHandles } from "../kept-handles.ts"
import type { UploadConfig } from "../upload-component-options.ts"
import type { UploadController } from "../upload-controller.ts"
import type { ResumeStore } from "../../client/resume/resume-store.ts"
import type { UploadItem, UploadState } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import { describeTarget } from "./drop-target.ts"
import type { Part } from "./markup.ts"

/** What a button of a file's row can do. */
export type FileAction = "pause" | "resume" | "retry" | "tryNow" | "cancel" | "remove"

/** What parts are made of. */
export interface PartsOptions {
  readonly controller: UploadController<any>
  readonly state: UploadState<any>
  readonly texts: UploadTexts
  readonly config: UploadConfig
  readonly resumeStore: ResumeStore | undefined
  /** Unique in the document, the same on server and page. */
  readonly id: string
  /** The tree the component is in. */
  readonly root: () => NonElementParentNode
  /** What it has once it was used; undefined before. */
  readonly used: PartsInUse | undefined
  /** What makes the parts of rows; undefined where rows are only shown once it was used. */
  readonly createRowParts?: ((options: RowPartsOptions) => RowParts) | undefined
}

/** What the parts of rows are made of. */
export type RowPartsOptions = Pick<PartsOptions, "controller" | "state" | "texts">

/** The parts of rows. */
export type RowParts = Pick<UploadParts, "progress" | "fileAction">

/** The parts of rows, and those that only components in use have. */
export type MoreParts = RowParts & Pick<UploadParts, "cameraInput" | "camera" | "undo" | "fileHandle" | "fileRename">

/** What parts need once a component was used. */
interface PartsInUse {
  readonly createMoreParts: (options: Omit<PartsOptions, "used" | "resumeStore" | "createRowParts">) => MoreParts
}

/** What makes elements of your own into an upload component: attributes and handlers to put on them. */
export interface UploadParts {
  /** Takes dropped files. */
  readonly target: Part
  /** The file input. Must be on the page; is not shown. */
  readonly input: Part
  /** Where `config.capture` and the route want a camera: its own file input. Must be on the page; is not shown. */
  readonly cameraInput: Part | undefined
  /** A button that opens the camera, where it can be wanted: for phones. */
  readonly camera: Part | undefined
  /** A button that opens the file dialog. */
  readonly pick: Part
  /** A button that starts the upload of what was chosen. */
  readonly upload: Part
  readonly pause: Part
  readonly resume: Part
  readonly cancel: Part
  readonly clear: Part
  /** A button that tries all again that have failed and can be. */
  readonly retryAll: Part
  /** A button that takes what is uploaded or cancelled off the list. */
  readonly removeFinished: Part
  /** A button that brings back what was removed last. */
  readonly undo: Part
  /** An element without content, always there: what happens is written into it for screen readers. */
  readonly status: Part
  /** How far all files, or one, are. */
  readonly progress: (item?: UploadItem<any>) => Part
  /** A button that does to one file what makes sense in its state, see `listFileActions`. */
  readonly fileAction: (item: UploadItem<any>, action: FileAction) => Part
  /** A handle to put one file into another place by; in a row that has `data-file={item.id}`. */
  readonly fileHandle: (item: UploadItem<any>) => Part
  /** Renames one file, in a row that has `data-file={item.id}`. */
  readonly fileRename: (item: UploadItem<any>) => Part
  /** Opens the file dialog; with the id of an interrupted upload, for its file. */
  readonly openPicker: (interrupted?: string) => void
}

/** The interrupted upload that a file dialog was opened for. */
const wanted = new WeakMap<HTMLInputElement, string>()

/** Stands for what nothing can be done with before a component was used. */
const nothing: Part = { attributes: { hidden: true }, on: {} }

export const button = (onClick: () => void, attributes: Part["attributes"] = {}): Part => ({
  attributes: { type: "button", ...attributes },
  on: { click: onClick },
})

/** Makes the parts of a component in its present state. */
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
      const { pickWithHandles } = await import("../pick-with-handles.ts")
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
