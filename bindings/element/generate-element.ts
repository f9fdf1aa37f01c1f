import {
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  findRequiredProblem,
  listKeys,
  type Markup,
  type TypedFileRouter,
  type UntypedFileRouter,
  type UploadActions,
  type UploadComponent,
  type UploadComponentProps,
  type UploadSetup,
  type UploadSetupOptions,
  type UploadState,
} from "../../src/ui.ts"
import { toEvents } from "./element-events.ts"
import { describeMistake, findMistake } from "./element-mistake.ts"
import { attributeNames, defineProperties, readValues, upgradeProperties } from "./element-properties.ts"
import { describeElement, readNames } from "./element-name.ts"
import { createFormValue } from "./form-value.ts"
import { type ElementContent, patchMarkup } from "./patch-markup.ts"
import type { UploadElement } from "./upload-element.ts"

/** The class of an element. */
export interface UploadElementClass<Router extends TypedFileRouter> {
  new <Slug extends keyof Router & string>(): UploadElement<Router, Slug>
  /** Options shared by its elements. When they change, the elements start over. */
  setup: UploadSetupOptions
}

/** A component, and its options that cannot change any more. */
interface Made {
  readonly setup: UploadSetup<TypedFileRouter>
  readonly of: ReadonlyArray<unknown>
  readonly component: UploadComponent
  readonly forget: () => void
  readonly isOwn: boolean
}

/** The actions of elements, under the names of their component's. */
const actions = [
  "preload",
  "addFiles",
  "removeFile",
  "removeFinished",
  "clear",
  "reset",
  "undo",
  "forgetRemoved",
  "moveFile",
  "renameFile",
  "startUpload",
  "pauseUpload",
  "resumeUpload",
  "abortUpload",
  "continueInterrupted",
  "discardInterrupted",
  "retryNow",
  "continueWith",
  "answerOtherFile",
] as const satisfies ReadonlyArray<keyof UploadActions<any>>

const count: Record<string, number> = {}

const toPartName = (slot: string): string => slot.replace(/-[a-z]/g, ([, letter]) => letter!.toUpperCase())

/** The file input's own events would be mistaken for those of the element. */
const hideInput = (markup: Markup): Markup => {
  const stop = (event: Event) => {
    const { parentNode, type } = event.target as HTMLInputElement
    if (parentNode === event.currentTarget && type === "file") event.stopPropagation()
  }
  return { ...markup, on: { ...markup.on, input: stop, change: stop } }
}

