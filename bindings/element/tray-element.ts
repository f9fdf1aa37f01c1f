import { createUploadTray, type Uploads, type UploadTray, type UploadTrayProps } from "../../src/ui.ts"
import { type ElementContent, patchMarkup } from "./patch-markup.ts"

/** `<sluice-tray>`: all uploads of `createUploads()`. */
export interface UploadTrayElement extends HTMLElement {
  /** Those of its class, unless it has its own. */
  uploads: Uploads<any> | undefined
  /** `all`, or those that no element on the page shows: `elsewhere`. Also an attribute. */
  shows: UploadTrayProps["shows"]
  /** Puts the progress into the title of the page. The attribute is `title-progress`. */
  titleProgress: boolean
  /** Replaces some or all of what it says. Set them before the first upload. */
  texts: UploadTrayProps["texts"]
  appearance: UploadTrayProps["appearance"]
  content: UploadTrayProps<ElementContent>["content"]
}

/** The class of a tray. */
export interface UploadTrayElementClass {
  new (): UploadTrayElement
  /** Whose uploads its elements show. When they change the elements begin anew. */
  uploads: Uploads<any> | undefined
}

let count = 0

const kept = ["uploads", "texts", "appearance", "content"] as const

/** Makes the class of an element that shows the tray in the page itself, without a shadow. */
export const generateTrayElement = (shared?: Uploads<any>): UploadTrayElementClass => {
  // A server has no elements, and never makes one of this class.
  const Base = globalThis.HTMLElement ?? Object

  class Tray extends Base {
    static readonly observedAttributes = ["shows", "title-progress", "aria-label"]
    static readonly #connected = new Set<Tray>()
    static #uploads = shared
    static get uploads(): Uploads<any> | undefined {
      return Tray.#uploads
    }
    static set uploads(uploads: Uploads<any> | undefined) {
      Tray.#uploads = uploads
      for (const element of Tray.#connected) element.#begin()
    }

    readonly #id = `sluice-tray-${++count}`
    #own: Uploads<any> | undefined
    #of: Uploads<any> | undefined
    #tray: UploadTray | undefined
    #end: (() => void) | undefined
    #root: HTMLElement | undefined
    #texts: UploadTrayElement["texts"]
    #appearance: UploadTrayElement["appearance"]
    #content: UploadTrayElement["content"]

    constructor() {
      super()
      // What was set before the class was there hides its properties.
      const plain = this as unknown as Record<string, unknown>
      for (const name of [...kept, "shows", "titleProgress"]) {
        if (!Object.hasOwn(plain, name)) continue
        const value = plain[name]
        delete plain[name]
        plain[name] = value
      }
    }

    connectedCallback(): void {
      Tray.#connected.add(this)
      this.#begin()
    }

    disconnectedCallback(): void {
      // Moved elements are back by then.
      queueMicrotask(() => {
        if (this.isConnected) return
        Tray.#connected.delete(this)
        this.#begin()
      })
    }

    attributeChangedCallback(): void {
      this.#render()
    }

    get #tree(): NonElementParentNode {
      const root = this.getRootNode()
      return root instanceof DocumentFragment ? root : document
    }

    #begin(): void {
      const uploads = this.isConnected ? (this.#own ?? Tray.#uploads) : undefined
      if (uploads === this.#of) return
      this.#of = uploads
      this.#end?.()
      this.#end = undefined
      if (uploads === undefined) return
      this.#tray = createUploadTray(uploads, this.#props(), this.#id, () => this.#tree)
      this.#render()
      const unsubscribe = this.#tray.subscribe(() => this.#render())
      const disconnect = this.#tray.connect()
      this.#end = () => {
        unsubscribe()
        disconnect()
      }
    }

    #props(): UploadTrayProps<ElementContent> {
      return {
        "aria-label": this.getAttribute("aria-label") ?? undefined,
        shows: this.shows,
        titleProgress: this.titleProgress,
        texts: this.#texts,
        appearance: this.#appearance,
        content: this.#content,
      }
    }

    #render(): void {
      if (this.#tray === undefined || this.#of === undefined) return
      this.#root = patchMarkup(this.#root, this.#tray.render(this.#props()))
      if (this.#root.parentNode !== this) this.replaceChildren(this.#root)
    }

    get uploads(): Uploads<any> | undefined {
      return this.#own ?? Tray.#uploads
    }
    set uploads(uploads: Uploads<any> | undefined) {
      this.#own = uploads
      this.#begin()
    }
    get shows(): UploadTrayProps["shows"] {
      return this.getAttribute("shows") === "elsewhere" ? "elsewhere" : "all"
    }
    set shows(shows: UploadTrayProps["shows"]) {
      this.setAttribute("shows", shows ?? "all")
    }
    get titleProgress(): boolean {
      return this.hasAttribute("title-progress")
    }
    set titleProgress(isWanted: boolean) {
      this.toggleAttribute("title-progress", isWanted)
    }
    get texts(): UploadTrayElement["texts"] {
      return this.#texts
    }
    set texts(texts: UploadTrayElement["texts"]) {
      this.#texts = texts
      this.#render()
    }
    get appearance(): UploadTrayElement["appearance"] {
      return this.#appearance
    }
    set appearance(appearance: UploadTrayElement["appearance"]) {
      this.#appearance = appearance
      this.#render()
    }
    get content(): UploadTrayElement["content"] {
      return this.#content
    }
    set content(content: UploadTrayElement["content"]) {
      this.#content = content
      this.#render()
    }
  }
  return Tray
}
