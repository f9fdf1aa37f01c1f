import type { UploadElementAttributes, UploadElementProperties } from "./upload-element.ts"

type AttributeName = keyof UploadElementAttributes<any, any>

/** What is kept by property alone, and `input`, whose property wins over its attribute. */
export type ElementValues = Partial<UploadElementProperties<any>> & { readonly input?: unknown }

const texts = ["endpoint", "url", "name"] as const satisfies ReadonlyArray<AttributeName>
const flags = ["paste", "folder", "disabled", "required"] as const satisfies ReadonlyArray<AttributeName>
const kept = ["headers", "appearance", "content", "config", "texts", "sessions"] as const satisfies ReadonlyArray<
  keyof ElementValues
>

/** Attributes an element follows. */
export const attributeNames: ReadonlyArray<AttributeName> = [...texts, ...flags, "mode", "input"]

const values = new WeakMap<Element, ElementValues>()

/** What was set on an element by property. */
export const readValues = (element: Element): ElementValues => values.get(element) ?? {}

/** The `input` attribute. Fails: throws a SyntaxError where it is not JSON. */
export const parseInput = (element: Element): unknown => {
  const json = element.getAttribute("input")
  return json === null ? undefined : JSON.parse(json)
}

const readInput = (element: Element): unknown => {
  const { input } = readValues(element)
  if (input !== undefined) return input
  try {
    return parseInput(element)
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
  for (const name of flags) {
    define(
      name,
      (element) => element.hasAttribute(name),
      (element, value) => element.toggleAttribute(name, Boolean(value)),
    )
  }
  for (const name of kept) define(name, (element) => readValues(element)[name], setValue(name, changed))
  define("input", readInput, setValue("input", changed))
}

/** Sets again what was set before the class was there and hides its properties. */
export const upgradeProperties = (element: HTMLElement): void => {
  const plain = element as unknown as Record<string, unknown>
  for (const name of [...attributeNames, ...kept]) {
    if (!Object.hasOwn(plain, name)) continue
    const value = plain[name]
    delete plain[name]
    plain[name] = value
  }
}
