/** Where spans are sent, and how many. */
export interface TracingOptions {
  /** Address that takes OTLP over HTTP as JSON: `https://collector.example:4318/v1/traces`. */
  readonly url: string
  /** Headers to send along, for a collector that asks for authorization. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Name of the service in the traces, by default `<word>-ingest`. */
  readonly serviceName?: string | undefined
  /** Share of the traces begun here that is recorded, 0 to 1, by default 1. Traces begun elsewhere keep their decision. */
  readonly sampleRatio?: number | undefined
}
