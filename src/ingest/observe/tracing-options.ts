/** Where spans are sent, and how many. */
export interface TracingOptions {
  /** Address that takes OTLP over HTTP as JSON: `https://collector.example:4318/v1/traces`. */
  readonly url: string
  /** Sent along, for a collector that wants to know who asks. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Name among the services of the traces; `<word>-ingest` unless given. */
  readonly serviceName?: string | undefined
  /** Share of the traces begun here that is recorded, 0 to 1; 1 unless given. Traces of others keep their decision. */
  readonly sampleRatio?: number | undefined
}
