import type { PresignedUpload, RenewRequest, UploadRequest } from "../protocol/messages.ts"
import { actionNames, adapterPath } from "../protocol/names.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { type Fetch, fetchReply, readReply } from "../transfer/reply.ts"
import { retry, type RetryOptions, type RetryWait } from "../transfer/retry.ts"

/** Headers for the route handler, or a function called before each request: for tokens that expire. */
export type UploadHeaders = FetchHeaders | (() => FetchHeaders | Promise<FetchHeaders>)

/** By a name that servers without the DOM's types know as well. */
type FetchHeaders = NonNullable<RequestInit["headers"]>

/** Options of a request to the route handler. */
export interface UrlRequestOptions {
  /** The address of the route handler; relative to the page where there is one. */
  readonly url: string | URL | undefined
  readonly slug: string
  /** Later ones win. */
  readonly headers: ReadonlyArray<UploadHeaders | undefined>
  readonly fetch: Fetch
  readonly credentials: RequestInit["credentials"] | undefined
  readonly retry: RetryOptions
}

/** The route handler's address, absolute. Fails: throws an UploadError, INVALID_CONFIG. */
export const toHandlerUrl = (url: string | URL = adapterPath): URL => {
  try {
    return new URL(url, globalThis.location?.href)
  } catch (cause) {
    throw new UploadError({
      code: "INVALID_CONFIG",
      cause,
      message: `Outside browsers \`url\` must be absolute, not ${url}.`,
    })
  }
}

const isUrls = (json: unknown, count: number): json is ReadonlyArray<PresignedUpload> =>
  Array.isArray(json) && json.length === count && json.every((upload) => typeof upload?.url === "string")

/**
 * Requests the signed URLs of some files from the route handler, or renews some.
 *
 * Shape:  `POST {url}?actionType=upload|renew&slug=…` → one {@link PresignedUpload} per file or URL, in their order.
 * Fails:  rejects with an UploadError: the handler's refusal, NETWORK_ERROR, INVALID_CONFIG.
 * Source: docs/protocol.md §5.
 */
export const requestUrls = async (
  request: UploadRequest | RenewRequest,
  options: UrlRequestOptions,
  signal: AbortSignal,
  onWait: (wait: RetryWait) => void,
): Promise<ReadonlyArray<PresignedUpload>> => {
  const isUpload = "files" in request
  const url = toHandlerUrl(options.url)
  url.searchParams.set(actionNames.type, isUpload ? actionNames.upload : actionNames.renew)
  url.searchParams.set(actionNames.slug, options.slug)
  return retry(
    async (_, attempt, touch) => {
      touch(2)
      const headers = new Headers()
      for (const given of options.headers) {
        new Headers(typeof given === "function" ? await given() : given).forEach((value, name) =>
          headers.set(name, value),
        )
      }
      headers.set("content-type", "application/json")
      const body = JSON.stringify(request)
      const { credentials, fetch } = options
      const init = { method: "POST", headers, body, signal: attempt, ...(credentials && { credentials }) }
      const reply = await fetchReply(fetch, url.href, init)
      const { length } = isUpload ? request.files : request.urls
      return readReply(reply, (json) => (isUrls(json, length) ? json : undefined), "app")
    },
    options.retry,
    signal,
    onWait,
  )
}
