/** What an app is told: by the options of `createRouteHandler`, or by `SLUICE_TOKEN` and `SLUICE_INGEST_URL`. */
export interface AppConfiguration {
  readonly token: string
  readonly ingestUrl: string
}

/** An app of the real framework, listening on a real socket. */
export interface RunningApp {
  /** Where `createRouteHandler({ router })` of {@link createTestRouter} answers, best below a mount prefix or base path. */
  readonly url: string
  /** Where {@link probe} answers, mounted as the framework mounts handlers. */
  readonly probeUrl?: string | undefined
  /** The handler once more, behind what reads bodies in this framework before it. */
  readonly parsers?:
    | ReadonlyArray<{
        /** For messages. */
        readonly name: string
        readonly url: string
        /**
         * Whether a callback `works` there, or is `refused` with an error that names the fix. `hidden`: refused by an app in
         * production, whose log alone names it.
         */
        readonly callback: "works" | "refused" | "hidden"
      }>
    | undefined
  /** Stops it. */
  readonly close: () => Promise<void>
}
