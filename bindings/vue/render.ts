import { camelize, h, type Slots, toHandlers, type VNode, type VNodeChild } from "vue"
import { type Content, isSlot, type Markup, type Part, type UploadItem, type UploadState } from "../../src/ui.ts"

/** Attributes and listeners of an element, for `v-bind`. */
export interface ElementProps {
  readonly [name: string]: unknown
}

/** The contents of parts, from slots: `allowed-content` is `allowedContent`. */
export const toContent = (slots: Slots): Content<VNodeChild> =>
  Object.fromEntries(
    Object.entries(slots).map(([name, slot]) => [
      camelize(name),
      (state: UploadState, item?: UploadItem) => slot?.({ state, item }),
    ]),
  )

/** Attributes and listeners under Vue's names. */
export const toProps = ({ attributes, on }: Part): ElementProps => ({ ...attributes, ...toHandlers(on) })

/** Renders the children of an element. */
export type RenderChildren = (markup: Markup) => Array<VNodeChild>

/**
 * Makes the renderer of one component: its nodes are in one place of the page. Vue skips a node that is the same as before,
 * if it is marked as `v-memo` marks it; others it copies.
 */
export const createRenderer = (): RenderChildren => {
  const kept = new WeakMap<Markup, VNode>()
  const toNode = (markup: Markup): VNode => {
    const before = kept.get(markup)
    if (before !== undefined) return before
    const node = h(markup.tag, { key: markup.key, ...toProps(markup) }, toChildren(markup))
    if (markup.isKept) kept.set(markup, Object.assign(node, { memo: [] }))
    return node
  }
  const toChildren: RenderChildren = ({ children }) =>
    children.map((child) =>
      typeof child === "string" ? child : isSlot(child) ? (child.slot as VNodeChild) : toNode(child),
    )
  return toChildren
}
