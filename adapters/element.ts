import { type TypedFileRouter, uploadButton, uploadDropzone, type UploadSetupOptions } from "../src/ui.ts"
import { generateElement, type UploadElementClass } from "./element/generate-element.ts"
import type { UploadElement } from "./element/upload-element.ts"

export * from "../src/ui.ts"
export type { UploadElementClass } from "./element/generate-element.ts"
export type { ElementContent } from "./element/patch-markup.ts"
export type {
  UploadElement,
  UploadElementAttributes,
  UploadElementDetails,
  UploadElementEvents,
  UploadElementProperties,
} from "./element/upload-element.ts"

declare global {
  interface HTMLElementTagNameMap {
    "sluice-button": UploadElement
    "sluice-dropzone": UploadElement
  }
}

/** `customElements.define("avatar-button", generateUploadButton<typeof router>({ url }))`: then `<avatar-button endpoint="avatar">`. */
export const generateUploadButton = <Router extends TypedFileRouter>(
  options?: UploadSetupOptions,
): UploadElementClass<Router> => generateElement(uploadButton, options)

/** `customElements.define("photo-dropzone", generateUploadDropzone<typeof router>({ url }))`: then `<photo-dropzone endpoint="photos">`. */
export const generateUploadDropzone = <Router extends TypedFileRouter>(
  options?: UploadSetupOptions,
): UploadElementClass<Router> => generateElement(uploadDropzone, options)

/** What elements share, and what their names begin with. */
export interface DefineElementsOptions extends UploadSetupOptions {
  /** Default `sluice`: `<sluice-button>`, `<sluice-dropzone>`. */
  readonly prefix?: string | undefined
}

/**
 * Defines `<sluice-button>` and `<sluice-dropzone>`, or gives them another setup if they are there: whoever imports this
 * module has them, and need not call it. On a server it does nothing.
 *
 * They render into the page itself, not into a shadow: the one stylesheet, classes and `[data-sluice]` selectors reach
 * everything in them. Inside another element's shadow they want the stylesheet there.
 */
export const defineElements = ({ prefix = "sluice", ...setup }: DefineElementsOptions = {}): void => {
  if (globalThis.customElements === undefined) return
  for (const kind of [uploadButton, uploadDropzone]) {
    const name = `${prefix}-${kind.name}`
    const defined = customElements.get(name) as Partial<UploadElementClass<TypedFileRouter>> | undefined
    if (defined === undefined) {
      customElements.define(name, generateElement(kind, setup))
    } else if (Object.keys(setup).length > 0) defined.setup = setup
  }
}

defineElements()
