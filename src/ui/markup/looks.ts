import type { UploadItem, UploadState } from "../controller/upload-state.ts"
import { type Attributes, describe, type Markup, type Part, type Slot, type Style } from "./markup.ts"

/** The parts of a component that can have another look or other content. */
export type PartName =
  | "container"
  | "area"
  | "uploadIcon"
  | "label"
  | "button"
  | "pauseButton"
  | "cancelButton"
  | "clearButton"
  | "allowedContent"
  | "error"
  | "summary"
  | "summaryProgress"
  | "retryButton"
  | "removeFinishedButton"
  | "removeFailedButton"
  | "fileList"
  | "file"
  | "filePreview"
  | "fileName"
  | "fileState"
  | "fileProgress"
  | "fileButton"
  | "fileHandle"
  | "fileRename"
  | "cameraButton"
  | "removed"
  | "undoButton"

/** A class or an inline style. */
export type Look = string | Style

/** A value, or a function that computes it from the state; for parts of a file, the function gets the file as well. */
type OfState<A> = A | ((state: UploadState, item?: UploadItem) => A)

/** Classes and styles by part. */
export type Appearance = { readonly [part in PartName]?: OfState<Look | undefined> }

/** Content that replaces the usual content of a part. */
export type Content<Node> = { readonly [part in PartName]?: OfState<Node> }

/** The name of a component, which tells it from others on the page. */
export interface UploadNames {
  /** Added to the main button's own text: "Choose a file, Cover". */
  readonly "aria-label"?: string | undefined
  /** Ids of the elements that name it instead. */
  readonly "aria-labelledby"?: string | undefined
}

/** The look and the name of a component. */
export interface UploadLooks<Node = unknown> extends UploadNames {
  /** Class of the outermost element. */
  readonly className?: string | undefined
  readonly appearance?: Appearance | undefined
  readonly content?: Content<Node> | undefined
}

const toValue = <A>(value: OfState<A>, state: UploadState, item: UploadItem | undefined): A =>
  typeof value === "function" ? (value as (state: UploadState, item?: UploadItem) => A)(state, item) : value

/** `allowedContent` → `allowed-content`. */
const toDataName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Describes one part of a component, with the look and content the page gives it. */
export type DescribePart = (
  tag: string,
  name: PartName,
  part?: Partial<Part>,
  children?: Parameters<typeof describe>[3],
  item?: UploadItem,
) => Markup

/** @param cn merges class names */
export const createDescribePart = (
  { className, appearance, content }: UploadLooks,
  state: UploadState,
  cn: (...classes: Array<string>) => string,
): DescribePart => {
  const toAttributes = (name: PartName, given: Attributes, item: UploadItem | undefined): Attributes => {
    const look = toValue(appearance?.[name], state, item)
    const classes = [name === "container" ? className : undefined, typeof look === "string" ? look : undefined].filter(
      (value) => value !== undefined,
    )
    return {
      ...given,
      "data-sluice": toDataName(name),
      ...(classes.length > 0 && { class: cn(...classes) }),
      ...(typeof look === "object" && { style: { ...(given["style"] as Style | undefined), ...look } }),
    }
  }
  return (tag, name, { attributes = {}, on = {} } = {}, children = [], item) => {
    const slot = toValue(content?.[name], state, item)
    const usual = describe(tag, name, { attributes: toAttributes(name, attributes, item), on }, children)
    return slot === undefined
      ? usual
      : { ...usual, children: [{ key: "slot", slot, usual: usual.children } satisfies Slot] }
  }
}
