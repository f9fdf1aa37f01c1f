import {
  type TypedFileRouter,
  type UntypedFileRouter,
  uploadAvatar,
  uploadButton,
  uploadDropzone,
  type Uploads,
  type UploadSetupOptions,
} from "../src/ui.ts"
import { generateElement, type UploadElementClass } from "./element/generate-element.ts"
import { generateTrayElement, type UploadTrayElement, type UploadTrayElementClass } from "./element/tray-element.ts"
import type { UploadElement } from "./element/upload-element.ts"

export * from "../src/ui.ts"
export type { UploadElementClass } from "./element/generate-element.ts"
export type { UploadTrayElement, UploadTrayElementClass } from "./element/tray-element.ts"
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
    "sluice-avatar": UploadElement
    "sluice-tray": UploadTrayElement
  }
}

/** `customElements.define("avatar-button", generateUploadButton<typeof router>({ url }))`: then `<avatar-button endpoint="avatar">`. */
export const generateUploadButton = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
): UploadElementClass<Router> => generateElement(uploadButton, options)

/** `customElements.define("photo-dropzone", generateUploadDropzone<typeof router>({ url }))`: then `<photo-dropzone endpoint="photos">`. */
export const generateUploadDropzone = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
): UploadElementClass<Router> => generateElement(uploadDropzone, options)

/** `customElements.define("user-avatar", generateUploadAvatar<typeof router>({ url }))`: then `<user-avatar endpoint="avatar">`. */
export const generateUploadAvatar = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
): UploadElementClass<Router> => generateElement(uploadAvatar, options)

/** `customElements.define("photo-tray", generateUploadTray(uploads))`: then `<photo-tray>`, outside of what a router replaces. */
export const generateUploadTray = (uploads?: Uploads<any>): UploadTrayElementClass => generateTrayElement(uploads)

/** Options shared by all elements, and the prefix of their names. */
export interface DefineElementsOptions extends UploadSetupOptions {
  /** Default `sluice`: `<sluice-button>`, `<sluice-dropzone>`, `<sluice-avatar>`. */
  readonly prefix?: string | undefined
}

/**
 * Defines `<sluice-button>`, `<sluice-dropzone>`, `<sluice-avatar>` and `<sluice-tray>`, or gives existing ones
 * another setup. Importing this module already defines them, so there is no need to call it. On a server it does
 * nothing.
 *
 * They render into the page itself, not into a shadow root: the one stylesheet, classes and `[data-sluice]` selectors
 * reach everything in them. Inside another element's shadow root they need the stylesheet there.
 */
export const defineElements = ({ prefix = "sluice", ...setup }: DefineElementsOptions = {}): void => {
  if (globalThis.customElements === undefined) return
  for (const kind of [uploadButton, uploadDropzone, uploadAvatar]) {
    const name = `${prefix}-${kind.name}`
    const defined = customElements.get(name) as Partial<UploadElementClass<TypedFileRouter>> | undefined
    if (defined === undefined) {
      customElements.define(name, generateElement(kind, setup))
    } else if (Object.keys(setup).length > 0) defined.setup = setup
  }
  const tray = `${prefix}-tray`
  const defined = customElements.get(tray) as Partial<UploadTrayElementClass> | undefined
  const uploads = setup.uploads as Uploads | undefined
  if (defined === undefined) customElements.define(tray, generateTrayElement(uploads))
  else if (uploads !== undefined) defined.uploads = uploads
}

defineElements()
