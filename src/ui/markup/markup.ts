/** Inline style by CSS property, including custom ones. Numbers only where CSS takes unitless ones. */
export type Style = Readonly<Record<string, string | number>>

/** Names as in HTML: `class`, `aria-label`. `true` sets an attribute without a value, `undefined` and `false` omit it. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | Style | undefined
}

/** Native events by their names: `click`, `drop`. */
export interface Handlers {
  readonly [event: string]: (event: Event) => void
}

/** Attributes and handlers of one element, whatever its tag. */
export interface Part {
  readonly attributes: Attributes
  readonly on: Handlers
}

/** Content from the page that replaces an element: a framework's own node, passed on unchanged. */
export interface Slot {
  readonly key: string
  readonly slot: unknown
  /** The default content, for frameworks that only find out while they render that the page gives none. */
  readonly usual: Markup["children"]
}

/** An element that every framework can render. */
export interface Markup extends Part {
  readonly tag: string
  /** Unique among its siblings, and stable as long as the element is the same. */
  readonly key: string
  readonly children: ReadonlyArray<Markup | Slot | string>
  /** Whether this object stays the same as long as nothing in it changes, so that its rendering can be reused. */
  readonly isKept?: true
}

/** Whether a child is a slot that the page fills, and not an element. */
export const isSlot = (child: Markup | Slot): child is Slot => "slot" in child

/** Describes an element; children that are `undefined` or `false` are left out. */
export const describe = (
  tag: string,
  key: string,
  { attributes = {}, on = {} }: Partial<Part>,
  children: ReadonlyArray<Markup | Slot | string | undefined | false> = [],
): Markup => ({
  tag,
  key,
  attributes,
  on,
  children: children.filter((child) => child !== undefined && child !== false),
})

/** Inline style as text, for frameworks that do not take objects. */
export const toStyleText = (style: Style): string =>
  Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`)
    .join(";")