/** Makes the class of an element that shows a component in the page itself, without a shadow. */
export const generateElement = <Router extends TypedFileRouter = UntypedFileRouter>(
  kind: ComponentKind,
  options: UploadSetupOptions = {},
): UploadElementClass<Router> => {
  const formKind: ComponentKind = { ...kind, isFormAssociated: true, findProblem: findRequiredProblem }
  // A server has no elements, and never makes one of this class.
  const Base = globalThis.HTMLElement ?? Object

  class Upload extends Base {
    static readonly formAssociated = true
    static readonly observedAttributes = [...attributeNames, "aria-label", "aria-labelledby"]
    static readonly #shown = new Set<Upload>()
    static #setup = options

    static get setup(): UploadSetupOptions {
      return Upload.#setup
    }
    static set setup(setup: UploadSetupOptions) {
      Upload.#setup = setup
      for (const element of Upload.#shown) element.#update()
    }

    readonly #internals = this.attachInternals?.()
    readonly #setFormValue = createFormValue(this as unknown as UploadElement, this.#internals)
    readonly #events = toEvents(this)
    readonly #id = `${this.localName}-${(count[this.localName] = (count[this.localName] ?? 0) + 1)}`
    readonly #children = new MutationObserver(() => this.#update())
    readonly #slots: Record<string, ReadonlyArray<Node>> = {}
    #made: Made | undefined
    #disconnect: (() => void) | undefined
    #root: HTMLElement | undefined
    #isFormDisabled = false
    #isStale = false
    #value: ReadonlyArray<string> | undefined
    #mistake: string | undefined
    #isToldInvalid = false

    constructor() {
      super()
      // Only a click on its `<label>` counts for the element itself.
      this.addEventListener?.("click", ({ target }) => {
        if (target === this) this.focus()
      })
      this.addEventListener?.("invalid", () => {
        this.#isToldInvalid = true
        this.#update()
      })
      upgradeProperties(this)
      this.#children.observe(this, { childList: true })
    }

    connectedCallback(): void {
      this.#update()
    }

    /** An element that is being moved is back before the update. */
    disconnectedCallback(): void {
      this.#update()
    }

    attributeChangedCallback(): void {
      this.#update()
    }

    formDisabledCallback(isDisabled: boolean): void {
      this.#isFormDisabled = isDisabled
      this.#update()
    }

    formResetCallback(): void {
      this.#isToldInvalid = false
      this.#live.reset()
    }

    /**
     * Updates the page after all changes of the element. For the first time a task later: Angular sets properties after it has
     * put an element into the page.
     */
    #update(): void {
      if (this.#isStale) return
      this.#isStale = true
      const soon = this.#root === undefined ? setTimeout : queueMicrotask
      soon(() => {
        this.#isStale = false
        if (this.isConnected) return this.#render()
        this.#leave()
        Upload.#shown.delete(this)
      })
    }

    get #tree(): NonElementParentNode {
      const root = this.getRootNode()
      return root instanceof DocumentFragment ? root : document
    }

    #leave(): void {
      this.#disconnect?.()
      this.#disconnect = undefined
    }

    /** Focuses its main button. */
    override focus(options?: FocusOptions): void {
      this.querySelector<HTMLElement>("[data-sluice=button]")?.focus(options)
    }

    #options(): UploadComponentProps<TypedFileRouter, string, ElementContent> {
      const {
        endpoint,
        mode,
        paste,
        folder,
        previews,
        pageDrop,
        disabled,
        input,
        name,
        required,
        uploadOnSubmit,
        initialFiles,
        reorder,
        rename,
        capture,
      } = this as unknown as UploadElement
      const { headers, appearance, content, config, resumeStore, uploads } = readValues(this)
      return {
        ...this.#events,
        ...readNames(this, this.#internals),
        // Whether the stored files are a form's value.
        ...({ name } as object),
        endpoint,
        input,
        headers,
        resumeStore,
        uploads,
        appearance,
        content: { ...this.#slots, ...content },
        disabled: disabled || this.#isFormDisabled,
        name: name === "" ? undefined : name,
        required,
        initialFiles,
        value: this.#value,
        config: {
          ...config,
          mode: mode ?? config?.mode,
          appendOnPaste: paste || config?.appendOnPaste,
          folder: folder || config?.folder,
          uploadOnSubmit: uploadOnSubmit || config?.uploadOnSubmit,
          previews: previews ?? config?.previews,
          reorder: reorder || config?.reorder,
          rename: rename || config?.rename,
          capture: capture ?? config?.capture,
          dropOnPage: pageDrop || config?.dropOnPage,
        },
      }
    }

    /** The component, with the latest options. */
    get #live(): UploadComponent {
      const { texts, uploads } = readValues(this)
      const { credentials } = this as unknown as UploadElement
      const url = this.getAttribute("url") ?? undefined
      const of = [Upload.setup, url, credentials, texts, uploads]
      if (this.#made?.of.some((value, index) => value !== of[index])) {
        this.#leave()
        this.#made.forget()
        // Files that it has handed over continue.
        if (this.#made.isOwn) this.#made.component.clear()
        this.#made = undefined
      }
      if (this.#made === undefined) {
        const setup = createUploadSetup<TypedFileRouter>({
          ...Upload.setup,
          ...(url !== undefined && { url }),
          ...(credentials !== undefined && { credentials }),
          texts: { ...Upload.setup.texts, ...texts },
        })
        const component = createUploadComponent(setup, formKind, this.#options(), this.#id, () => this.#tree)
        const forget = component.subscribe(() => this.#changed())
        const isOwn = (uploads ?? Upload.setup.uploads) === undefined
        this.#made = { setup, of, component, forget, isOwn }
      } else this.#made.component.setOptions(this.#options())
      return this.#made.component
    }

    #changed(): void {
      this.#tellForm()
      this.#update()
    }

    #tellForm(): void {
      const { component } = this.#made!
      this.#setFormValue(component.getState(), component.problem())
    }

    /** Children with a `slot` become the part of that name. */
    #takeSlots(): void {
      for (const child of this.querySelectorAll(":scope > [slot]")) {
        const name = toPartName(child.slot)
        this.#slots[name] = [...(this.#slots[name] ?? []), child]
      }
    }

    #render(): void {
      Upload.#shown.add(this)
      this.#takeSlots()
      const mistake = findMistake(this as unknown as UploadElement)
      if (mistake !== undefined && mistake !== this.#mistake) console.error(mistake)
      this.#mistake = mistake
      const component = this.#live
      if (mistake === undefined) this.#disconnect ??= component.connect()
      this.#root = patchMarkup(
        this.#root,
        mistake === undefined ? hideInput(this.#toOwn(component.render(this.#options()))) : describeMistake(mistake),
      )
      if (this.#root.parentNode !== this) this.append(this.#root)
      // Other content of the element was a placeholder while there was no script.
      for (const node of [...this.childNodes]) if (node !== this.#root) node.remove()
      this.#tellForm()
      const { required } = this as unknown as UploadElement
      describeElement(this.#internals, readNames(this, this.#internals), required, this.#isToldInvalid)
    }

    /** The element is the group itself. */
    #toOwn(markup: Markup): Markup {
      if (this.#internals === undefined) return markup
      const { role, "aria-label": label, "aria-labelledby": labelledBy, ...attributes } = markup.attributes
      return { ...markup, attributes }
    }

    get state(): UploadState {
      return this.#live.getState()
    }
    get files(): UploadState["files"] {
      return this.state.files
    }
    get value(): ReadonlyArray<string> {
      return listKeys(this.files)
    }
    set value(keys: ReadonlyArray<string>) {
      this.#value = [...keys]
      this.#live.setOptions(this.#options())
      this.#value = undefined
    }
    get form(): HTMLFormElement | null {
      return this.#internals?.form ?? null
    }
    get validity(): ValidityState | undefined {
      return this.#internals?.validity
    }
    get validationMessage(): string {
      return this.#internals?.validationMessage ?? ""
    }
    checkValidity(): boolean {
      return this.#internals?.checkValidity() ?? true
    }
    reportValidity(): boolean {
      return this.#internals?.reportValidity() ?? true
    }

    static {
      for (const name of actions) {
        Object.defineProperty(this.prototype, name, {
          value(this: Upload, ...args: ReadonlyArray<never>): unknown {
            return (this.#live[name] as (...args: ReadonlyArray<never>) => unknown)(...args)
          },
          configurable: true,
          writable: true,
        })
      }
      defineProperties(this.prototype, (element) => (element as Upload).#update())
    }
  }
  return Upload as unknown as UploadElementClass<Router>
}
