import { parseXml, XmlElement, XmlText } from "@rgrove/parse-xml"

/** An element of an answer of S3: the few questions that are asked about it. */
export interface Answered {
  /** Without the prefix of its namespace. */
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

const toLocalName = ({ name }: XmlElement): string => name.slice(name.indexOf(":") + 1)

const toAnswered = (element: XmlElement): Answered => {
  const named = (name: string) =>
    element.children.filter((child) => child instanceof XmlElement && toLocalName(child) === name) as Array<XmlElement>
  return {
    name: toLocalName(element),
    text: (name) => {
      const [child] = named(name)
      return child === undefined ? "" : textOf(child)
    },
    all: (name) => named(name).map(toAnswered),
  }
}

/** Most tags of an answer that is read: a list of 1,000 entries with 14 elements each has 28,000 and a few. */
const mostTags = 50_000

const hasTooManyTags = (text: string): boolean => {
  let count = 0
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) if (++count > mostTags) return true
  return false
}

/**
 * Reads an answer. No entity but the five of XML is ever replaced, and no document type is read.
 *
 * Fails: undefined for what is not well-formed, and for what has so many elements that to read them would hold up the process.
 */
export const parseAnswer = (text: string): Answered | undefined => {
  if (hasTooManyTags(text)) return undefined
  try {
    // A server may send white space while it works, in order that the connection does not end.
    const { root } = parseXml(text.trim())
    return root === null ? undefined : toAnswered(root)
  } catch {
    return undefined
  }
}

/** Whether an answer may be a failure, whatever its status says: the tag may have attributes, and the prefix of a namespace. */
export const mayBeError = (text: string): boolean => /<(?:[\w.-]+:)?Error[\s/>]/.test(text)

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Text as it stands in XML that we send. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]!)
