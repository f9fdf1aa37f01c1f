import type { UploadError } from "../../protocol/errors/upload-error.ts"

/**
 * Whether an error is about code of the page that could not be loaded, by the message of `code-not-loaded.ts`: browsers
 * may remember that failure until a reload.
 */
export const isCodeNotLoaded = ({ code, detail }: UploadError): boolean =>
  code === "NETWORK_ERROR" && detail.startsWith("A part of this page could not be loaded.")
