import { type RouteBuilder, UploadError } from "../../server.ts"

/** The request header that the suite asks an app to echo, to see that user code got the framework's own request. */
export const probeHeader = "x-probe"

/** Where the route `patient` reports that it has begun and that it was aborted. */
export const reportHeader = "x-report"

/**
 * The file router of every app that {@link testAdapter} starts.
 *
 * @param f what the adapter's `createSluice()` returned
 * @param readProbe reads the header {@link probeHeader} of the framework's own request, which user code gets as `native`
 */
export const createTestRouter = <Native extends object>(
  f: RouteBuilder<Native, undefined>,
  readProbe: (native: Native) => string | null | undefined,
) => ({
  note: f({ blob: { maxFileSize: "8MB", maxFileCount: 4 } })
    .middleware((args) => ({ probe: readProbe(args) ?? null }))
    .onUploadComplete((args) => ({
      name: args.file.name,
      hash: args.file.fileHash,
      metadata: args.metadata,
      probe: readProbe(args) ?? null,
    })),

  refused: f({ blob: { maxFileSize: "8MB" } })
    .middleware((): { user: string } => {
      throw new UploadError({ code: "QUOTA_EXCEEDED", status: 402, message: "Pay 5 € first." })
    })
    .onUploadComplete(() => null),

  patient: f({ blob: { maxFileSize: "8MB" } })
    .middleware(async ({ request }) => {
      const report = request.headers.get(reportHeader)
      const aborted = new Promise<void>((resolve) => request.signal.addEventListener("abort", () => resolve()))
      await fetch(`${report}/begun`)
      await aborted
      await fetch(`${report}/aborted`)
      return {}
    })
    .onUploadComplete(() => null),
})

/** What the client needs to know. */
export type TestRouter = ReturnType<typeof createTestRouter<object>>
