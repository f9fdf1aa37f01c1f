import { parseXml, XmlElement, XmlText } from "@rgrove/parse-xml"

/** An element of an answer of S3: the few questions that are asked about it. */
export interface Answered {
  readonly name: string
  /** The text of the first child of this name; "" where there is none. */
  readonly text: (name: string) => string
  /** All children of this name. */
  readonly all: (name: string) => ReadonlyArray<Answered>
}

const textOf = (element: XmlElement): string => {
  let text = ""
  for (const child of element.children) if (child instanceof XmlText) text += child.text
  return text
}

const toAnswered = (element: XmlElement): Answered => {
  const named = (name: string) =>
    element.children.filter((child) => child instanceof XmlElement && child.name === name) as Array<XmlElement>
  return {
    name: element.name,
    text: (name) => {
      const [child] = named(name)
      return child === undefined ? "" : textOf(child)
    },
    all: (name) => named(name).map(toAnswered),
  }
}

/**
 * Reads an answer. No entity but the five of XML is ever replaced, and no document type is read.
 *
 * Fails: undefined for what is not well-formed.
 */
export const parseAnswer = (text: string): Answered | undefined => {
  try {
    // A server may send white space while it works, in order that the connection does not end.
    const { root } = parseXml(text.trim())
    return root === null ? undefined : toAnswered(root)
  } catch {
    return undefined
  }
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Text as it stands in XML that we send. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]!)
