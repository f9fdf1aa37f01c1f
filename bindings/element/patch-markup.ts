import { type Attributes, type Handlers, isSlot, type Markup, type Style } from "../../src/ui.ts"

/** What can stand in a part: text, nodes of the page, several of them, or nothing. */
export type ElementContent = Node | string | number | null | undefined | ReadonlyArray<ElementContent>

type Child = Markup["children"][number]

/** What a child became. */
interface Mounted {
  readonly child: Child
  readonly nodes: ReadonlyArray<Node>
}

/** What an element was made of last. Is its one listener, so that handlers change without being added anew. */
class Mount implements EventListenerObject {
  attributes: Attributes = {}
  on: Handlers = {}
  children: ReadonlyMap<string, Mounted> = new Map()

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
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name], after[name]]
    if (isStyle(old) || isStyle(value)) patchStyle(element, isStyle(old) ? old : {}, isStyle(value) ? value : {})
    else if (old === value) continue
    else if (value === undefined || value === false) element.removeAttribute(name)
    // ARIA has no bare attributes: true is a word there.
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value))
  }
}

const toNodes = (content: ElementContent): ReadonlyArray<Node> => {
  if (content === null || content === undefined) return []
  if (typeof content === "string" || typeof content === "number") return [document.createTextNode(String(content))]
  if (!(content instanceof Node)) return content.flatMap(toNodes)
  return content instanceof DocumentFragment ? [...content.childNodes] : [content]
}

const patchChild = (before: Mounted | undefined, child: Child): Mounted => {
  const old = before?.child
  if (typeof child === "string") {
    if (typeof old !== "string") return { child, nodes: [document.createTextNode(child)] }
    if (old !== child) (before!.nodes[0] as Text).data = child
    return { child, nodes: before!.nodes }
  }
  if (old === child) return before!
  const isSame = typeof old === "object" && isSlot(old) === isSlot(child)
  if (isSlot(child)) {
    const isShown = isSame && (old as typeof child).slot === child.slot
    return { child, nodes: isShown ? before!.nodes : toNodes(child.slot as ElementContent) }
  }
  return { child, nodes: [patchMarkup(isSame ? (before!.nodes[0] as HTMLElement) : undefined, child)] }
}

/** Puts nodes into their order, moving none that stands right: a moved element loses the focus. */
const place = (parent: Element, nodes: ReadonlySet<Node>): void => {
  let next = parent.firstChild
  for (const node of nodes) {
    if (node === next) next = next.nextSibling
    else parent.insertBefore(node, next)
  }
}

/**
 * Makes an element as its markup says; keeps the one that is there, and those within, as long as key and tag are the same.
 *
 * @param element what this function made of the markup before
 */
export const patchMarkup = (element: HTMLElement | undefined, markup: Markup): HTMLElement => {
  if (element?.localName !== markup.tag) element = document.createElement(markup.tag)
  let mount = mounts.get(element)
  if (mount === undefined) mounts.set(element, (mount = new Mount()))

  patchAttributes(element, mount.attributes, markup.attributes)
  for (const type of Object.keys(markup.on)) element.addEventListener(type, mount)
  mount.attributes = markup.attributes
  mount.on = markup.on

  const before = mount.children
  mount.children = new Map(
    markup.children.map((child, index) => {
      const key = typeof child === "string" ? `text ${index}` : child.key
      return [key, patchChild(before.get(key), child)]
    }),
  )
  const nodes = new Set([...mount.children.values()].flatMap((mounted) => mounted.nodes))
  for (const old of before.values()) {
    for (const node of old.nodes) if (!nodes.has(node) && node.parentNode === element) element.removeChild(node)
  }
  place(element, nodes)
  return element
}
