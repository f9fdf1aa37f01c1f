import type { ComponentKind } from "./component.ts"
import { describeUploadButton } from "./upload-button.ts"
import { describeUploadDropzone } from "./upload-dropzone.ts"

/** A button, with one line below it. */
export const uploadButton: ComponentKind = { name: "button", mode: "auto", describe: describeUploadButton }

/** An area for dropping files, and their list. */
export const uploadDropzone: ComponentKind = { name: "dropzone", mode: "manual", describe: describeUploadDropzone }

/** Nothing to see: for markup of your own, made of the component's parts. */
export const headless: ComponentKind = { name: "headless", mode: "manual", describe: () => [] }
