import { toNodeListener } from "../../../adapters/node/to-node-listener.ts"
import { listen } from "../circle.ts"

/** A span as a collector gets it, without what the tests do not look at. */
export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly isFailed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

const toRecord = (attributes: ReadonlyArray<Attribute>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { intValue, ...others } }) => [
      key,
      intValue === undefined ? Object.values(others)[0] : Number(intValue),
    ]),
  )

/** A collector of traces: takes OTLP over HTTP as JSON. */
export interface Collector {
  /** For the option `tracing`. */
  readonly url: string
  readonly spans: Array<CollectedSpan>
  readonly requests: Array<{ readonly headers: Headers; readonly body: string }>
}

/** Starts a collector on a free port. */
export const startCollector = async (): Promise<Collector> => {
  const spans: Array<CollectedSpan> = []
  const requests: Collector["requests"] = []
  const url = await listen(
    toNodeListener(async (request) => {
      const body = await request.text()
      requests.push({ headers: request.headers, body })
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        const service = String(toRecord(resource.attributes)["service.name"])
        for (const { spans: received } of scopeSpans) {
          for (const { attributes, status, ...span } of received) {
            spans.push({ ...span, service, isFailed: status.code === 2, attributes: toRecord(attributes) })
          }
        }
      }
      return Response.json({})
    }),
  )
  return { url: `${url}/v1/traces`, spans, requests }
}
