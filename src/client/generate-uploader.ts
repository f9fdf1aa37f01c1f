import type { TypedFileRouter, UntypedFileRouter } from "../protocol/files/file-route.ts"
import type { Fetch } from "../transfer/reply.ts"
import type { UploadHeaders } from "./request-urls.ts"
import type { RetryOptions } from "../transfer/retry.ts"
import { startUpload, type Upload } from "./upload.ts"
import type { UploadOptions } from "./upload-options.ts"
import type { ResumeStore } from "./resume/resume-store.ts"
import type { DoneUpload, UploadOutcome } from "./upload-outcome.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** How an uploader reaches the app, and how it retries. */
export interface UploaderOptions {
  /** Where the route handler is. Default `/api/sluice` on the page's origin; outside a page it must be absolute. */
  readonly url?: string | URL | undefined
  /** Sent to the route handler, never to the ingest. */
  readonly headers?: UploadHeaders | undefined
  /** Only for requests to the route handler: `include` sends cookies to an app on another origin, docs/another-origin.md. */
  readonly credentials?: RequestInit["credentials"] | undefined
  /**
   * Called once per upload for the W3C `traceparent` of its requests to the app and the ingest; off by default.
   * `createTraceparent` of `sluice/protocol` begins a trace. An app on another origin must allow the header in its
   * CORS answers.
   */
  readonly traceparent?: (() => string | undefined) | undefined
  /** How many files are uploaded at the same time, per upload. Default 4. */
  readonly concurrency?: number | undefined
  readonly retry?: RetryOptions | undefined
  /** Where uploads are remembered over a reload of the page: `createResumeStore()` of `sluice/resume`. */
  readonly resumeStore?: ResumeStore | undefined
  /** Instead of `globalThis.fetch`; the bytes of files are sent by XMLHttpRequest where it exists. */
  readonly fetch?: Fetch | undefined
}

/** Uploads to the routes of one router. */
export interface Uploader<Router extends TypedFileRouter> {
  /**
   * Uploads files and waits for all of them; one that fails does not stop the others.
   *
   * Shape: one {@link UploadOutcome} per file, in the order given: look at `status`.
   * Fails: never, unless `throwOnFailure` is set: then, once all have ended, with the first error in that order.
   *        A refusal of the whole upload (a limit, the middleware, a wrong `url`) is the error of every file.
   */
  readonly uploadFiles: <
    Slug extends keyof Router & string,
    File extends UploadableFile,
    Throw extends boolean = false,
  >(
    slug: Slug,
    options: UploadOptions<Router[Slug], File> & { readonly throwOnFailure?: Throw | undefined },
  ) => Promise<Array<Throw extends true ? DoneUpload<Router[Slug], File> : UploadOutcome<Router[Slug], File>>>

  /** Starts an upload that can be paused, resumed and aborted, as a whole or file by file. */
  readonly createUpload: <Slug extends keyof Router & string, File extends UploadableFile>(
    slug: Slug,
    options: UploadOptions<Router[Slug], File>,
  ) => Upload<Router[Slug], File>
}

/**
 * Makes the uploader of a router: `generateUploader<typeof router>()`. It only needs the router's type.
 *
 * Fails: never; an invalid `url` is the error of every file.
 */
export const generateUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options: UploaderOptions = {},
): Uploader<Router> => {
  const createUpload: Uploader<TypedFileRouter>["createUpload"] = (slug, upload) => {
    const traceparent = options.traceparent?.()
    const trace = traceparent ? { traceparent } : undefined
    return startUpload(upload, {
      slug,
      input: upload.input,
      url: options.url,
      headers: [trace, options.headers, upload.headers],
      trace,
      concurrency: options.concurrency ?? 4,
      retry: options.retry ?? {},
      credentials: options.credentials,
      resumeStore: upload.resumeStore ?? options.resumeStore,
      // Looked up for each call: tests replace the global one, and browsers refuse it as a method of another object.
      fetch: async (url, init) => (options.fetch ?? fetch)(url, init),
    })
  }
  const uploadFiles: Uploader<TypedFileRouter>["uploadFiles"] = async (slug, upload) => {
    const outcomes = await createUpload(slug, upload).done()
    for (const outcome of outcomes) {
      if (upload.throwOnFailure && outcome.status !== "done") throw outcome.error
    }
    return outcomes as Array<any>
  }
  // Only the types differ from router to router.
  return { createUpload, uploadFiles } as Uploader<Router>
}
