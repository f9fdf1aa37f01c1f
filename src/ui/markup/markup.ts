/** Inline style by CSS property, custom ones too. Numbers only where CSS takes bare ones. */
export type Style = Readonly<Record<string, string | number>>

/** Names as in HTML: `class`, `aria-label`. `true` sets a bare attribute, `undefined` and `false` leave it out. */
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

/** Something the page gave to be shown in an element's place: a framework's own node, passed on as it is. */
export interface Slot {
  readonly key: string
  readonly slot: unknown
  /** What stands there where nothing is given, for frameworks that find that out only while they render. */
  readonly usual: Markup["children"]
}

/** An element as every framework can render it. */
export interface Markup extends Part {
  readonly tag: string
  /** Unique among its siblings, and the same as long as it is the same thing. */
  readonly key: string
  readonly children: ReadonlyArray<Markup | Slot | string>
  /** Whether it is this very object again as long as nothing of it changes: what was made of it can be kept. */
  readonly isKept?: true
}

/** Whether a child is a place that the page fills, and no element. */
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

/** Inline style as text, for those who have no objects for it. */
export const toStyleText = (style: Style): string =>
  Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`)
    .join(";")
