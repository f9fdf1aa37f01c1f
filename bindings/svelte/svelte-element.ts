import type { Snippet } from "svelte"
import {
  isSlot,
  type Markup,
  type Part,
  type PartName,
  type Style,
  toStyleText,
  type UploadItem,
  type UploadLooks,
  type UploadState,
} from "../../src/ui.ts"

/** Attributes and handlers of an element, to be spread: `<button {...uploader.parts.pick}>`. */
export interface ElementProps {
  readonly [name: string]: unknown
}

/** What can stand in a part: a text, or a snippet that is given the state, and the file in parts of a file. */
export type UploadContent = string | Snippet<[state: UploadState, item?: UploadItem]>

/** Contents by part. */
export type UploadContents = { readonly [part in PartName]?: UploadContent | undefined }

/** What upload-component.svelte renders. */
export interface SvelteElement {
  readonly tag: string
  readonly key: string
  readonly attributes: ElementProps
  readonly isVoid: boolean
  /** Elements, texts, and snippets with what they are given. */
  readonly children: ReadonlyArray<unknown>
}

export const toProps = ({ attributes: { style, ...attributes }, on }: Part): ElementProps => ({
  ...attributes,
  ...(style !== undefined && { style: toStyleText(style as Style) }),
  ...Object.fromEntries(Object.entries(on).map(([name, handle]) => [`on${name}`, handle])),
})

export const toElement = ({ tag, key, children, ...part }: Markup): SvelteElement => ({
  tag,
  key,
  attributes: toProps(part),
  isVoid: tag === "input" || tag === "img",
  children: children.map((child) =>
    typeof child === "string" ? child : isSlot(child) ? child.slot : toElement(child),
  ),
})

/** A function among the contents is a snippet, to be rendered and not to be called. */
export const toContent = (contents: object): NonNullable<UploadLooks["content"]> =>
  Object.fromEntries(
    Object.entries(contents).map(([name, snippet]) => [
      name,
      typeof snippet === "function"
        ? (state: UploadState, item?: UploadItem) => ({ key: "snippet", snippet, state, item })
        : snippet,
    ]),
  )
