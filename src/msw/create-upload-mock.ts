import { http, type HttpHandler } from "msw"
import type { TypedFileRouter } from "../client.ts"
import { names, UploadError } from "../protocol.ts"
import { createMockApp, type UntypedMockRoute } from "./mock-app.ts"
import {
  createMockControls,
  type FailOptions,
  type Hold,
  type HoldOptions,
  type RefuseOptions,
} from "./mock-controls.ts"
import type { MockFailure } from "./mock-failure.ts"
import { createMockIngest } from "./mock-ingest.ts"
import type { AnyMockRouter, MockRoutes } from "./mock-route.ts"
import type { UploadedFile } from "./uploaded-file.ts"

/** The routes and addresses of the mock. */
export interface UploadMockOptions<Router extends TypedFileRouter> {
  readonly routes: MockRoutes<Router>
  /** The uploader's `url`. Default `/api/sluice`; without an origin, that path on every origin. */
  readonly url?: string | undefined
  /** Where files are uploaded and read. Nothing is ever sent there. Default `https://ingest.sluice.test`. */
  readonly ingestUrl?: string | undefined
}

/**
 * An app with its ingest that exists only in tests. Uploads succeed unless told otherwise; the effect of a method
 * lasts until `reset`.
 */
export interface UploadMock<Router extends TypedFileRouter> {
  /** For `setupServer(...handlers)` of `msw/node`, or `setupWorker` of `msw/browser`. */
  readonly handlers: ReadonlyArray<HttpHandler>
  /** The files that have arrived, in order. */
  readonly files: ReadonlyArray<UploadedFile<Router>>
  /** The app refuses before any bytes are sent, as a throw in the route's middleware would. */
  refuse(slug: keyof Router & string, failure: MockFailure, options?: RefuseOptions): void
  /** Not all bytes arrive: `NETWORK_ERROR` cuts the connection, another code is the ingest's answer. */
  fail(slug: keyof Router & string, failure: MockFailure, options?: FailOptions): void
  /**
   * Uploads stop before they are confirmed, or with only some bytes stored, until they are released.
   *
   * The client's progress does not stop there: MSW takes a body whole, so all bytes count as sent.
   */
  hold(slug: keyof Router & string, options?: HoldOptions): Hold
  /** Confirms every upload this many milliseconds late, for manual checks. Tests should prefer `hold`. */
  delay(slug: keyof Router & string, ms: number): void
  /** Uploads succeed again, held uploads are released, and files are forgotten. */
  reset(): void
}

/** A path on any origin, unless it names one. */
const toPattern = (url: string): string => (url.startsWith("/") ? `*${url}` : url.replace(/[?#].*/, ""))

/**
 * Makes the handlers that let uploads work in tests of components, without a server:
 * `createUploadMock<typeof router>({ routes: { avatar: { serverData: { owner: "you" } } } })`.
 *
 * The app's side is the real route handler, so descriptions, limits and refusals are those of production. The server
 * code of routes (their schema, their middleware) does not run.
 *
 * Fails: methods throw an `UploadError`, code ROUTE_NOT_FOUND, for a route that is not among `routes`; an invalid
 *        configuration throws one with code INVALID_CONFIG at once.
 */
export const createUploadMock = <Router extends TypedFileRouter = AnyMockRouter>({
  routes: given,
  url = names.adapterPath,
  ingestUrl = "https://ingest.sluice.test",
}: UploadMockOptions<NoInfer<Router>>): UploadMock<Router> => {
  const routes = new Map(Object.entries<UntypedMockRoute>(given as Record<string, UntypedMockRoute>))
  const controls = createMockControls()
  const ingest = createMockIngest(routes, ingestUrl, controls)
  const app = createMockApp(routes, ingestUrl, ingest, controls)

  const known = (slug: string): string => {
    if (routes.has(slug)) return slug
    throw new UploadError({
      code: "ROUTE_NOT_FOUND",
      message: `Route ${JSON.stringify(slug)} is not mocked. Add it to the mock's \`routes\`, which are: ${[...routes.keys()].join(", ")}.`,
    })
  }

  return {
    handlers: [
      http.all(toPattern(url), ({ request }) => app(request)),
      http.all(`${ingestUrl}/*`, ({ request }) => ingest.fetch(request)),
    ],
    files: ingest.files,
    refuse: (slug, failure, options = {}) => controls.refuse(known(slug), failure, options),
    fail: (slug, failure, options = {}) => controls.fail(known(slug), failure, options),
    hold: (slug, options = {}) => controls.hold(known(slug), options),
    delay: (slug, ms) => controls.delay(known(slug), ms),
    reset: () => {
      ingest.reset()
      controls.reset()
    },
  }
}
