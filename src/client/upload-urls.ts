import type { Json } from "../protocol/json.ts"
import { filesPerRequest } from "../protocol/limits.ts"
import type { PresignedUpload, RenewRequest, UploadRequest } from "../protocol/messages.ts"
import { expiryParameter } from "../protocol/names.ts"
import { requestUrls, type UrlRequestOptions } from "./request-urls.ts"
import type { RetryWait } from "../transfer/retry.ts"
import type { Task } from "./task.ts"
import type { ResumeEntry } from "./resume/resume-store.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** One file of an upload, and its state. */
export interface UploadItem<File extends UploadableFile> extends Task<File> {
  /** Set before anything else happens. */
  entry?: Required<ResumeEntry>
  /** The current signed URL, once there is one. */
  upload?: PresignedUpload | undefined
  /** A request that will set `upload`: resolves with whether another tab was first, and the upload is that tab's. */
  asking?: Promise<boolean> | undefined
}

/** The signed URLs of an upload's files. Both requests fail as {@link requestUrls} does. */
export interface UploadUrls<Item extends UploadItem<UploadableFile>> {
  /** Requests a URL, and in the same request those of all files without one, at most a thousand. Resolves with whether another tab was first. */
  readonly presign: (item: Item) => Promise<boolean>
  /** Replaces a refused URL, and those that expire together with it. */
  readonly renew: (item: Item, refused: string) => Promise<unknown>
  /** Cancels the requests in progress. */
  readonly cancel: () => void
}

/** Equal for URLs that were signed together. */
const expiryOf = ({ upload }: UploadItem<UploadableFile>): string | null | undefined =>
  upload && new URLSearchParams(upload.url.split("?")[1]).get(expiryParameter)

export const createUploadUrls = <Item extends UploadItem<UploadableFile>>(
  items: ReadonlyArray<Item>,
  settings: UrlRequestOptions & { readonly input: unknown },
  onWait: (item: Item, wait: RetryWait) => void,
): UploadUrls<Item> => {
  let controller = new AbortController()

  const ask = (item: Item, toBody: (some: ReadonlyArray<Item>) => UploadRequest | RenewRequest) => {
    const expiry = expiryOf(item)
    const open = items.filter((each) => each.isPending() && !each.asking && expiryOf(each) === expiry)
    const first = open.indexOf(item)
    const some = open.slice(first, first + filesPerRequest)
    const body = { ...toBody(some), input: settings.input as Json | undefined }
    const answer = requestUrls(body, settings, controller.signal, (wait) => some.forEach((each) => onWait(each, wait)))
    some.forEach((each, place) => {
      const keep = async () => {
        try {
          const upload = (await answer)[place]!
          // What has ended meanwhile was forgotten, and stays so.
          return (
            each.isPending() && (each.upload = await each.entry!.keep({ ...each.upload, ...upload })).key !== upload.key
          )
        } finally {
          each.asking = undefined
        }
      }
      each.asking = keep()
      // Callers that await `asking` get the rejection; this only keeps it from being reported as unhandled.
      each.asking.catch(() => {})
    })
    return item.asking!
  }

  return {
    presign: (item) =>
      item.asking ??
      ask(item, (some) => ({
        files: some.map(({ file: { name, size, type, lastModified, webkitRelativePath: path } }) => ({
          name,
          size,
          type,
          lastModified,
          path: /^[^\\\p{Cc}]+$/u.test(path!) ? path : undefined,
        })),
      })),
    renew: async (item, refused) =>
      item.upload!.url === refused &&
      (item.asking ?? ask(item, (some) => ({ urls: some.map(({ upload }) => upload!.url) }))),
    cancel: () => {
      // Where nobody asks, it would only make an error that nobody reads.
      if (items.every(({ asking }) => !asking)) return
      controller.abort()
      controller = new AbortController()
    },
  }
}
