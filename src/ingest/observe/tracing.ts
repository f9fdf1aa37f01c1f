import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Write } from "../../http/logging.ts"
import { redact } from "../../http/redact.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"
import type { Service } from "../service.ts"
import { wrapPort } from "../storage/wrap-port.ts"

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

/** A piece of work in a trace that is recorded. */
export interface Span {
  /** For requests that continue the trace: this span is their parent. */
  readonly context: TraceContext
  readonly child: (name: string, attributes?: Readonly<Record<string, unknown>>) => Span
  readonly annotate: (attributes: Readonly<Record<string, unknown>>) => void
  /** Ends it, once; `failure` says why the work failed. */
  readonly end: (failure?: string) => void
}

/** What a span begins with. */
interface SpanStart {
  readonly name: string
  readonly kind: "server" | "client"
  /** The trace it continues; without one it begins a trace. */
  readonly parent: TraceContext | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Records spans. */
export interface Tracing {
  /** Resolves when {@link start} may be called; never rejects. */
  readonly ready: Promise<void>
  /** Undefined when the trace is not to be recorded. */
  readonly start: (span: SpanStart) => Span | undefined
  /** Sends what was recorded; waits 2 s at most. */
  readonly close: () => Promise<void>
}

/** The parts of a valid `traceparent`. */
const split = (traceparent: string) => {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-")
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The trace id of a valid context; for the log. */
export const traceIdOf = ({ traceparent }: TraceContext): string => split(traceparent).traceId

/** Nanoseconds since the epoch, to the µs; runs steadily within a request however the system's clock is set. */
type Clock = () => bigint

const createClock = (): Clock => {
  const start = Date.now() - performance.now()
  return () => BigInt(Math.round((start + performance.now()) * 1000)) * 1000n
}

/** What the spans of one request share. */
interface Recording {
  readonly tracer: Tracer.Tracer
  readonly clock: Clock
  readonly tracestate: string | undefined
}

const toSpan = (recording: Recording, span: Tracer.Span): Span => {
  const { clock, tracestate } = recording
  const annotate: Span["annotate"] = (attributes) => {
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(name, value)
  }
  return {
    context: {
      traceparent: `00-${span.traceId}-${span.spanId}-01`,
      ...(tracestate !== undefined && { tracestate }),
    },
    annotate,
    child: (name, attributes = {}) => {
      const parent = Option.some(span)
      const child = toSpan(recording, makeSpan(recording, name, "internal", parent))
      child.annotate(attributes)
      return child
    },
    end: (failure) => span.end(clock(), failure === undefined ? Exit.void : Exit.fail(redact(failure))),
  }
}

const makeSpan = (
  { tracer, clock }: Recording,
  name: string,
  kind: Tracer.SpanKind,
  parent: Option.Option<Tracer.AnySpan>,
): Tracer.Span =>
  tracer.span({
    name,
    kind,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: clock(),
    root: Option.isNone(parent),
    sampled: true,
  })

/** Starts to record spans and to send them. Where that cannot be, the log says why, and nothing is recorded. */
export const createTracing = (options: TracingOptions, write: Write): Tracing => {
  const { sampleRatio = 1 } = options
  // Only those who trace load the exporter.
  const opening = import("./otlp-tracer.ts")
    .then(({ openOtlpTracer }) => openOtlpTracer(options))
    .catch((cause: unknown) => {
      write("Warning", "Traces are not recorded: the exporter cannot be started.", [cause])
      return undefined
    })
  let tracer: Tracer.Tracer | undefined
  return {
    ready: opening.then((opened) => {
      tracer = opened?.tracer
    }),
    start: ({ name, kind, parent, attributes }) => {
      if (tracer === undefined) return undefined
      const from = parent === undefined ? undefined : split(parent.traceparent)
      if (!(from?.sampled ?? Math.random() < sampleRatio)) return undefined
      const origin = from === undefined ? Option.none() : Option.some(Tracer.externalSpan(from))
      const recording = { tracer, clock: createClock(), tracestate: parent?.tracestate }
      const span = toSpan(recording, makeSpan(recording, name, kind, origin))
      span.annotate(attributes)
      return span
    },
    close: async () => (await opening)?.close(),
  }
}

/** The service as one request sees it: what its storage does are children of the request's span. */
export const traceService = (service: Service, span: Span): Service => {
  const traced = <Port extends object>(prefix: string, port: Port): Port =>
    wrapPort(port, async (method, run) => {
      const child = span.child(`${prefix}.${method}`)
      try {
        const result = await run()
        child.end()
        return result
      } catch (cause) {
        child.end(cause instanceof Error ? cause.message : String(cause))
        throw cause
      }
    })
  return {
    ...service,
    store: traced("blobs", service.store),
    catalog: traced("catalog", service.catalog),
    trace: span.context,
  }
}
