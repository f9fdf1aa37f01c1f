import type { Json } from "../protocol/json.ts"
import type { PresignedUpload, UploadRequest } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { type Fetch, fetchReply, readReply } from "./reply.ts"
import { retry, type RetryOptions } from "./retry.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** Headers for the route handler, or a function asked before each request: for tokens that expire. */
export type UploadHeaders = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/** What asking the route handler takes. */
export interface UrlRequestOptions {
  /** Where the route handler is; relative to the page where there is one. */
  readonly url: string | URL | undefined
  readonly slug: string
  readonly files: ReadonlyArray<UploadableFile>
  readonly input: unknown
  /** Later ones win. */
  readonly headers: ReadonlyArray<UploadHeaders | undefined>
  readonly fetch: Fetch
  readonly retry: RetryOptions
  readonly signal: AbortSignal
}

const toActionUrl = (url: string | URL = names.adapterPath, slug: string): string => {
  const base = globalThis.location?.href
  if (!URL.canParse(url, base)) {
    throw new UploadError({
      code: "INVALID_CONFIG",
      message: `The uploader's \`url\` (${url}) is not absolute, and there is no page it could be relative to. Outside the browser give \`url: "https://your.app${names.adapterPath}"\`.`,
    })
  }
  const action = new URL(url, base)
  action.searchParams.set(names.action.type, names.action.upload)
  action.searchParams.set(names.action.slug, slug)
  return action.href
}

const isUrls = (json: unknown, count: number): json is ReadonlyArray<PresignedUpload> =>
  Array.isArray(json) && json.length === count && json.every((upload) => typeof upload?.url === "string")

/**
 * Asks the route handler for the signed URLs of some files.
 *
 * Shape:  `POST {url}?actionType=upload&slug=…` → one {@link PresignedUpload} per file, in their order.
 * Fails:  rejects with an UploadError: the handler's refusal, NETWORK_ERROR, INVALID_CONFIG.
 * Source: docs/protocol.md §5.
 */
export const requestUrls = async (options: UrlRequestOptions): Promise<ReadonlyArray<PresignedUpload>> => {
  const { files, signal } = options
  const url = toActionUrl(options.url, options.slug)
  const request: UploadRequest = {
    files: files.map(({ name, size, type, lastModified }) => ({ name, size, type, lastModified })),
    input: options.input as Json | undefined,
  }
  return retry(
    async () => {
      const headers = new Headers()
      for (const given of options.headers) {
        new Headers(typeof given === "function" ? await given() : given).forEach((value, name) =>
          headers.set(name, value),
        )
      }
      headers.set("content-type", "application/json")
      const reply = await fetchReply(options.fetch, url, {
        method: "POST",
        headers,
        body: JSON.stringify(request),
        signal,
      })
      return readReply(reply, (json) => (isUrls(json, files.length) ? json : undefined))
    },
    options.retry,
    signal,
  )
}
