import type { Snippet } from "svelte"
import {
  isSlot,
  type Markup,
  type Part,
  type PartName,
  type Slot,
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

/**
 * Content of a part: a text, or a snippet that gets the state and, in parts of a file, the file. `usual` is the text that would
 * be there without it, for a snippet that has something else to say of some files only.
 */
export type UploadContent = string | Snippet<[state: UploadState, item: UploadItem | undefined, usual: string]>

/** Contents by part. */
export type UploadContents = { readonly [part in PartName]?: UploadContent | undefined }

/** What upload-component.svelte renders. */
export interface SvelteElement {
  readonly tag: string
  readonly key: string
  readonly attributes: ElementProps
  readonly isVoid: boolean
  /** Elements, texts, and snippets with their arguments. */
  readonly children: ReadonlyArray<unknown>
}

export const toProps = ({ attributes: { style, ...attributes }, on }: Part): ElementProps => ({
  ...attributes,
  ...(style !== undefined && { style: toStyleText(style as Style) }),
  ...Object.fromEntries(Object.entries(on).map(([name, handle]) => [`on${name}`, handle])),
})

/** The text of what is rendered where the page gives nothing. */
const toText = (children: Markup["children"]): string =>
  children.map((child) => (typeof child === "string" ? child : isSlot(child) ? "" : toText(child.children))).join("")

const toSlot = ({ slot, usual }: Slot): unknown => (typeof slot === "object" ? { ...slot, usual: toText(usual) } : slot)

const kept = new WeakMap<Markup, SvelteElement>()

/** Svelte skips an element that is the same as before. */
export const toElement = (markup: Markup): SvelteElement => {
  const before = kept.get(markup)
  if (before !== undefined) return before
  const { tag, key, children, isKept, ...part } = markup
  const element = {
    tag,
    key,
    attributes: toProps(part),
    isVoid: tag === "input" || tag === "img",
    children: children.map((child) =>
      typeof child === "string" ? child : isSlot(child) ? toSlot(child) : toElement(child),
    ),
  }
  if (isKept) kept.set(markup, element)
  return element
}

/** A function among the contents is a snippet, which is rendered and not called. */
export const toContent = (contents: object): NonNullable<UploadLooks["content"]> =>
  Object.fromEntries(
    Object.entries(contents).map(([name, snippet]) => [
      name,
      typeof snippet === "function"
        ? (state: UploadState, item?: UploadItem) => ({ key: "snippet", snippet, state, item })
        : snippet,
    ]),
  )
