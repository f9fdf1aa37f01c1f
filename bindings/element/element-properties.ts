import type { UploadElementAttributes, UploadElementProperties } from "./upload-element.ts"

type AttributeName = keyof UploadElementAttributes<any, any>

/** What is kept by property alone, and what is JSON as an attribute: there the property wins. */
export type ElementValues = Partial<UploadElementProperties<any>> & {
  readonly input?: unknown
  readonly initialFiles?: unknown
}

const texts = ["endpoint", "url", "name"] as const satisfies ReadonlyArray<AttributeName>
const flags = [
  "paste",
  "folder",
  "disabled",
  "required",
  "uploadOnSubmit",
  "reorder",
  "rename",
] as const satisfies ReadonlyArray<AttributeName>
const json = ["input", "initialFiles"] as const satisfies ReadonlyArray<AttributeName>
const kept = [
  "headers",
  "appearance",
  "content",
  "config",
  "texts",
  "resumeStore",
  "uploads",
] as const satisfies ReadonlyArray<keyof ElementValues>

const propertyNames: ReadonlyArray<AttributeName> = [
  ...texts,
  ...flags,
  ...json,
  "credentials",
  "mode",
  "previews",
  "pageDrop",
  "capture",
]

/** `uploadOnSubmit` → `upload-on-submit`. */
const toAttribute = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Attributes an element follows. */
export const attributeNames: ReadonlyArray<string> = propertyNames.map(toAttribute)

const values = new WeakMap<Element, ElementValues>()

/** What was set on an element by property. */
export const readValues = (element: Element): ElementValues => values.get(element) ?? {}

type JsonName = (typeof json)[number]

const parseAttribute = (element: Element, name: JsonName): unknown => {
  const text = element.getAttribute(toAttribute(name))
  return text === null ? undefined : JSON.parse(text)
}

/** The first attribute that should be JSON and is not, and why. */
export const findWrongJson = (element: Element): { readonly name: string; readonly message: string } | undefined => {
  for (const name of json) {
    if (readValues(element)[name] !== undefined) continue
    try {
      parseAttribute(element, name)
    } catch (error) {
      return { name: toAttribute(name), message: (error as Error).message }
    }
  }
  return undefined
}

const readJson = (element: Element, name: JsonName): unknown => {
  const value = readValues(element)[name]
  if (value !== undefined) return value
  try {
    return parseAttribute(element, name)
  } catch {
    return undefined
  }
}

type Get = (element: Element) => unknown
type Set = (element: Element, value: any) => void

const setText =
  (name: string): Set =>
  (element, value) => {
    if (value === undefined || value === null) element.removeAttribute(name)
    else element.setAttribute(name, String(value))
  }

const setValue =
  (name: string, changed: (element: Element) => void): Set =>
  (element, value) => {
    values.set(element, { ...values.get(element), [name]: value })
    changed(element)
  }

const readMode: Get = (element) => ["auto", "manual"].find((mode) => mode === element.getAttribute("mode"))

const readPreviews: Get = (element) =>
  ["thumbnail", "grid", "none"].find((previews) => previews === element.getAttribute("previews"))

const readCapture: Get = (element) =>
  ["user", "environment"].find((capture) => capture === element.getAttribute("capture"))

const readCredentials: Get = (element) =>
  ["include", "same-origin", "omit"].find((credentials) => credentials === element.getAttribute("credentials"))

/** The bare attribute is `true`. */
const readPageDrop: Get = (element) => {
  const name = element.getAttribute("page-drop")
  return name === null ? false : name === "" || name
}

/**
 * Gives a class the properties of an element; most reflect an attribute.
 *
 * @param changed called when one has changed that does not
 */
export const defineProperties = (prototype: object, changed: (element: Element) => void): void => {
  const define = (name: string, get: Get, set: Set) =>
    Object.defineProperty(prototype, name, {
      get(this: Element) {
        return get(this)
      },
      set(this: Element, value: unknown) {
        set(this, value)
      },
      enumerable: true,
      configurable: true,
    })
  for (const name of texts) define(name, (element) => element.getAttribute(name) ?? "", setText(name))
  define("mode", readMode, setText("mode"))
  define("previews", readPreviews, setText("previews"))
  define("capture", readCapture, setText("capture"))
  define("credentials", readCredentials, setText("credentials"))
  define("pageDrop", readPageDrop, (element, value) =>
    setText("page-drop")(element, value === false ? undefined : value === true ? "" : value),
  )
  for (const name of flags) {
    define(
      name,
      (element) => element.hasAttribute(toAttribute(name)),
      (element, value) => element.toggleAttribute(toAttribute(name), Boolean(value)),
    )
  }
  for (const name of kept) define(name, (element) => readValues(element)[name], setValue(name, changed))
  for (const name of json) define(name, (element) => readJson(element, name), setValue(name, changed))
}

/** Sets again what was set before the class was there and hides its properties. */
export const upgradeProperties = (element: HTMLElement): void => {
  const plain = element as unknown as Record<string, unknown>
  for (const name of [...propertyNames, ...kept, "value"]) {
    if (!Object.hasOwn(plain, name)) continue
    const value = plain[name]
    delete plain[name]
    plain[name] = value
  }
}
