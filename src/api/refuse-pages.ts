import { UploadError } from "../protocol/errors/upload-error.ts"

/** Whether this is a page in a browser: Node with jsdom, Bun, Deno and edge runtimes are not. */
const isPage = (): boolean => {
  const { document, window, process, Bun, Deno } = globalThis as {
    readonly document?: unknown
    readonly window?: unknown
    readonly process?: { readonly versions?: { readonly node?: string } }
    readonly Bun?: unknown
    readonly Deno?: unknown
  }
  const isServer = process?.versions?.node !== undefined || Bun !== undefined || Deno !== undefined
  return document !== undefined && window !== undefined && !isServer
}

/** Fails: throws an UploadError, INVALID_CONFIG, in a page. */
export const refusePages = (): void => {
  if (!isPage()) return
  throw new UploadError({
    code: "INVALID_CONFIG",
    message:
      "sluice/api holds the app's secret key and belongs on the server, but a page has loaded it. Use sluice/client here, and look for what imports sluice/api.",
  })
}
