import { type Attributes, type Handlers, isSlot, type Markup, type Style } from "../../src/ui.ts"

/** Content of a part: text, nodes of the page, several of them, or nothing. */
export type ElementContent = Node | string | number | null | undefined | ReadonlyArray<ElementContent>

type Child = Markup["children"][number]

/** The result for a child. */
interface Mounted {
  readonly key: string
  readonly child: Child
  readonly nodes: ReadonlyArray<Node>
}

/**
 * The markup that an element was last made from. It is the element's only listener, so that handlers can change without
 * being added again.
 */
class Mount implements EventListenerObject {
  attributes: Attributes = {}
  on: Handlers = {}
  children: ReadonlyArray<Mounted> = []

  handleEvent(event: Event): void {
    this.on[event.type]?.(event)
  }
}

const mounts = new WeakMap<Element, Mount>()

const toProperty = (name: string): string =>
  name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const patchStyle = ({ style }: HTMLElement, before: Style, after: Style): void => {
  for (const name of Object.keys(before)) if (!(name in after)) style.removeProperty(toProperty(name))
  for (const [name, value] of Object.entries(after)) {
    if (before[name] !== value) style.setProperty(toProperty(name), String(value))
  }
}

const isStyle = (value: Attributes[string]): value is Style => typeof value === "object"

const patchAttributes = (element: HTMLElement, before: Attributes, after: Attributes): void => {
  const patch = (name: string) => {
    const old = before[name]
    const value = after[name]
    if (isStyle(old) || isStyle(value)) patchStyle(element, isStyle(old) ? old : {}, isStyle(value) ? value : {})
    else if (old === value) return
    else if (value === undefined || value === false) element.removeAttribute(name)
    // ARIA has no bare attributes: true is a word there.
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value))
  }
  for (const name in before) if (!(name in after)) patch(name)
  for (const name in after) patch(name)
}

const toNodes = (content: ElementContent): ReadonlyArray<Node> => {
  if (content === null || content === undefined) return []
  if (typeof content === "string" || typeof content === "number") return [document.createTextNode(String(content))]
  if (!(content instanceof Node)) return content.flatMap(toNodes)
  return content instanceof DocumentFragment ? [...content.childNodes] : [content]
}

const patchNodes = (before: Mounted | undefined, child: Child): ReadonlyArray<Node> => {
  const old = before?.child
  if (typeof child === "string") {
    if (typeof old !== "string") return [document.createTextNode(child)]
    if (old !== child) (before!.nodes[0] as Text).data = child
    return before!.nodes
  }
  const isSame = typeof old === "object" && isSlot(old) === isSlot(child)
  if (isSlot(child)) {
    const isShown = isSame && (old as typeof child).slot === child.slot
    return isShown ? before!.nodes : toNodes(child.slot as ElementContent)
  }
  const node = patchMarkup(isSame ? (before!.nodes[0] as HTMLElement) : undefined, child)
  return node === before?.nodes[0] ? before.nodes : [node]
}

/** The same object where nothing has changed. */
const patchChild = (before: Mounted | undefined, key: string, child: Child): Mounted =>
  before?.child === child ? before : { key, child, nodes: patchNodes(before, child) }

/** Texts have no keys of their own: the place is theirs. */
const toKey = (child: Child, index: number): string => (typeof child === "string" ? `text ${index}` : child.key)

/**
 * Patches the children of an element. Of thousands of rows usually a few have changed, in their places: then the others are
 * only compared.
 *
 * @returns what there is now, and whether some nodes may not be in it any more
 */
const patchChildren = (before: ReadonlyArray<Mounted>, children: Markup["children"]) => {
  let byKey: ReadonlyMap<string, Mounted> | undefined
  let mayHaveLost = before.length !== children.length
  const after = children.map((child, index) => {
    const key = toKey(child, index)
    const inPlace = before[index]
    const old =
      inPlace?.key === key ? inPlace : (byKey ??= new Map(before.map((mounted) => [mounted.key, mounted]))).get(key)
    const mounted = patchChild(old, key, child)
    mayHaveLost ||= mounted.nodes !== inPlace?.nodes
    return mounted
  })
  return { after, mayHaveLost }
}

/** Puts nodes in order without moving any that is already in place: a moved element loses the focus. */
const place = (parent: Element, children: ReadonlyArray<Mounted>): void => {
  let next = parent.firstChild
  for (const { nodes } of children) {
    for (const node of nodes) {
      if (node === next) next = next.nextSibling
      else parent.insertBefore(node, next)
    }
  }
}

/**
 * Renders an element from its markup; keeps the existing one, and those within, as long as key and tag are the same.
 *
 * @param element the previous result of this function for the markup
 */
export const patchMarkup = (element: HTMLElement | undefined, markup: Markup): HTMLElement => {
  if (element?.localName !== markup.tag) element = document.createElement(markup.tag)
  let mount = mounts.get(element)
  if (mount === undefined) mounts.set(element, (mount = new Mount()))

  patchAttributes(element, mount.attributes, markup.attributes)
  for (const type in markup.on) element.addEventListener(type, mount)
  mount.attributes = markup.attributes
  mount.on = markup.on

  const before = mount.children
  const { after, mayHaveLost } = patchChildren(before, markup.children)
  mount.children = after
  if (mayHaveLost) {
    const nodes = new Set(after.flatMap((mounted) => mounted.nodes))
    for (const old of before) {
      for (const node of old.nodes) if (!nodes.has(node) && node.parentNode === element) element.removeChild(node)
    }
  }
  // Also where nothing has changed: the page may have moved them.
  place(element, after)
  return element
}
