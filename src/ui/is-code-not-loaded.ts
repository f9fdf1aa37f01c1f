import type { UploadError } from "../protocol/upload-error.ts"

/** Whether an error is about code of the page, as `code-not-loaded.ts` words it: browsers may remember that until a reload. */
export const isCodeNotLoaded = ({ code, detail }: UploadError): boolean =>
  code === "NETWORK_ERROR" && /^The code that .* could not be loaded\./.test(detail)
