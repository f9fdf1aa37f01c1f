import { camelize, h, type Slots, toHandlers, type VNodeChild } from "vue"
import { type Content, isSlot, type Markup, type Part, type UploadItem, type UploadState } from "../../src/ui.ts"

/** Attributes and listeners of an element, for `v-bind`. */
export interface ElementProps {
  readonly [name: string]: unknown
}

/** What stands in the parts, by slots: `allowed-content` is `allowedContent`. */
export const toContent = (slots: Slots): Content<VNodeChild> =>
  Object.fromEntries(
    Object.entries(slots).map(([name, slot]) => [
      camelize(name),
      (state: UploadState, item?: UploadItem) => slot?.({ state, item }),
    ]),
  )

/** Attributes and listeners under Vue's names. */
export const toProps = ({ attributes, on }: Part): ElementProps => ({ ...attributes, ...toHandlers(on) })

/** Renders what stands in an element. */
export const toChildren = ({ children }: Markup): Array<VNodeChild> =>
  children.map((child) =>
    typeof child === "string"
      ? child
      : isSlot(child)
        ? (child.slot as VNodeChild)
        : h(child.tag, { key: child.key, ...toProps(child) }, toChildren(child)),
  )
